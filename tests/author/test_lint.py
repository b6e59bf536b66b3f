"""`template lint` as a whole: everything in one run, nothing of the built-in catalog, limits."""

import re
import time

import pytest

from ..command.world import git
from ..common.program import ROOT
from ..common.schemas import schemas

WRONG = """\
description: a test
stack: none
layers:
  - name: dcoker
questions:
  - {name: greeting, default: hello, hlep: what}
  - {name: mode, type: choice, choices: [a, b], default: "{{ later }}"}
  - {name: later, default: "{{ 1 + }}"}
  - {name: "2bad"}
  - {name: list, type: list, choices: [a, b], default: [c]}
refuse:
  - {when: "mode == 'a'", because: "{{ md }}"}
files:
  - {match: "a/**", policy: sed}
next: ["make {{ prot }}"]
"""


def found(result):
    document = result.json
    return document["error"]["findings"] if document["exit"] else document["findings"]


def places(findings):
    return [(one["file"].split("/")[-1], one["line"], one["rule"]) for one in findings]


def test_the_built_in_catalog_has_no_findings(tmplgen, tmp_path):
    started = time.process_time()
    result = tmplgen("template", "lint", "--catalog", "builtin", "--json", cwd=tmp_path)
    assert result.code == 0, result.out
    assert found(result) == []
    print(f"{time.process_time() - started:.2f} s")


def test_the_catalog_of_the_repository_has_no_findings(tmplgen):
    """The same from its folder, where suppressions are read, and tags of git may be there."""
    result = tmplgen("template", "lint", "--strict", cwd=ROOT)
    assert result.code == 0, result.out
    assert result.out == "nothing is wrong with the catalog 'tmplgen'\n"


@pytest.mark.parametrize("command", ["lint", "test"])
def test_a_folder_without_a_catalog_is_not_good(tmplgen, catalog, command):
    """Nor where the configuration names one: CI in a wrong folder must not be green."""
    inside = catalog.folder / "templates"
    for _ in range(2):
        done = tmplgen("template", command, "--json", cwd=inside).json
        assert (done["exit"], done["error"]["code"]) == (2, "unknown-catalog")
        assert "--catalog" in done["error"]["hint"] and "builtin" in done["error"]["hint"]
        tmplgen.configure(f"catalog: {catalog.folder}\n")
    assert tmplgen("template", command, "--catalog", "..", cwd=inside).code == 0
    for other in (["list"], ["show", "thing"], ["render", "thing", "--output", "../out"]):
        assert tmplgen("template", *other, cwd=inside).code == 0


def test_one_run_tells_of_everything(catalog, lint):
    catalog.template(WRONG)
    catalog.layer("docker", "description: d\nfiels: []\n", {"a.j2": "{{ 1 + }}"})
    catalog.file("hello.txt.j2", "{{ greeting }}{{ mode }}{{ later }}\n{% fro x in y %}\n")
    catalog.file("b.j2", "{% if greeting %}{% else %}{{ nme }}{% include 'c' %}{% endif %}")
    catalog.file("{{ nobody }}.txt", "x")
    assert places(found(lint("--json"))) == [
        ("layer.yml", 1, "unused-layer"),
        ("layer.yml", 2, "manifest"),
        ("b.j2", 1, "unknown-name"),
        ("b.j2", 1, "missing-include"),
        ("hello.txt.j2", 2, "template"),
        ("{{ nobody }}.txt", 1, "unknown-name"),
        ("template.yml", 4, "manifest"),
        ("template.yml", 6, "manifest"),
        ("template.yml", 7, "unknown-name"),
        ("template.yml", 8, "template"),
        ("template.yml", 9, "manifest"),
        ("template.yml", 10, "manifest"),
        ("template.yml", 12, "unknown-name"),
        ("template.yml", 14, "manifest"),
        ("template.yml", 15, "unknown-name"),
    ]


def test_a_broken_layer_is_one_finding(catalog, lint):
    """Not what follows from it: questions and includes that it alone takes, rows of it."""
    catalog.template(
        "description: x\nstack: none\nlayers: [{name: docker, overrides: [b]}]\n"
        "questions: [{name: greeting, default: x}, {name: mine, default: x}]\n"
    )
    catalog.layer(
        "docker",
        "description: d\nfiles: [{match: a, polisy: seed, when: mine == nope}]\n",
        {"a.j2": "{{ mine }}{% include 'docker/part' %}"},
    )
    catalog.write("templates/_layers/docker/includes/part", "x")
    assert places(found(lint("--json"))) == [
        ("layer.yml", 2, "manifest"),
        ("template.yml", 3, "unused-override"),
    ]


