"""Children of the render matrix stay sound through versions of the catalog, edits and all."""

import os
import random
import shutil
import subprocess

import pytest
import yaml

from . import matrix, pairs
from .matrix import Child, tmplgen
from .render import CATALOG

SEED = int(os.environ.get("SEED") or 20261121)
TYPES = pairs.types()
ROW = "  - image: jax\n    request: {framework: jax}\n"
LOCK = "schema: 1\nimages:\n  nvidia/cuda:13.0.3-base-ubuntu24.04: {digest: sha256:0}\n"
NOTES = "\n## Notes\n\n`ci/notes.sh` prints them: `make notes`.\n"


def git(folder, *words):
    names = {f"GIT_{who}_NAME": "Ann" for who in ("AUTHOR", "COMMITTER")}
    mails = {f"GIT_{who}_EMAIL": "ann@example.org" for who in ("AUTHOR", "COMMITTER")}
    subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **names, **mails},
        check=True,
        capture_output=True,
    )


def change(path, old, new):
    text = path.read_text()
    assert old in text, f"{path}: {old}"
    path.write_text(text.replace(old, new))


def second(catalog):
    """A new script that the README and the Makefile name, a newer pin, other times in every CI."""
    layers = catalog / "templates/_layers"
    script = layers / "common/files/ci/notes.sh"
    script.parent.mkdir()
    script.write_text("#!/bin/sh\n# Prints the notes of this project.\nset -eu\necho calmly\n")
    script.chmod(0o755)
    change(catalog / "templates/_includes/ci/jobs.j2", "'minutes': 20", "'minutes': 25")
    for kind in TYPES:
        files = catalog / "templates" / kind / "files"
        for name, text in (("README.md.j2", NOTES), ("Makefile.j2", "\nnotes:\n\tci/notes.sh\n")):
            with open(files / name, "a") as file:
                file.write(text)
    plan = catalog / "templates/images/files/images.yml.j2"
    change(plan, "# The plan:", "# This is the plan:")
    change(plan, "\nimages:\n", "\nimages:\n  - image: xgboost\n    request: {}\n")
    change(plan.with_name("base-images.lock.yml"), "images: {}", "images: {}\nnotes: {}")
    for path in catalog.glob("templates/**/dev.txt"):
        change(path, "pytest==9.2.0", "pytest==9.2.1")


RENAMED = "{ci/notes.sh: ci/advice.sh}"


def third(catalog):
    """The script has another name, and so has its target."""
    folder = catalog / "templates/_layers/common/files/ci"
    (folder / "notes.sh").rename(folder / "advice.sh")
    for kind in TYPES:
        files = catalog / "templates" / kind / "files"
        change(
            files / "README.md.j2", "ci/notes.sh` prints them: `make notes", "ci/advice.sh` prints"
        )
        change(files / "Makefile.j2", "\nnotes:\n\tci/notes.sh\n", "\nadvice:\n\tci/advice.sh\n")
        manifest = catalog / "templates" / kind / "template.yml"
        rows = f"migrations:\n  - {{from: '<3', rename_files: {RENAMED}}}\n"
        head, found, tail = manifest.read_text().partition("migrations:\n")
        manifest.write_text(head + rows + tail if found else head + rows)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    """A catalog with three versions, each a tag."""
    folder = tmp_path_factory.mktemp("catalog")
    for name in ("templates", "matrices"):
        shutil.copytree(CATALOG / name, folder / name)
    git(folder, "init", "--quiet")
    for number, make in enumerate((lambda _: None, second, third), 1):
        make(folder)
        (folder / "catalog.yml").write_text(f"name: team\nversion: {number}.0.0\n")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", f"{number}.0.0")
        git(folder, "tag", f"v{number}.0.0")
    return folder


def edit(folder):
    """What a user does: a file of one's own, a line of the README, a pin."""
    (folder / "docs").mkdir(exist_ok=True)
    (folder / "docs/ours.md").write_text("# Ours\n")
    path = folder / "README.md"
    path.write_text(path.read_text().replace("\n\n", "\n\nOur own words.\n\n", 1))
    if (folder / "images.yml").exists():
        with open(folder / "images.yml", "a") as file:
            file.write(ROW)
        (folder / "base-images.lock.yml").write_text(LOCK)
    elif (folder / "requirements").exists():
        with open(folder / "requirements/constraints.txt", "a") as file:
            file.write("idna==3.10\n")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "ours")


def assert_plan_and_lock_are_kept(child):
    """The template's new row and one's own are both there; of the lock there is one's own alone."""
    plan = child.text("images.yml")
    assert plan.startswith("# This is the plan:") and plan.endswith(ROW)
    rows = [row["image"] for row in yaml.safe_load(plan)["images"]]
    assert rows == ["xgboost", "pytorch", "pytorch", "tensorflow", "jax"]
    assert child.text("base-images.lock.yml") == LOCK


@pytest.mark.turns(2)
@pytest.mark.parametrize("kind", TYPES)
def test_children_are_sound_after_every_version(kind, catalog, tmp_path):
    print(f"SEED={SEED}")
    rows = pairs.rows(pairs.choices(TYPES[kind]), SEED)
    row = random.Random(SEED).choice(rows) | {"python": None, "variant": None}
    folder = tmp_path / "child"
    words = pairs.words(kind, row)
    tmplgen("new", folder, *words, "--catalog", f"{catalog}@v1.0.0", cwd=tmp_path)
    child = Child(folder, words)
    edit(folder)
    for version, target in (("v2.0.0", "notes"), ("v3.0.0", "advice")):
        tmplgen("update", folder, "--to", version, cwd=tmp_path)
        assert matrix.check([child]) == []
        assert f"\n{target}:" in child.text("Makefile")
        assert "Our own words." in child.text("README.md")
        if kind == "images":
            assert_plan_and_lock_are_kept(child)
        elif kind != "cluster":  # which has no Python of its own to pin
            assert "pytest==9.2.1" in child.text("requirements/dev.txt")
            assert "idna==3.10" in child.text("requirements/constraints.txt")
    assert (folder / "ci/advice.sh").exists()
    assert not (folder / "ci/notes.sh").exists()
    assert (folder / "docs/ours.md").read_text() == "# Ours\n"
    tmplgen("update", folder, "--check", "--to", "v3.0.0", cwd=tmp_path)
