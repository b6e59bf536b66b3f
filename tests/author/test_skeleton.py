"""`template new`: a type that works at once, in a catalog or where one is to be."""

import os
import re

import pytest
import yaml

from ..command.world import git
from ..common.program import ROOT


@pytest.fixture
def new(tmplgen, tmp_path):
    place = tmp_path / "cat"
    place.mkdir()

    def run(*args, cwd=place):
        return tmplgen("template", "new", *args, cwd=cwd)

    run.place = place
    return run


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_in_an_empty_folder_it_makes_a_catalog(tmplgen, new):
    done = new("web-tool", "--json").json
    assert done["made"] == ["catalog.yml", "templates/web-tool", "tests/web-tool"]
    assert yaml.safe_load((new.place / "catalog.yml").read_text()) == {
        "name": "cat",
        "version": "0.1.0",
    }
    assert "tests/web-tool/defaults/golden/README.md" in files(new.place)
    tested = tmplgen("template", "test", "--json", cwd=new.place).json
    (kind,) = tested["types"]
    assert tested["exit"] == 0
    assert [one["golden"] for one in kind["named"]] == ["same"]
    assert (kind["unreached"], kind["cases"] > 10) == ([], True)


def test_a_child_of_it_works(tmplgen, new, tmp_path):
    new("web-tool")
    made = tmplgen(
        "new", tmp_path / "child", "--type", "web-tool", "--catalog", new.place, cwd=tmp_path
    )
    assert made.code == 0, made.err
    assert "make check" in made.out
    done = tmplgen("template", "test", "--check", cwd=new.place)
    assert done.code == 0, done.out
    assert "make check: passed" in done.out


def test_it_asks_a_question_of_each_kind_with_a_word_on_each(new):
    new("t")
    text = (new.place / "templates/t/template.yml").read_text()
    questions = yaml.safe_load(text)["questions"]
    assert {one["type"] for one in questions} >= {"str", "int", "float", "bool", "choice", "list"}
    assert all(one["help"] and "default" in one for one in questions)
    lines = text.splitlines()
    for at, line in enumerate(lines):
        if line.startswith("  - name:"):
            assert lines[at - 1].startswith("  #"), line


@pytest.mark.parametrize("kept", [".git", None])
def test_where_the_catalog_is_to_be(tmplgen, new, tmp_path, kept):
    place = tmp_path / "made" / "here"
    if kept:
        place.mkdir(parents=True)
        git(place, "init", "-q")
    assert new("t", "--catalog", place).code == 0
    assert (place / "catalog.yml").exists()
    if kept:
        git(place, "add", "-A")
        git(place, "commit", "-qm", "x")
        assert tmplgen("template", "test", "--json", cwd=place).json["exit"] == 0


def test_a_second_type_leaves_the_first_alone(new):
    new("one")
    before = {name: (new.place / name).read_bytes() for name in files(new.place)}
    assert new("two").code == 0
    assert all((new.place / name).read_bytes() == text for name, text in before.items())


@pytest.mark.parametrize("there", ["templates/t", "tests/t"])
def test_what_is_there_is_not_overwritten(new, there):
    new("other")
    (new.place / there).mkdir(parents=True)
    before = files(new.place)
    done = new("t")
    assert done.code == 3
    assert f"the catalog has '{there}' already" in done.err
    assert files(new.place) == before


def test_a_folder_of_something_else_is_refused(new):
    (new.place / "mine").write_text("mine")
    assert new("t").code == 3
    assert files(new.place) == {"mine"}


@pytest.mark.parametrize("name", ["_layers", "a/b", "..", ".git", "-x", "con", "a\x1bb", ""])
def test_names_that_no_type_has(new, name):
    done = new("--", name)
    assert done.code == 2
    assert files(new.place) == set()


def test_a_stack_needs_matrices(tmplgen, new, tmp_path):
    done = new("t", "--stack", "framework")
    assert done.code == 2
    assert "tmplgen template export" in done.err
    assert files(new.place) == set()
    tmplgen("template", "export", "fork", cwd=tmp_path)
    fork = tmp_path / "fork"
    assert new("t", "--stack", "framework", cwd=fork).code == 0
    readme = (fork / "tests/t/defaults/golden/README.md").read_text()
    assert "Made for " in readme and " on Python 3." in readme
    tested = tmplgen("template", "test", "t", "--json", cwd=fork).json
    assert tested["exit"] == 0
    assert tested["types"][0]["named"][0]["golden"] == "same"


