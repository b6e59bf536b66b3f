"""Questions and answers: precedence, types, refusals with a reason, prompts on a terminal."""

import os
import resource
import subprocess

import pytest

from ..common.program import BINARY, INSTRUMENTED
from ..common.terminal import converse, interrupt

ALL_TYPES = """\
description: all types
stack: none
questions:
  - {name: text, type: str, default: "12.10"}
  - {name: count, type: int, default: 3}
  - {name: share, type: float, default: 0.5}
  - {name: flag, type: bool, default: true}
  - {name: colour, type: choice, choices: [red, green, blue], default: red}
  - {name: tools, type: list, choices: [github, gitlab], default: [github]}
  - {name: copy, type: str, default: "{{ text }}-{{ name }}"}
  - {name: hidden, type: str, default: h, when: "flag and count > 5"}
"""
SHOW = (
    "{{ text }}|{{ count }}|{{ share }}|{{ flag }}|{{ colour }}|{{ tools | join(',') }}"
    "|{{ copy }}|{{ hidden }}\n"
)


@pytest.fixture
def typed(catalog):
    catalog.template(ALL_TYPES)
    (catalog.folder / "templates/thing/files/hello.txt.j2").unlink()
    catalog.file("all.txt.j2", SHOW)
    return catalog


def content(work):
    return (work / "child" / "all.txt").read_text()


def test_defaults_need_nobody(new, work, typed):
    assert new("child").code == 0
    assert content(work) == "12.10|3|0.5|True|red|github|12.10-child|h\n"


def test_hidden_question_leaves_the_record(new, work, typed):
    answers = new("child", "--json").json["answers"]
    assert list(answers) == ["name", "text", "count", "share", "flag", "colour", "tools", "copy"]


@pytest.mark.parametrize("how", ["--set", "--answers"])
def test_an_answer_is_no_template(new, work, catalog, tmp_path, how):
    catalog.template(
        "description: d\nstack: none\nquestions:\n"
        "  - {name: text, default: x}\n  - {name: words, type: list, default: ['{{ name }}']}\n"
    )
    catalog.file("hello.txt.j2", "{{ text }} {{ words | join(' ') }}\n")
    answers = tmp_path / "answers.yml"
    answers.write_text("text: '{{ 7*7 }}'\nwords: ['{{ 7*7 }}', '{% x %}']\n")
    said = {
        "--set": ("--set", "text={{ 7*7 }}", "--set", "words={{ 7*7 }},{% x %}"),
        "--answers": ("--answers", answers),
    }
    done = new("child", *said[how])
    assert done.code == 0, done.err
    assert (work / "child/hello.txt").read_text() == "{{ 7*7 }} {{ 7*7 }} {% x %}\n"
    assert new("other").code == 0
    assert (work / "other/hello.txt").read_text() == "x other\n"


@pytest.mark.skipif(INSTRUMENTED, reason="more memory")
def test_many_answers_of_many_choices_take_little_memory(tmplgen, work, catalog):
    """No more for each answer than the answer: 10,000 of 10,000 took 800 MB."""
    words = ", ".join(f"w{i}" for i in range(10_000))
    catalog.template(
        "description: d\nstack: none\nquestions:\n"
        f"  - {{name: words, type: list, choices: [{words}], default: [{words}]}}\n"
    )
    catalog.file("hello.txt.j2", "{{ words | length }}\n")
    done = subprocess.run(
        [BINARY, "new", "child", "--type", "thing", "--catalog", catalog.folder],
        cwd=work,
        env=tmplgen.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (300 << 20, 300 << 20)),
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (work / "child/hello.txt").read_text() == "10000\n"


def test_types_come_from_the_schema_never_from_looks(new, work, typed, tmp_path):
    answers = tmp_path / "answers.yml"
    answers.write_text("text: no\ncount: 7\nshare: 1\nflag: no\ntools: []\n")
    done = new("child", "--answers", answers, "--json")
    assert done.code == 0, done.err
    assert done.json["answers"]["text"] == "no"
    assert done.json["answers"]["flag"] is False
    assert content(work) == "no|7|1.0|False|red||no-child|h\n"


def test_answer_that_looks_like_a_number_stays_text_in_the_record(new, work, typed):
    assert new("child", "--set", "text=1.10").code == 0
    assert 'text: "1.10"' in (work / "child/.tmplgen.yml").read_text()


def test_flag_wins_over_set_over_file_over_configuration(new, tmplgen, work, catalog, tmp_path):
    catalog.template(
        "description: d\nstack: none\nquestions:\n"
        "  - {name: registry, type: str, default: ''}\n"
        "  - {name: a, type: str, default: template}\n"
        "  - {name: b, type: str, default: template}\n"
        "  - {name: c, type: str, default: template}\n"
    )
    catalog.file("hello.txt.j2", "{{ registry }} {{ a }} {{ b }} {{ c }}\n")
    tmplgen.configure("registry: config\nanswers: {a: config, b: config, registry: other}\n")
    answers = tmp_path / "answers.yml"
    answers.write_text("a: file\nregistry: file\n")
    text = work / "child" / "hello.txt"

    def read(*args):
        done = new("child", *args)
        assert done.code == 0, done.err
        out = text.read_text().strip()
        subprocess.run(["rm", "-rf", str(work / "child")], check=True)
        return out

    assert read() == "config config config template"
    assert read("--answers", answers) == "file file config template"
    assert read("--answers", answers, "--set", "registry=set") == "set file config template"
    assert (
        read("--answers", answers, "--set", "registry=set", "--registry", "flag")
        == "flag file config template"
    )


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("count=three", "integer"),
        ("count=9223372036854775808", "integer"),
        ("share=a lot", "number"),
        ("share=inf", "number"),
        ("flag=maybe", "yes or no"),
        ("colour=gren", "did you mean 'green'"),
        ("tools=github,svn", "choices"),
        ("tools=github,github", "twice"),
        ("text=" + "x" * 300_000, "256 KiB"),
    ],
)
def test_invalid_answer_is_refused_with_the_reason(new, work, typed, tmp_path, setting, words):
    if len(setting) > 100_000:
        answers = tmp_path / "answers.yml"
        answers.write_text(setting.replace("=", ": ", 1) + "\n")
        done = new("child", "--answers", answers)
    else:
        done = new("child", "--set", setting)
    assert done.code == 2
    assert words in done.err
    assert os.listdir(work) == []


