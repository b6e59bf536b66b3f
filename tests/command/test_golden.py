"""Golden renders: every path, mode and byte of some requests; golden.py says how they are kept.

After a change that is meant to show, `REFRESH_GOLDENS=1 pytest tests/command/test_golden.py` writes
them anew: read the difference before you commit it.
"""

import os
import shlex
from pathlib import Path

import pytest

from ..common.program import ROOT
from . import golden
from .world import git

GOLDEN = ROOT / "tests" / "golden"
CASES = sorted(path.parent.name for path in GOLDEN.glob("*/args"))
REFRESH = os.environ.get("REFRESH_GOLDENS") == "1"


@pytest.fixture
def rendered(tmplgen, work):
    """The golden that a request's child makes today."""

    def render(folder: Path) -> dict[str, str]:
        place = work / folder.name
        place.mkdir()
        args = shlex.split((folder / "args").read_text())
        done = tmplgen("new", *args, "--json", cwd=place)
        assert done.code == 0, done.err
        document = done.json
        child = Path(document["path"])
        assert git(child, "status", "--porcelain") == ""
        assert git(child, "diff", "--name-only", document["tree"], "HEAD") == ".tmplgen.yml"
        rows = git(child, "ls-tree", "-r", "--format=%(objectmode) %(path)", document["tree"])
        modes = {path: mode for mode, _, path in (row.partition(" ") for row in rows.split("\n"))}
        files = {
            path: golden.File(modes.pop(path), (child / path).read_bytes(), entry["source"])
            for entry in document["files"]
            for path in [entry["path"]]
        }
        assert modes == {}
        framework = (document["resolution"] or {}).get("framework", {}).get("name")
        told = {"template": document["type"], "resolution.framework.name": framework}
        return golden.of_child(files, {**document["answers"], **told}, ROOT)

    return render


@pytest.mark.parametrize("case", CASES)
def test_render_is_the_golden_one(rendered, case):
    folder = GOLDEN / case
    sibling = golden.sibling_of(folder)
    now, base = rendered(folder), None
    if REFRESH:
        base = rendered(sibling) if sibling else None
        golden.write(folder, now, base)
    changes = golden.changes(golden.read(folder, base), now)
    if changes:
        pytest.fail(changes, pytrace=False)


def test_there_is_a_golden_render_of_the_exact_command():
    assert (GOLDEN / "service-pytorch" / "args").read_text() == (
        "--type service --framework pytorch\n"
    )


# ---------------------------------------------------------------- what goldens notice

ANSWERS = {"name": "it", "kind": "who"}
TEXT = "templates/service/files/of/{{name}}/text.j2"
SAID = "I am {{ name }}\n1\n2\n{{ 1 + 2 }}\n"
CATALOG = {
    "copied": "one\ntwo\n",
    "plain.j2": "I am {{ name }}\n",
    "tags.j2": "{% if x %}",
    "templates/_includes/who/said": SAID,
    "templates/_layers/more/includes/who": "{% include 'who/none' ignore missing %}\nfour\n",
    TEXT: "{% include 'who/said' %}\n{% include 'more/' ~ kind %}\n5\n6\n",
}
FILES = {
    ".gitattributes": golden.File("100644", b"one\ntwo\n/.tmplgen.yml -merge\n", "copied"),
    "copied": golden.File("100644", b"one\ntwo\n", "copied"),
    "plain": golden.File("100755", b"I am it\n", "plain.j2"),
    "src/it/tags": golden.File("100644", b"1\n2\n3\n4\nend", "tags.j2"),
    "of/it/text": golden.File("100644", b"I am it\n1\n2\n3\nfour\n5\n6\n", TEXT),
}
SIBLING = {
    "copied": golden.File("100755", b"one\ntwo\n", "copied"),
    "gone": golden.File("100644", b"gone\n", "tags.j2"),
    "src/other/tags": golden.File("100644", b"1\n2\n3\n5\nend", "tags.j2"),
}
CHANGES = {
    "the same": ({}, ""),
    "a byte": ({"src/it/tags": FILES["src/it/tags"]._replace(data=b"1\n2\n3\n4\nEnd")}, "+End"),
    "a byte of a copy": ({"copied": FILES["copied"]._replace(data=b"one\nTwo\n")}, "+Two\n"),
    "an answer": ({"plain": FILES["plain"]._replace(data=b"I am not\n")}, "+I am not\n"),
    "a mode": ({"plain": FILES["plain"]._replace(mode="100644")}, "+100644 plain = plain.j2\n"),
    "a source": ({"copied": FILES["copied"]._replace(source="tags.j2")}, "+100644 copied ~ tags"),
    "a place": (
        {"of/it/text": None, "it/text": FILES["of/it/text"]},
        f"+100644 it/text ~ {TEXT}\n",
    ),
    "missing": ({"src/it/tags": None}, "-100644 src/it/tags ~ tags.j2\n"),
    "a copy missing": ({"copied": None}, "-100644 copied = copied\n"),
    "an extra one": ({"x": golden.File("100644", b"more\n", "tags.j2")}, "+more\n"),
}


@pytest.fixture(params=["whole", "difference"])
def kept(request, tmp_path):
    """The golden of FILES, kept in that way, and the catalog that they are of."""
    for path, text in CATALOG.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    sibling = golden.of_child(SIBLING, ANSWERS, tmp_path)
    golden.write(tmp_path / "goldens" / "sibling", sibling)
    folder = tmp_path / "goldens" / "it"
    folder.mkdir()
    if request.param == "difference":
        (folder / "sibling.diff").touch()
    golden.write(folder, golden.of_child(FILES, ANSWERS, tmp_path), sibling)
    assert (folder / "files").exists() == (request.param == "whole")
    return folder, tmp_path


@pytest.mark.parametrize("change", CHANGES)
def test_a_golden_notices(kept, change):
    folder, catalog = kept
    changed, shown = CHANGES[change]
    files = {path: file for path, file in {**FILES, **changed}.items() if file}
    changes = golden.changes(golden.read(folder), golden.of_child(files, ANSWERS, catalog))
    assert shown in changes and bool(shown) == bool(changes)


@pytest.mark.parametrize("kept", ["difference"], indirect=True)
def test_a_difference_from_another_sibling_is_no_golden(kept):
    with pytest.raises(AssertionError, match="No such file|does not apply"):
        golden.read(kept[0], {"listing": "100644 other\n"})


def test_a_golden_keeps_what_its_source_does_not_say(kept):
    held = golden.read(kept[0])
    assert held["files/of/{{name}}/text"] == "=3\n-2\n+3\n=3\n"
    assert f"100644 ~ {TEXT}\n" in held["listing"]


@pytest.mark.parametrize("has", ["", "1\n", "1\n2\n3\n4", "0\n1\n2\n3\n4\n", "2\n3\n4\n1\n2\n3\n"])
def test_edits_make_the_file_of_what_its_source_says(has):
    said = "1\n2\n3\n4\n5\n"
    rest, made = said.splitlines(True), ""
    for edit in golden.edits(said, has).splitlines(True):
        count = 0 if edit[0] == "+" else int(edit[1:])
        made += edit[1:] if edit[0] == "+" else "".join(rest[:count]) if edit[0] == "=" else ""
        rest = rest[count:]
    assert (made, rest) == (has, [])