BUILTIN = sorted(p.name for p in (ROOT / "templates").iterdir() if not p.name.startswith("_"))


@pytest.mark.turns(1)
@pytest.mark.full
@pytest.mark.parametrize("name", BUILTIN)
def test_from_a_built_in_type(tmplgen, tmp_path, name):
    """In a copy of the built-in catalog."""
    assert tmplgen("template", "export", "fork", cwd=tmp_path).code == 0
    fork = tmp_path / "fork"
    made = tmplgen("template", "new", f"my-{name}", "--from", name, cwd=fork)
    assert made.code == 0, made.err
    manifest = yaml.safe_load((fork / f"templates/my-{name}/template.yml").read_text())
    assert manifest == {"description": "a project of ours", "extends": name}
    assert files(fork / f"templates/my-{name}") == {"template.yml"}
    tested = tmplgen("template", "test", f"my-{name}", "--json", cwd=fork).json
    assert tested["exit"] == 0
    (kind,) = tested["types"]
    assert [one["golden"] for one in kind["named"]] == ["same"] * (name != "images")
    assert kind["cases"] > 10
    catalog = fork / "catalog.yml"  # a type more is another version, where this one is released
    catalog.write_text(
        re.sub(r"^version: .*", "version: 99.0.0-dev", catalog.read_text(), flags=re.M)
    )
    linted = tmplgen("template", "lint", f"my-{name}", "--strict", cwd=fork)
    assert linted.code == 0, linted.out


def test_what_the_new_type_proposes_can_be_said(tmplgen, new):
    """What is in comments of template.yml, with what it speaks of."""
    new("one")
    assert new("two", "--from", "one").code == 0
    manifest = new.place / "templates/two/template.yml"
    head, _, tail = manifest.read_text().partition("extends: one\n")
    lines = [line.removeprefix("# ") for line in tail.splitlines()[1:]]
    manifest.write_text(f"{head}extends: one\n" + "\n".join(lines) + "\n")
    layer = new.place / "templates/_layers/on-call"
    layer.mkdir(parents=True)
    (layer / "layer.yml").write_text("description: x\n")
    (new.place / "templates/two/files/docs").mkdir(parents=True)
    (new.place / "templates/two/files/README.md.j2").write_text("Of {{ team }}.\n")
    (new.place / "templates/two/files/docs/team.md").write_text("x\n")
    assert tmplgen("template", "test", "--accept", cwd=new.place).code == 0
    golden = new.place / "tests/two/defaults/golden"
    assert (golden / "README.md").read_text() == "Of platform.\n"
    assert (golden / "Makefile").exists() and (golden / "docs/team.md").exists()


def test_from_another_type(tmplgen, new):
    new("one")
    with open(new.place / "templates/one/files/README.md.j2", "a") as file:
        file.write("Ours.\n")
    (new.place / "templates/one/files/run.sh").write_text("#!/bin/sh\n")
    (new.place / "templates/one/files/run.sh").chmod(0o755)
    assert new("two", "--from", "one").code == 0
    golden = new.place / "tests/two/defaults/golden"
    assert (golden / "README.md").read_text().endswith("Ours.\n")
    assert os.access(golden / "run.sh", os.X_OK)
    done = new("three", "--from", "oen")
    assert done.code == 2
    assert "did you mean 'one'?" in done.err
    assert new("three", "--from", "one", "--stack", "none").code == 2


def test_what_does_not_work_does_not_stay(new):
    new("one")
    manifest = new.place / "templates/one/template.yml"
    manifest.write_text(manifest.read_text() + "  # \n")
    (new.place / "templates/one/files/README.md.j2").write_text("{{ nope }}\n")
    before = files(new.place)
    done = new("two", "--from", "one")
    assert done.code == 2
    assert files(new.place) == before
