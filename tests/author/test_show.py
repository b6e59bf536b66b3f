"""`template list` and `template show`: what they tell is what `new` does."""

import pytest

from ..common.program import ROOT

LAYERS = """\
description: a test
stack: none
layers:
  - {name: one}
  - {name: two, when: "greeting == 'x'", overrides: ["same.txt"]}
questions:
  - {name: greeting, help: what to say, default: hello, pattern: "[a-z]+"}
  - {name: loud, type: bool, default: false, when: "greeting == 'x'"}
refuse:
  - {when: "greeting == 'no'", because: "it is rude"}
files:
  - {match: seed.txt, policy: seed, when: loud}
migrations:
  - {from: "<1", rename_answers: {hi: greeting}, rename_files: {a: b}, note: look}
next: ["echo {{ greeting }}"]
"""


@pytest.fixture
def layered(catalog):
    catalog.template(LAYERS)
    catalog.layer("one", "description: 1\n", {"same.txt": "1", "{{ name }}/a.txt.j2": "{{ loud }}"})
    catalog.layer("two", "description: 2\n", {"same.txt": "2"})
    catalog.file("seed.txt", "x", executable=True)
    return catalog


def test_list_tells_of_every_type(tmplgen, tmp_path):
    document = tmplgen("template", "list", "--json", cwd=tmp_path).json
    types = {path.parent.name for path in ROOT.glob("templates/*/template.yml")}
    assert {one["type"] for one in document["types"]} == types
    assert document["catalog"]["source"] == "builtin"
    shown = tmplgen("template", "list", "--verbose", cwd=tmp_path).out
    for one in document["types"]:
        assert one["description"] in shown
        assert all(layer["name"] in shown for layer in one["layers"])


def test_show_tells_of_every_path_that_can_be(layered, tmplgen):
    document = tmplgen("template", "show", "thing", "--json", cwd=layered.folder).json
    files = {(one["path"], one["layer"]): one for one in document["files"]}
    assert list(files) == [
        ("hello.txt", None),
        ("same.txt", "one"),
        ("same.txt", "two"),
        ("seed.txt", None),
        ("{{ name }}/a.txt", "one"),
    ]
    two = "templates/_layers/two/files/same.txt"
    assert files["same.txt", "one"]["replaced_by"] == [two]
    assert files["same.txt", "two"]["when"] == ["greeting == 'x'"]
    assert files["same.txt", "two"]["source"] == two
    seed = files["seed.txt", None]
    assert (seed["policy"], seed["when"], seed["executable"]) == ("seed", ["loud"], True)
    assert files["{{ name }}/a.txt", "one"]["rendered"] is True
    question = document["questions"][1]
    assert (question["name"], question["help"], question["default"], question["pattern"]) == (
        "greeting", "what to say", "hello", "[a-z]+",
    )  # fmt: skip
    assert (question["file"], question["line"]) == ("templates/thing/template.yml", 7)
    assert document["migrations"][0]["rename_answers"] == {"hi": "greeting"}
    assert document["next"] == ["echo {{ greeting }}"]


def test_show_is_readable(layered, tmplgen):
    shown = tmplgen("template", "show", "thing", cwd=layered.folder).out
    assert max(map(len, shown.splitlines())) <= 100
    for text in (
        "  greeting  str  templates/thing/template.yml:7\n      what to say\n",
        "  two\n      when greeting == 'x'\n      replaces same.txt\n",
        "  * seed         templates/thing/files/seed.txt\n                    when loud\n",
        "                    replaced by templates/_layers/two/files/same.txt\n",
        "  hi is now greeting\n",
        "  when greeting == 'no'\n      it is rude\n",
    ):
        assert text in shown, shown


def test_each_question_has_the_line_of_its_own_document(catalog, tmplgen):
    catalog.template(
        "description: x\nstack: none\nlayers: [{name: one}]\n"
        "questions:\n  - {name: a}\n  - {layer: one}\n  - {name: greeting}\n"
    )
    head = "description: d\n" + "# " + "-" * 40 + "\n" + "#\n" * 60
    catalog.layer("one", head + "questions:\n  - {name: b}\n  - {name: c}\n", {"x": "x"})
    document = tmplgen("template", "show", "thing", "--json", cwd=catalog.folder).json
    lines = {one["name"]: (one["file"], one["line"]) for one in document["questions"]}
    assert lines == {
        "name": ("templates/thing/template.yml", 1),
        "a": ("templates/thing/template.yml", 5),
        "b": ("templates/_layers/one/layer.yml", 64),
        "c": ("templates/_layers/one/layer.yml", 65),
        "greeting": ("templates/thing/template.yml", 7),
    }


@pytest.mark.parametrize("answers", [["--set", "greeting=x"], ["--defaults"]])
def test_with_answers_the_paths_are_those_of_new(answers, layered, tmplgen, tmp_path):
    words = ["template", "show", "thing", *answers, "--json"]
    document = tmplgen(*words, cwd=layered.folder).json
    made = tmplgen(
        *["new", "example", "--type", "thing", "--catalog", layered.folder, *answers],
        *["--dry-run", "--json"],
        cwd=tmp_path,
    ).json
    expected = {one["path"]: one["source"] for one in made["files"] if one["source"]}
    assert {one["path"]: one["source"] for one in document["files"]} == expected
    assert document["answers"] == made["answers"]


def test_with_a_stack_the_paths_are_those_of_new(tmplgen, tmp_path):
    words = ["--framework", "none", "--set", "ci=gitlab,jenkins"]
    document = tmplgen("template", "show", "service", *words, "--json", cwd=tmp_path).json
    made = tmplgen(
        "new", "x", "--name", "example", "--type", "service", *words, "--dry-run", "--json",
        cwd=tmp_path,
    ).json  # fmt: skip
    expected = {one["path"]: one["source"] for one in made["files"] if one["source"]}
    assert {one["path"]: one["source"] for one in document["files"]} == expected
    policies = {one["path"]: (one["policy"], one["merge"]) for one in made["files"]}
    for one in document["files"]:
        assert (one["policy"], one["merge"]) == policies[one["path"]]


def test_show_needs_a_type_that_is_there(tmplgen, tmp_path):
    assert tmplgen("template", "show", cwd=tmp_path).code == 2
    result = tmplgen("template", "show", "servce", cwd=tmp_path)
    assert result.code == 2
    assert "did you mean 'service'?" in result.err