def test_a_type_on_another_is_known_to_layers_as_that_one(catalog, lint):
    """`template` is what a render has: in includes, in branches, and in conditions."""
    catalog.write("templates/thing/includes/part", "{{ greeting }}")
    catalog.template(
        "description: x\nstack: none\nquestions: [{name: greeting, default: hello}]\n"
        "layers: [{name: one}, {name: two, when: template == 'other'}]\n"
    )
    catalog.layer("one", "description: 1\n", {
        "a.j2": "{% include template ~ '/part' %}{% if template != 'thing' %}{{ nope }}{% endif %}"
    })  # fmt: skip
    catalog.layer("two", "description: 2\n", {"a.j2": "two\n"})
    catalog.template("description: y\nextends: thing\n", name="other")
    assert found(lint("--json")) == []


KEPT = "  - {name: greeting, default: x}\n"


@pytest.mark.parametrize(
    "manifest, lines",
    [
        ("descripton: x\nstack: none\nquestions:\n" + KEPT, [1]),
        ("descripton: x\n", [1]),
        ("description: [x]\nstack: none\n", [1]),
        ("stack: none\n", [1]),
        ("description: x\nstack: none\nquestions:\n  - nmae: greeting\n    default: x\n", [4]),
        ("description: x\nstack: none\nquestions:\n  - {nmae: greeting,\n     default: x}\n", [4]),
        ("description: x\nstack: none\nquestions:\n  - default: x\n    nmae: greeting\n", [5]),
        (
            "description: x\nstack: none\nquestions:\n"
            + KEPT
            + "  - nmae: b\n    type: strr\n  - name: c\n    hlep: c\n    type: strr\n"
            + "  - type: str\n",
            [5, 8, 9, 10],
        ),
        ("description: x\nstack: none\nfiles:\n  - mtach: a\n    policy: seed\n", [4]),
        (
            "description: x\nstack: none\nquestions: [{name: greeting,\n  hlep: x}]\nlayres: []\n",
            [4, 5],
        ),
    ],
)
def test_what_only_follows_from_a_mistake_is_not_told(catalog, lint, manifest, lines):
    catalog.template(manifest)
    catalog.file("hello.txt.j2", "hello\n")
    told = [one for one in found(lint("--json")) if one["rule"] == "manifest"]
    assert [one["line"] for one in told] == lines, told


def test_a_layer_without_description_is_told_of_once(catalog, lint):
    catalog.template(
        "description: x\nstack: none\nquestions: [{name: greeting}]\nlayers: [{name: one}]\n"
    )
    catalog.layer("one", "descripton: d\n", {"a.txt": "a"})
    told = [one for one in found(lint("--json")) if one["rule"] == "manifest"]
    assert [one["file"] for one in told] == ["templates/_layers/one/layer.yml"], told


def test_findings_are_sorted_and_look_like_those_of_a_compiler(catalog, lint):
    catalog.file("hello.txt.j2", "{{ greeting }}\n\t{{ greetin }}\n")
    result = lint()
    assert result.code == 2
    assert result.out == (
        "templates/thing/files/hello.txt.j2:2:5: error: there is no 'greetin' (in thing) "
        "[unknown-name]\n"
        "  | \\x09{{ greetin }}\n"
        "  |        ^\n"
        "  hint: did you mean 'greeting'? Else ask for it by a question 'greetin' in "
        "templates/thing/template.yml\n"
    )
    assert result.err == "tmplgen: error: 1 error and 0 warnings in the catalog\n"


def test_several_types_are_one_finding(catalog, lint):
    catalog.write("templates/_includes/part", "{{ nope }}")
    catalog.file("a.j2", "{% include 'part' %}{% include 'part' %}")
    for name in ("other", "third"):
        catalog.template("description: x\nstack: none\n", name=name)
        catalog.write(f"templates/{name}/files/b.j2", "{% include 'part' %}")
    assert [(one["types"], one["line"]) for one in found(lint("--json"))] == [
        (["other", "thing", "third"], 1)
    ]
    assert [one["types"] for one in found(lint("other", "--json"))] == [["other"]]
    assert lint("othr").code == 2
    assert "did you mean 'other'?" in lint("othr").err


def test_what_an_include_is_given_is_known_there(catalog, lint):
    catalog.write("templates/_includes/part", "{{ given }}{{ item }}{{ loop.index }}{{ lost }}")
    catalog.file(
        "a.j2",
        "{% set given = greeting %}{% for item in [1] %}{{ loop.index }}{% include 'part' %}"
        "{% endfor %}",
    )
    assert [one["message"] for one in found(lint("--json"))] == ["there is no 'lost'"]


