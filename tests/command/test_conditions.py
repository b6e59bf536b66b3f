"""`when` beside `match`: which files of a template are there."""

import pytest

HEAD = """\
description: d
stack: none
overrides: [both.txt]
layers: [{name: base}, {name: more, overrides: [shared.txt]}]
questions:
  - {name: greeting, default: hello}
  - {name: docs, type: bool, default: false}
  - {name: cuda12, type: bool, default: false}
"""


def refused(done, *words):
    assert done.code == 2, done.err
    for word in words:
        assert word in done.err


@pytest.fixture
def files(new, catalog):
    """The paths that `new` makes of these rows of the type, and of the layer `more`."""
    catalog.layer("base", "description: b\n", {"shared.txt": "base", "both.txt": "base"})

    def run(*said, rows="", more=""):
        catalog.template(HEAD + (f"files:\n{rows}" if rows else ""))
        catalog.layer("more", "description: m\n" + (f"files:\n{more}" if more else ""), {})
        catalog.file("hello.txt.j2", "{{ greeting }} {{ docs }} {{ cuda12 }}\n")
        document = new("child", "--dry-run", "--json", *said).json
        assert document["exit"] == 0, document
        return {entry["path"]: entry["source"] for entry in document["files"]}

    return run


DOCS = ("docs/index.md", "docs/gpu.md")


def test_a_file_whose_condition_is_false_is_not_there(files, catalog):
    for path in DOCS:
        catalog.file(path, "x")
    rows = "  - {match: 'docs/**', when: docs}\n"
    assert not set(DOCS) & set(files(rows=rows))
    assert set(DOCS) <= set(files("--set", "docs=true", rows=rows))


def test_a_file_that_is_not_there_is_not_rendered(files, catalog):
    catalog.file("late.txt.j2", "{% include 'nothing' %}{{ 1 // 0 }}")
    assert "late.txt" not in files(rows="  - {match: late.txt, when: docs}\n")


def test_the_glob_is_matched_against_the_rendered_path(files, catalog):
    catalog.file("{{ greeting }}/a.txt", "x")
    rows = "  - {match: '*/a.txt', when: docs}\n"
    assert not any(path.endswith("a.txt") for path in files(rows=rows))
    assert "bye/a.txt" in files("--set", "docs=true", "--set", "greeting=bye", rows=rows)


ORDERS = [
    "  - {match: 'docs/**', when: docs}\n  - {match: docs/gpu.md, when: cuda12}\n",
    "  - {match: docs/gpu.md, when: cuda12}\n  - {match: 'docs/**', when: docs}\n",
]


@pytest.mark.parametrize("rows", ORDERS)
@pytest.mark.parametrize("docs", [False, True])
@pytest.mark.parametrize("gpu", [False, True])
def test_of_several_rows_each_must_hold(files, catalog, rows, docs, gpu):
    for path in DOCS:
        catalog.file(path, "x")
    made = files("--set", f"docs={docs}".lower(), "--set", f"cuda12={gpu}".lower(), rows=rows)
    assert ("docs/index.md" in made, "docs/gpu.md" in made) == (docs, docs and gpu)


def test_a_row_may_have_a_policy_and_a_condition(new, catalog, files):
    catalog.file("a.txt", "x")
    rows = "  - {match: a.txt, policy: seed, when: docs}\n  - {match: a.txt, merge: lines}\n"
    assert "a.txt" not in files(rows=rows)
    made = new("child", "--dry-run", "--json", "--set", "docs=true").json["files"]
    entry = next(entry for entry in made if entry["path"] == "a.txt")
    assert (entry["policy"], entry["merge"]) == ("seed", "lines")


def test_a_manifest_speaks_of_the_files_of_its_own_folder_alone(files, catalog):
    catalog.layer("more", "description: m\n", {"more.txt": "more"})
    row = "  - {match: '*.txt', when: docs}\n"
    every = {"shared.txt", "more.txt", "hello.txt"}
    assert every <= set(files())
    assert every - set(files(rows=row)) == {"hello.txt"}
    assert every - set(files(more=row)) == {"more.txt"}


def test_a_file_of_a_layer_that_is_not_there_overrides_nothing(files, catalog):
    catalog.layer("more", "description: m\n", {"shared.txt": "more"})
    more = "  - {match: shared.txt, when: docs}\n"
    assert "/base/" in files(more=more)["shared.txt"]
    assert "/more/" in files("--set", "docs=true", more=more)["shared.txt"]


def test_a_file_of_the_type_that_is_not_there_overrides_nothing(files, catalog):
    catalog.file("both.txt", "own")
    rows = "  - {match: both.txt, when: docs}\n"
    assert "/base/" in files(rows=rows)["both.txt"]
    assert "/thing/" in files("--set", "docs=true", rows=rows)["both.txt"]


def test_a_name_that_renders_empty_still_leaves_its_file_out(files, catalog):
    catalog.file("{{ 'docs' if docs }}/a.md", "x")
    rows = "  - {match: 'docs/*', when: cuda12}\n"
    assert "docs/a.md" not in files("--set", "cuda12=true", rows=rows)
    assert "docs/a.md" not in files("--set", "docs=true", rows=rows)
    assert "docs/a.md" in files("--set", "docs=true", "--set", "cuda12=true", rows=rows)


