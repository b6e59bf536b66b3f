"""Ten shapes of repositories, adopted, changed by their users, updated twice: theirs stays."""

import pytest

from ..update.world import TEMPLATE, assert_seen_by_git, files_on_disk
from .place import kept
from .shapes import SHAPES

QUESTIONS = (
    TEMPLATE
    + "questions:\n  - {name: package, type: str, default: pkg}\n"
    + "files:\n  - {match: 'data/**', policy: seed}\n  - {match: 'ci/*', policy: managed}\n"
)
V1 = {
    "README.md.j2": "# {{ name }}\n",
    "Makefile": "lint:\n\truff check\n",
    ".gitignore": "__pycache__/\n",
    ".editorconfig": "root = true\n",
    "ci/lint.sh": ("x", "#!/bin/sh\nruff check\n"),
    "data/raw/.gitkeep": "",
    "docs/index.md": "# Docs\n",
    "src/{{ package }}/version.py": "VERSION = '0'\n",
    "tool.toml": "[tool]\nline = 100\n",
    "old/away": "to go\n",
}
V2 = {
    **V1,
    "README.md.j2": "# {{ name }}\n\nNewer.\n",
    ".editorconfig": "root = true\n[*]\nindent_style = space\n",
    "ci/lint.sh": ("x", "#!/bin/sh\nruff check .\n"),
    "ci/test.sh": ("x", "#!/bin/sh\npytest\n"),
    "tool.toml": "[tool]\nline = 100\nmore = true\n",
}
V3 = {
    **{path: text for path, text in V2.items() if path != "old/away"},
    "README.md.j2": "# {{ name }}\n\nNewest.\n",
    "Makefile": "lint:\n\truff check .\n",
    "tool.toml": "[tool]\nline = 120\nmore = true\n",
    "docs/index.md": "# Docs\n\nMore.\n",
}


def prepare(place, shape):
    place.repository(shape.files)
    if shape.prepare:
        shape.prepare(place)
    return place.child / shape.folder


def theirs(place, names) -> dict:
    """Of these paths from the top: what HEAD has, and what lies on disk."""
    disk = files_on_disk(place.child)
    head = place.listing() if names else {}
    return {name: (head.get(name), disk.get(name)) for name in names}


def edit(place, shape):
    """As a user does it: some files, and nothing else is staged."""
    for path, text in shape.edit.items():
        (place.child / path).parent.mkdir(parents=True, exist_ok=True)
        (place.child / path).write_bytes(text.encode())
    place.git("add", "--", *shape.edit)
    place.git("commit", "-q", "-m", "mine")


def calm(done):
    assert done.code == 0, done.err
    assert set(done.paths.values()) <= {"updated", "added", "kept-yours", "deleted", "kept-deleted"}
    assert done.json["warnings"] == []


@pytest.mark.turns(6)
@pytest.mark.parametrize("name", SHAPES)
def test_user_content_is_byte_identical_and_updates_are_calm(place, name):
    shape = SHAPES[name]
    place.release("1.0.0", V1, template=QUESTIONS)
    folder = prepare(place, shape)
    head = place.listing() if shape.files else {}
    before, status = theirs(place, head), place.git("status", "--porcelain")
    foreseen = place.adopt("--dry-run", child=folder)
    assert foreseen.code == 0, foreseen.err
    done = place.adopt(child=folder)
    assert done.code == 0, done.err
    assert done.json["paths"] == foreseen.json["paths"]
    assert theirs(place, head) == before
    assert place.git("status", "--porcelain") == status
    edit(place, shape)
    if shape.files:
        head = {path: leaf for path, leaf in place.listing().items() if path in head}
    else:
        head = {path: place.listing()[path] for path in shape.edit}
    before = theirs(place, head)
    same = {path for path, state in done.paths.items() if state == "adopted"}
    for version, files in (("1.1.0", V2), ("1.2.0", V3)):
        place.release(version, files, template=QUESTIONS)
        calm(place.update(child=folder))
        now = theirs(place, head)
        prefix = f"{shape.folder}/" if shape.folder else ""
        changed = {path for path in head if now[path] != before[path]}
        assert changed <= {prefix + path for path in same}, changed
        assert place.git("status", "--porcelain") == status
    assert place.update(child=folder).json["result"] == "up-to-date"
    assert_seen_by_git(place, place.child)
    fsck = place.git("fsck", "--strict", "--no-dangling", check=False)
    assert fsck.returncode == 0, fsck.stderr


@pytest.mark.turns(2)
@pytest.mark.parametrize("name", ["flask", "copier-child", "lfs", "windows-names"])
def test_the_built_in_template(place, name):
    """From the release before to that of the program."""
    shape = SHAPES[name]
    folder = prepare(place, shape)
    head = place.listing()
    before, status = theirs(place, head), place.git("status", "--porcelain")
    done = place.adopt(child=folder, catalog="builtin@v0.1.0", kind="service")
    assert done.code == 0, done.err
    found = {guess["what"]: guess["value"] for guess in done.json["guesses"]}
    assert found["framework"].startswith("pytorch")
    assert theirs(place, head) == before and place.git("status", "--porcelain") == status
    edit(place, shape)
    before = theirs(place, head)
    same = {path for path, state in done.paths.items() if state == "adopted"}
    for to in ("v0.2.0", None):
        done = place.update(*(("--to", to) if to else ()), child=folder)
        assert done.code == 0, done.err
        assert "conflict" not in done.paths.values()
        now = theirs(place, head)
        assert {path for path in head if now[path] != before[path]} <= same
    kept({path: leaf for path, (leaf, _) in before.items() if path not in same}, place.listing())