def test_what_a_template_may_have_set_is_no_alarm(catalog, lint):
    catalog.write("templates/_includes/part", "{{ given.lost }}{{ lost }}")
    catalog.file(
        "a.j2",
        "{% if greeting %}{% set given = 1 %}{% endif %}{{ given }}{% include 'part' %}\n"
        "{{ late }}{% set late = 1 %}{{ late }}{% set lost.part = 1 %}",
    )
    findings = found(lint("--json"))
    assert [(one["file"][-4:], one["line"], one["message"]) for one in findings] == [
        ("part", 1, "there is no 'lost'"),
        ("a.j2", 2, "there is no 'lost'"),
    ]
    assert "included by templates/thing/files/a.j2" in lint().out


def test_without_context_there_is_no_answer(catalog, lint):
    """Nor what is set around it; whatever such a template includes sees as little."""
    catalog.write("templates/_includes/lib", "{% macro m(a) %}{{ a }}{{ greeting }}{% endmacro %}")
    catalog.write("templates/_includes/part", "{% include 'inner' %}{{ loose|default('x') }}")
    catalog.write(
        "templates/_includes/inner", "{% if greeting is defined %}{{ greeting }}{% endif %}{{ s }}"
    )
    catalog.file(
        "a.j2",
        "{% set s = greeting %}{% include 'part' without context %}{% import 'lib' as lib %}"
        "{{ lib.m(s) }}{% include 'inner' %}",
    )
    findings = found(lint("--json"))
    assert [(one["file"][20:], one["message"]) for one in findings] == [
        ("inner", "there is no 's' without context"),
        ("lib", "there is no 'greeting' without context"),
    ]


def test_a_layer_for_one_framework_alone_is_not_held_against_others(tmplgen, tmp_path, catalog):
    catalog.template(
        "description: x\nframeworks: [none]\nlayers:\n"
        '  - {name: "framework-{{ resolution.framework.name }}"}\n'
    )
    catalog.layer("framework-none", "description: x\n", {"a": "x"})
    catalog.layer("framework-jax", "description: x\n", {"b.j2": "{{ nope }}"})
    catalog.write("templates/thing/files/hello.txt.j2", "{{ name }}")
    findings = found(tmplgen("template", "lint", "thing", "--json", cwd=catalog.folder))
    assert [one for one in findings if one["rule"] == "unknown-name"] == []


def test_many_findings_are_counted(catalog, lint):
    catalog.file("a.j2", "".join(f"{{{{ nope{i} }}}}\n" for i in range(1000)))
    result = lint()
    assert result.out.count("[unknown-name]") == 100
    assert result.out.endswith("and 900 more\n")
    document = lint("--json").json["error"]
    assert (len(document["findings"]), document["more"], document["errors"]) == (100, 900, 1000)


def test_many_questions_end_soon(catalog, lint):
    questions = "".join(f"  - {{name: q{i}, default: x}}\n" for i in range(20000))
    catalog.template(f"description: x\nstack: none\nquestions:\n{questions}")
    result = lint(timeout=60)
    assert result.code == 2
    assert result.out.endswith(" more\n")


def test_nothing_of_a_catalog_reaches_the_terminal_raw(catalog, lint):
    catalog.file("a\n::error::x\x1b[31m.j2", "{{ nope }}{# \x1b[31m\u202e #}")
    result = lint()
    assert "\x1b" not in result.out
    assert "\u202e" not in result.out
    assert not re.search("(?m)^::", result.out)


def test_a_folder_is_taken_as_it_lies_there(catalog, lint, tmplgen, tmp_path):
    """Neither the newest tag nor HEAD: what somebody is just writing."""
    git(catalog.folder, "init", "-q", "-b", "main")
    git(catalog.folder, "add", ".")
    git(catalog.folder, "commit", "-qm", "one")
    git(catalog.folder, "tag", "v1.0.0")
    catalog.write("catalog.yml", "name: test\nversion: 1.0.1-dev\n")
    catalog.file("a.j2", "{{ nope }}")
    git(catalog.folder, "add", ".")
    git(catalog.folder, "commit", "-qm", "two")
    assert lint().code == 2
    assert "warning:" not in lint().err
    away = tmplgen("template", "lint", "--catalog", f"{catalog.folder}@v1.0.0", cwd=tmp_path)
    assert away.code == 0, away.out