def test_a_question_that_only_a_condition_reads_is_used(new, catalog):
    head = "description: d\nstack: none\nquestions: [{name: q, type: bool, default: true}]\n"
    catalog.template(head).file("hello.txt.j2", "x\n")
    refused(new("child"), "no template reads the answer to 'q'")
    catalog.template(head + "files: [{match: hello.txt, when: q}]\n")
    assert new("of-a-type").code == 0
    catalog.template(head + "layers: [{name: one}]\n")
    catalog.layer("one", "description: 1\nfiles: [{match: a.txt, when: q}]\n", {"a.txt": "a"})
    assert new("of-a-layer").code == 0


BAD = [
    ("{match: a}", ":4:9", "needs 'policy', 'merge' or 'when'"),
    ("{match: a, when: [docs]}", ":4:26", "'when'"),
    ("{match: a, when: {docs: 1}}", ":4:26", "'when'"),
    ("{match: a, when: }", ":4:26", "not nothing"),
    ("{match: a, when: ''}", ":4:26", "expression"),
    ("{match: a, when: docs and}", ":4:26", "expression"),
    ("{match: a, when: '{{ docs }}'}", ":4:26", ""),
    ("{match: a, when: dosc}", ":4:26", "'dosc'"),
    ("{match: a, when: name.x.y}", ":4:26", ""),
    ("{match: a, when: 1 // 0}", ":4:26", "zero"),
    ("{match: a, if: docs}", ":4:20", "'if'"),
    ("{when: docs}", ":4:9", "'match' is missing"),
]


@pytest.mark.parametrize(("row", "place", "words"), BAD)
def test_a_condition_that_is_wrong_is_named_with_its_place(new, catalog, row, place, words):
    questions = "questions: [{name: greeting, default: x}]\n"
    catalog.template(f"description: d\nstack: none\n{questions}files: [{row}]\n")
    refused(new("of-a-type"), f"templates/thing/template.yml{place}", words)
    catalog.template(f"description: d\nstack: none\n{questions}layers: [{{name: one}}]\n")
    catalog.layer("one", f"description: 1\n#\n#\nfiles: [{row}]\n", {"b.txt": "b"})
    refused(new("of-a-layer"), f"templates/_layers/one/layer.yml{place}", words)


# ---------------------------------------------------------------- how many rows there may be

ROW = "  - {match: x, policy: seed}\n"
TOO_MANY = {
    "files": ("files:\n" + ROW * 1001, "1001 rows of 'files' are too many: the limit is 1000"),
    "overrides": ("overrides:\n" + "  - x\n" * 1001, "1001 overrides are too many"),
    "delimiters": (
        "delimiters:\n" + "  - {match: x, delimiters: square}\n" * 1001,
        "1001 rows of 'delimiters' are too many",
    ),
    "layers": ("layers:\n" + "  - {name: l}\n" * 1001, "1001 layers are too many"),
    "of a layer": ("layers:\n  - {name: l}\n  - {name: l}\n", "1002 rows of 'files' in the layers"),
}


@pytest.mark.parametrize("name", TOO_MANY)
def test_rows_have_a_limit_with_its_place(new, catalog, name):
    rows, words = TOO_MANY[name]
    catalog.file("hello.txt.j2", "{{ name }}")
    catalog.layer("l", "description: l\nfiles:\n" + ROW * 501, {})
    catalog.template("description: d\nstack: none\n" + rows)
    refused(new("child", "--dry-run"), words, "template.yml:")


def test_a_thousand_rows_are_taken(new, catalog):
    catalog.file("hello.txt.j2", "{{ name }}")
    catalog.template("description: d\nstack: none\nfiles:\n" + ROW * 1000)
    assert new("child", "--dry-run").code == 0


def test_includes_have_a_limit_all_together(new, catalog):
    catalog.template("description: d\nstack: none\n")
    catalog.file("a.j2", "".join(f"{{% include 'b{number}' %}}" for number in range(17)))
    for number in range(17):
        catalog.write(f"templates/_includes/b{number}", "x" * 1024 * 1024)
    refused(new("child", "--dry-run"), "all templates together include more than 16 MiB")


def test_many_questions_answers_and_choices_take_no_longer_than_few(new, catalog, tmp_path):
    """Each of them against each takes minutes."""
    names, choices = [f"q{i}" for i in range(15_000)], ",".join(f"c{i}" for i in range(8_000))
    questions = "".join(f"  - {{name: {name}, default: a}}\n" for name in names)
    many = f"  - {{name: many, type: list, default: [{choices}], choices: [{choices}]}}\n"
    catalog.template(f"description: d\nstack: none\nquestions:\n{questions}{many}")
    catalog.file("hello.txt.j2", "{{ many|length }}" + "".join(f"{{{{ {n} }}}}" for n in names))
    said = tmp_path / "said.yml"
    said.write_text("".join(f"{name}: b\n" for name in names))
    assert new("child", "--dry-run", "--answers", said, "--defaults", timeout=20).code == 0