def test_unknown_question_names_the_nearest(new, work, typed):
    done = new("child", "--set", "colur=red", "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "unknown-question"
    assert "colour" in done.json["error"]["hint"]


def test_answer_to_a_hidden_question_is_refused_with_the_condition(new, typed):
    done = new("child", "--set", "hidden=x")
    assert done.code == 2
    assert "flag and count > 5" in done.err


def test_bad_answers_file_names_line_and_column(new, typed, tmp_path):
    answers = tmp_path / "answers.yml"
    answers.write_text("text: fine\ncount: many\n")
    done = new("child", "--answers", answers, "--json")
    assert done.code == 2
    assert done.json["error"]["where"] == {"file": str(answers), "line": 2, "column": 8}


def test_missing_answers_file_is_wrong_usage(new, typed):
    done = new("child", "--answers", "nowhere.yml")
    assert done.code == 2
    assert "nowhere.yml" in done.err


def test_question_without_default_is_named(new, work, catalog):
    catalog.template(
        "description: d\nstack: none\nquestions: [{name: owner, type: str, help: who owns it}]\n"
    )
    catalog.file("hello.txt.j2", "{{ owner }}\n")
    done = new("child", "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "missing-answer"
    assert "owner" in done.json["error"]["message"]
    assert "--set owner=" in done.json["error"]["hint"]
    assert os.listdir(work) == []


def test_multi_line_answer_is_text_like_any_other(new, work, typed, tmp_path):
    answers = tmp_path / "answers.yml"
    answers.write_text('text: "one\\ntwo\\u00e9\\n"\n')
    assert new("child", "--answers", answers).code == 0
    assert content(work).startswith("one\ntwoé\n|3")


def test_pattern_must_match_the_whole_answer(new, catalog):
    catalog.template(
        "description: d\nstack: none\nquestions:\n"
        "  - {name: greeting, type: str, pattern: '[a-z]+', default: a}\n"
    )
    assert new("one", "--set", "greeting=abc").code == 0
    done = new("two", "--set", "greeting=abc1")
    assert done.code == 2
    assert "[a-z]+" in done.err


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".git", "-x", "x" * 200, "a b"])
def test_names_that_are_no_names_are_refused(new, work, name):
    done = new("child", "--set", f"name={name}")
    assert done.code == 2
    assert os.listdir(work) == []


# ---------------------------------------------------------------- on a terminal


def test_terminal_asks_for_what_is_missing_and_asks_again_with_the_reason(
    tmplgen, work, typed, catalog
):
    code, out, shown = converse(
        [BINARY, "new", "--catalog", catalog.folder],
        work,
        {**tmplgen.env, "TERM": "dumb"},
        [
            ("type", "\n"),
            ("name", "talk\n"),
            ("more? [n]", "yes\n"),
            ("text", "\n"),
            ("count", "many\n"),
            ("must be an integer", "4\n"),
            ("share", "\n"),
            ("flag", "no\n"),
            ("colour", "2\n"),
            ("tools", "1, 2\n"),
            ("copy", "\n"),
            ("write it? [y]", "\n"),
        ],
    )
    assert code == 0, shown
    assert (work / "talk/all.txt").read_text() == (
        "12.10|4|0.5|False|green|github,gitlab|12.10-talk|h\n"
    )
    assert "1) red" in shown and "2) green" in shown and "[red]" in shown
    assert "hidden" not in shown
    assert "Created" in out


def test_terminal_with_defaults_asks_nothing(tmplgen, work, typed, catalog):
    code, _, shown = converse(
        [
            BINARY,
            *("new", "child", "--type", "thing", "--catalog", catalog.folder, "--defaults"),
        ],
        work,
        {**tmplgen.env, "TERM": "dumb"},
        [],
    )
    assert code == 0
    assert " > " not in shown


def test_interrupt_at_a_question_leaves_nothing_and_is_130(tmplgen, work, typed, catalog):
    command = [
        BINARY,
        *("new", "child", "--type", "thing", "--catalog", catalog.folder),
    ]
    assert interrupt(command, work, {**tmplgen.env, "TERM": "dumb"}) == 130
    assert os.listdir(work) == []


def test_all_answers_together_fit_into_a_record(catalog, work, tmplgen):
    names = [f"q{i}" for i in range(5)]
    questions = "".join(f"  - {{name: {n}, type: str, default: ''}}\n" for n in names)
    catalog.template(f"description: long\nstack: none\nquestions:\n{questions}")
    catalog.file("hello.txt.j2", "".join(f"{{{{ {n} }}}}" for n in names))
    (work / "answers.yml").write_text("".join(f"{n}: {'x' * 250_000}\n" for n in names[:4]))
    few = [
        "new",
        "--type",
        "thing",
        "--catalog",
        catalog.folder,
        "--dry-run",
        "--answers",
        "answers.yml",
    ]
    assert tmplgen(*few, cwd=work).code == 0
    done = tmplgen(*few, "--set", "q4=" + "x" * 100_000, cwd=work)
    assert done.code == 2
    assert "with the answer to 'q4' all answers are longer than 1024 KiB, the limit" in done.err