def test_a_file_under_another_name_is_told_of_with_the_migration_it_needs(catalog, lint):
    """What stayed as it was, too; but not a name that changes by case alone, nor an empty file."""
    files = catalog.folder / "templates/thing/files"
    catalog.file("Makefile.j2", "all: {{ greeting }}\n").file("Notes.md", "one\n" * 20)
    catalog.file("a/empty", "").file("long.txt", "".join(f"line {i}\n" for i in range(20)))
    git(catalog.folder, "init", "-q", "-b", "main")
    git(catalog.folder, "add", ".")
    git(catalog.folder, "commit", "-qm", "one")
    git(catalog.folder, "tag", "v1.0.0")
    catalog.write("catalog.yml", "name: test\nversion: 1.1.0\n")
    for old, new in (
        ("Makefile.j2", "GNUmakefile.j2"),
        ("Notes.md", "NOTES.md"),
        ("a/empty", "b"),
        ("long.txt", "moved.txt"),
    ):
        (files / old).rename(files / new)
    catalog.file("alike.txt", "".join(f"line {i}\n" for i in range(19)))  # stands before its copy
    hints = [one["hint"] for one in found(lint("--json")) if one["rule"] == "missing-migration"]
    needs = ['{"Makefile": "GNUmakefile"}', '{"long.txt": "moved.txt"}']
    start = 'add to migrations: - {from: "<=1.0.0", rename_files: '
    assert hints == [start + need + "}" for need in needs]


def test_the_attributes_of_a_resolution_are_those_of_the_manual(catalog, lint):
    """Each that docs/json.md has is known, and one more at each level is not."""

    def paths(schema, owner):
        yield owner
        for name, inner in schema.get("properties", {}).items():
            yield from paths(inner, f"{owner}.{name}")

    known = list(paths(schemas()["resolution"], "resolution"))
    inner = {path.rpartition(".")[0] for path in known[1:]}
    catalog.template("description: x\nquestions: [{name: a, type: bool, default: false}]\n")
    catalog.write("matrices/frameworks/none.yml", "{}\n")
    lines = [f"{{{{ {path} if a }}}}\n" for path in known]
    lines += [f"{{{{ {path}.nothing_such if a }}}}\n" for path in inner]
    catalog.file("hello.txt.j2", "".join(lines))
    told = [one for one in found(lint("thing", "--json")) if one["rule"] == "unknown-attribute"]
    assert {one["message"] for one in told} == {
        f"there is no '{path}.nothing_such'" for path in inner
    }


def test_the_manual_shows_what_is_said(catalog, lint):
    """The example of docs/authors.md."""
    catalog.template("description: x\nstack: none\nquestions: [{name: owner, default: x}]\n")
    catalog.file("hello.txt.j2", "{{ owner }}{% if owner == 'a' %}{{ onwer }}{% endif %}")
    manual = (ROOT / "docs" / "authors.md").read_text()
    for line in lint().out.splitlines():
        if "hint: " in line:
            assert line.replace("/thing/", "/batch/") in manual


def test_the_commands_of_the_manual_work(tmplgen):
    manual = (ROOT / "docs" / "authors.md").read_text()
    commands = re.findall(r"(?m)^    tmplgen (.*?)(?: +#.*)?$", manual)
    assert len(commands) == 6
    for command in commands:
        result = tmplgen(*command.split(), cwd=ROOT)
        assert result.code == 0, (command, result.out, result.err)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("{{ greeting|truncate(1, 2, 3, 4, 5) }}", "'truncate' takes fewer arguments"),
        ("{{ greeting|upper(1) }}", "'upper' takes fewer arguments"),
        ("{{ greeting|default(x=1) }}", "'default' has no parameter 'x'"),
        ("{{ [1]|map('uper')|list }}", "unknown filter 'uper'"),
        ("{{ [1]|select('od')|list }}", "unknown test 'od'"),
        ("{{ [1]|selectattr('a', 'eqq', 1)|list }}", "unknown test 'eqq'"),
        (
            "{% from 'm' import b, nope as z %}{{ b(1) }}{{ z }}",
            "there is no 'nope' in the template 'm'",
        ),
        ("{% from 'm' import b, v %}{{ b(v) }}{{ [1]|map('upper')|select('gt', 1)|list }}", None),
        ("{{ [{}]|map(attribute='a', default=1)|selectattr('a', 'defined')|list }}", None),
    ],
)
def test_what_no_answer_makes_right_is_found_in_every_branch(catalog, lint, call, said):
    catalog.template(f"description: x\nstack: none\nquestions:\n{KEPT}")
    catalog.write("templates/_includes/m", "{% macro b(x) %}{{ x }}{% endmacro %}{% set v = 1 %}")
    catalog.file("a.j2", f"{{{{ greeting }}}}{{% if greeting == 'no' %}}{call}{{% endif %}}\n")
    told = [one["message"] for one in found(lint("--json"))]
    unused = "nothing includes 'm'"
    assert [text for text in told if unused not in text and "include" not in text] == (
        [said] if said else []
    )
