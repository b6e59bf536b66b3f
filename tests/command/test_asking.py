"""A person at a terminal: told early what is wrong, asked again; nothing typed is lost."""

import json
import os
import re
import shlex
import subprocess

import pytest

from ..common.program import BINARY, ROOT, typed_as_tmplgen
from ..common.shells import SHELLS
from ..common.terminal import converse

END = "\x04"  # Ctrl-D


@pytest.fixture
def talk(tmplgen, work, catalog):
    """A conversation with `new`; its exit code and what was shown, line ends as files have them."""

    def run(*args, replies, columns=80, of_catalog=True):
        command = ["new", *args]
        if of_catalog:
            command += ["--type", "thing", "--catalog", catalog.folder]
        size = ["sh", "-c", f'stty columns {columns} <&2; exec "$@"', "sh"]
        env = {**tmplgen.env, "TERM": "dumb"}
        words = [*size, BINARY, *command]
        code, out, shown = converse(words, work, env, [*replies, ("write it?", "\n")])
        return code, out, shown.replace("\r\n", "\n")

    return run


@pytest.fixture
def asks(catalog):
    def make(*questions, more="", shows=None):
        names = [q.split("name: ")[1].split(",")[0].rstrip("}") for q in questions]
        catalog.template(
            "description: d\nstack: none\nquestions:\n"
            + "".join(f"  - {q}\n" for q in questions)
            + more
        )
        catalog.file("hello.txt.j2", shows or "|".join(f"{{{{ {name} }}}}" for name in names))
        return catalog

    return make


def repeated(shown):
    """The command that is printed for whoever wants to go on."""
    found = re.search(r"^To go on with what was answered[^$]*?:\n  (tmplgen .*)$", shown, re.M)
    assert found, shown
    return found[1]


# ---------------------------------------------------------------- told early, asked again


def test_answers_that_do_not_go_together_are_told_at_once(talk, work, asks):
    asks(
        "{name: owner, default: us}",
        "{name: package, default: '{{ name }}'}",
        "{name: last, default: x}",
        more="refuse:\n  - when: \"package in ['torch', owner]\"\n"
        "    because: \"'{{ package }}' is taken\"\n",
    )
    code, _, shown = talk(
        "it",
        replies=[
            ("name", "\n"),
            ("owner", "ours\n"),
            ("package", "torch\n"),
            ("'torch' is taken", "ours\n"),
            ("'ours' is taken", "\n"),
            ("last", "\n"),
        ],
    )
    assert code == 0, shown
    assert (work / "it/hello.txt").read_text() == "ours|it|x"


def test_a_refusal_of_what_was_given_comes_before_the_questions_behind_it(talk, asks):
    asks(
        "{name: owner, default: us}",
        "{name: last, default: x}",
        more='refuse:\n  - {when: "owner == name", because: "no"}\n',
    )
    code, _, shown = talk("it", "--set", "owner=it", replies=[("name", "\n")])
    assert code == 2 and "error: no" in shown and "last" not in shown


def test_a_refusal_that_no_answer_changes_comes_before_all_questions(talk, asks):
    asks(
        "{name: q, default: x}",
        more="refuse:\n  - {when: \"template == 'thing'\", because: never}\n",
    )
    code, _, shown = talk("it", replies=[])
    assert code == 2 and "error: never" in shown and " > " not in shown


def test_whoever_answers_a_layers_question_is_asked_again(talk, work, catalog):
    catalog.file("hello.txt.j2", "{{ name }}")
    catalog.layer(
        "ways",
        "description: d\nquestions:\n  - {name: way, default: fast}\nrefuse:\n"
        "  - {when: \"way == 'slow'\", because: \"'{{ way }}' is no way\"}\n"
        "  - {when: \"way == 'far'\", because: \"no row has '{{ way }}'\", exit: 4}\n",
        {"way.txt.j2": "{{ way }}"},
    )
    catalog.template(
        "description: d\nstack: none\nlayers:\n  - {name: ways, when: travel}\n"
        "questions:\n  - {name: travel, type: bool, default: true}\n"
    )
    replies = [
        ("name", "\n"),
        ("travel", "\n"),
        ("way", "slow\n"),
        ("'slow' is no way", "far\n"),
        ("no row has 'far'", "\n"),
    ]
    code, _, shown = talk("it", replies=replies)
    assert code == 0, shown
    assert (work / "it/way.txt").read_text() == "fast"


def test_a_number_out_of_bounds_is_asked_again(talk, work, asks):
    asks("{name: q, type: int, min: 1, max: 9, default: 5}")
    replies = [("name", "\n"), ("[5]", "10\n"), ("it must be 9 or less", "7\n")]
    code, _, shown = talk("it", replies=replies)
    assert code == 0, shown
    assert (work / "it/hello.txt").read_text() == "7"


# ---------------------------------------------------------------- what is shown


def test_yes_or_no_is_said_in_full_or_by_a_letter(talk, work, asks, new):
    asks("{name: a, type: bool}", "{name: b, type: bool, default: true}")
    replies = [("name", "\n"), ("(yes or no)", "maybe\n")]
    replies += [("it must be yes or no", "Y\n"), ("[yes]", "n\n")]
    code, _, shown = talk("it", replies=replies)
    assert code == 0 and shown.count("(yes or no)") == 2, shown
    assert (work / "it/hello.txt").read_text() == "True|False"
    assert new("other", "--set", "a=n", "--set", "b=y").code == 0
    assert (work / "other/hello.txt").read_text() == "False|True"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("type: int, min: 1, max: 9", "  (1 to 9)\n  > "),
        ("type: int, min: 1", "  (1 or more)\n  > "),
        ("type: float, max: 0.5", "  (0.5 or less)\n  > "),
        ("type: list, items: int, max: 9", "none for none)\n  (each 9 or less)\n  > "),
    ],
)
def test_the_bounds_of_a_number_are_shown(talk, asks, question, said):
    asks(f"{{name: q, {question}}}")
    _, _, shown = talk("it", replies=[("name", "\n"), ("q", END)])
    assert said in shown


def test_choices_have_labels_and_the_default_is_marked(talk, asks):
    asks(
        "{name: q, type: choice, default: bb, choices: [{value: a, label: the first}, bb]}",
        "{name: l, type: list, default: [x, z], choices: [x, y, {value: z, label: last}]}",
    )
    code, _, shown = talk("it", replies=[("name", "\n"), ("[bb]", "\n"), ("[x, z]", "\n")])
    assert code == 0
    assert "\n  1) a   the first\n  2) bb  (default)\n  [bb] > " in shown
    assert "\n  1) x  (default)\n  2) y\n  3) z  last (default)\n" in shown


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_long_help_breaks_between_words_where_the_terminal_ends(talk, asks, columns):
    words = " ".join(f"wörd{i}" for i in range(60))
    choices = f"[{{value: a, label: {words}}}, b]"
    asks(f"{{name: q, type: choice, help: {words}, choices: {choices}, default: b}}")
    code, _, shown = talk("it", replies=[("name", "\n"), ("[b]", "\n")], columns=columns)
    assert code == 0
    lines = shown[shown.index("\nq - ") : shown.index("\n  [b] > ")].splitlines()
    assert max(map(len, lines)) < columns and len(lines) > 120 * 7 / columns
    assert re.sub(r"\s+", " ", shown).count(words) == 2
    assert not [line for line in lines if line.endswith(" ") and ">" not in line]


def test_types_and_frameworks_say_what_they_are(talk):
    replies = [("  > ", "servise\n"), ("none of the choices", END)]
    _, _, shown = talk(replies=replies, of_catalog=False)
    text = re.sub(r"\s+", " ", shown)
    for path in ROOT.glob("templates/*/template.yml"):
        description = re.search("^description: (.*)$", path.read_text(), re.M)[1]
        assert f") {path.parent.name} {description}" in text
    assert "did you mean 'service'?" in text
    _, _, shown = talk("--type", "library", replies=[("framework", END)], of_catalog=False)
    assert ") jax      JAX\n" in shown and ") none     No framework (NumPy)\n" in shown


def test_a_framework_is_typed_with_a_spec_as_its_option_takes_it(talk, work):
    typed = ["pytoch>=2.6\n", "pytorch>=2.x\n", "pytorch>=2.6\n"]
    waits = ["framework", "none of the choices", "is no version or SPEC"]
    replies = [
        *zip(waits, typed, strict=True),
        ("gpu - ", "\n"),
        ("driver - ", "\n"),
        ("name", END),
    ]
    _, _, shown = talk("it", "--type", "library", replies=replies, of_catalog=False)
    assert "'framework' cannot be 'pytoch': it is none of the choices; did you mean" in shown
    assert "pytorch>=2.6" in repeated(shown) and os.listdir(work) == []


def test_arrow_keys_are_no_text_where_there_is_no_menu(talk, work, asks):
    asks("{name: q, default: x}", "{name: r, type: choice, choices: [a, b], default: a}")
    typed = [("name", "\n"), ("[x]", "\x1b[Aa\x1bOCb\x1b[1;5D\n"), ("[a]", "\x1b[Bb\n")]
    code, _, shown = talk("it", replies=typed)
    assert code == 0, shown
    assert (work / "it/hello.txt").read_text() == "ab|b"


def test_a_framework_that_no_stack_has_is_refused_and_asked_for_again(talk, work):
    replies = [("framework", "pytorch==9.9\n"), ("9.9", "jax\n"), ("gpu - ", "T4\n")]
    replies += [("driver - ", END)]
    _, _, shown = talk("it", "--type", "library", replies=replies, of_catalog=False)
    assert "rules out pytorch" in shown and "no pytorch stack meets" in shown
    assert repeated(shown) == "tmplgen new it --type library --framework jax --gpu T4"
    assert os.listdir(work) == []


# ---------------------------------------------------------------- few questions, and more

MANY = [f"{{name: q{i}, default: d{i}}}" for i in range(5)]


def test_the_rest_of_many_questions_waits_behind_more(talk, work, asks):
    asks(*MANY, "{name: ci, default: x}", "{name: must}")
    code, _, shown = talk(
        "a", replies=[("name", "\n"), ("ci", "c\n"), ("must", "m\n"), ("more?", "\n")]
    )
    assert code == 0, shown
    assert "5 more questions have their defaults: q0, q1, q2, q3, q4\n" in shown
    assert (work / "a/hello.txt").read_text() == "d0|d1|d2|d3|d4|c|m"
    replies = [("name", "n\n"), ("ci", "c\n"), ("must", "m\n"), ("more?", "what\n"), ("[n]", "y\n")]
    replies += [("[d0]", "\n"), ("[d1]", "t\n"), ("[d2]", "\n"), ("[d3]", "\n"), ("[d4]", "\n")]
    code, _, shown = talk("b", replies=replies)
    assert code == 0 and shown.count("\nci\n") == 1, shown
    assert (work / "b/hello.txt").read_text() == "d0|t|d2|d3|d4|c|m"
    assert "  name     n\n" in shown and "  q1       t\n" in shown and "  q2" not in shown


def test_an_answer_that_a_later_one_excludes_is_asked_again(talk, work, asks):
    refuse = "refuse:\n  - {when: \"q0 == 'a' and ci == 'b'\", because: not both}\n"
    asks(*MANY, "{name: ci, default: x}", more=refuse)
    replies = [("name", "\n"), ("ci", "b\n"), ("more?", "y\n"), ("[d0]", "a\n")]
    replies += [(f"[d{i}]", "\n") for i in range(1, 5)]
    code, _, shown = talk("it", replies=[*replies, ("[x]", "\n")])
    assert code == 0, shown
    assert (work / "it/hello.txt").read_text() == "a|d1|d2|d3|d4|x"


def test_a_default_that_is_refused_is_asked_for_with_another(talk, work, asks):
    refuse = "refuse:\n  - {when: \"q1 in ['Bad', 'bad']\", because: \"'{{ q1 }}' is taken\"}\n"
    asks(*MANY[:1], "{name: q1, default: Bad, pattern: '[A-Z]?[a-z_]+'}", *MANY[2:], more=refuse)
    replies = [("name", "\n"), ("[bad_app]", "\n"), ("more?", "\n")]
    code, _, shown = talk("it", replies=replies)
    assert code == 0 and "is taken" not in shown, shown
    assert (work / "it/hello.txt").read_text() == "d0|bad_app|d2|d3|d4"
    assert "\n  q1       bad_app\n" in shown
    replies = [*replies[:2], ("more?", "y\n"), *((f"[d{i}]", "\n") for i in (0, 2, 3, 4))]
    code, _, shown = talk("more", replies=replies)
    assert code == 0 and shown.count("\nq1\n") == 1, shown
    assert (work / "more/hello.txt").read_text() == "d0|bad_app|d2|d3|d4"


def test_a_secret_is_none_of_the_few_questions(talk, asks):
    asks("{name: registry, secret: true, default: n}", *MANY, more='next: ["log {{ registry }}"]\n')
    more = [(f"[d{i}]", "\n") for i in range(5)]
    replies = [("name", "\n"), ("more?", "y\n"), ("registry", "hush\n"), *more]
    code, _, shown = talk("it", replies=replies)
    assert code == 0 and shown.count("\nregistry\n") == 1 and "hush" not in shown, shown


def test_what_is_not_wanted_is_not_written(talk, work, asks):
    asks("{name: q, default: x}")
    replies = [("name", "\n"), ("[x]", "y\n"), ("write it? [y]", "no\n")]
    code, _, shown = talk("it", replies=replies)
    assert code == 2 and "nothing was written" in shown and os.listdir(work) == []
    code, out, _ = talk("it", "--json", replies=replies)
    assert code == 2 and json.loads(out)["error"]["code"] == "declined"
    assert repeated(shown).endswith("--set q=y")


def test_what_was_given_in_full_is_written_unasked(talk, work, asks):
    asks("{name: q, default: x}")
    code, _, shown = talk("it", "--name", "n", "--set", "q=y", replies=[])
    assert code == 0 and " > " not in shown, shown


# ---------------------------------------------------------------- nothing typed is lost


@pytest.mark.parametrize("shell", SHELLS, ids=" ".join)
def test_what_was_typed_is_a_command_when_it_ends(talk, asks, work, tmplgen, shell):
    typed = 'it\'s $(touch PWNED) `x` "é" -- {{ name }}'
    asks(
        "{name: a, default: x}", "{name: l, type: list, choices: [p, q], default: []}", "{name: z}"
    )
    code, _, shown = talk(
        "a b",
        "--set=z=it's",
        replies=[("name", "my-name\n"), ("[x]", typed + "\n"), ("[none]", END)],
    )
    assert code == 2
    command = repeated(shown)
    assert "--name my-name" in command and os.listdir(work) == []
    done = subprocess.run(
        [*shell, "-c", command],
        cwd=work,
        env={**tmplgen.env, "PATH": f"{typed_as_tmplgen(work / 'bin')}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0
    assert (work / "a b/hello.txt").read_text() == f"{typed}|[]|it's"
    assert "name: my-name\n" in (work / "a b/.tmplgen.yml").read_text()
    assert not (work / "PWNED").exists()


def test_an_error_that_comes_later_gives_back_what_was_typed(talk, asks, catalog):
    asks("{name: q, default: x}", shows="{{ q.y.z }}")
    code, _, shown = talk("it", replies=[("name", "\n"), ("[x]", "typed\n")])
    assert code == 2 and "a text has no 'y'" in shown
    assert shlex.split(repeated(shown))[-2:] == ["--set", "q=typed"]


def test_an_answer_that_was_not_taken_is_not_repeated(talk, asks):
    asks("{name: q, type: int, default: 1}", "{name: r, default: x}", "{name: s, default: s}")
    replies = [("name", "\n"), ("[1]", "many\n"), ("integer", "\n"), ("[x]", "y\n"), ("[s]", END)]
    code, _, shown = talk("it", replies=replies)
    assert code == 2
    assert "many" not in repeated(shown) and repeated(shown).endswith(" --set r=y")


def test_nothing_is_repeated_where_nothing_was_typed(talk, asks):
    asks("{name: q, default: x}")
    code, _, shown = talk("it", replies=[("name", "\n"), ("[x]", END)])
    assert code == 2 and "To go on" not in shown


def test_a_long_command_says_that_a_file_would_do(talk, asks):
    asks("{name: q, default: x}", "{name: r, default: y}")
    code, _, shown = talk("it", replies=[("name", "\n"), ("[x]", "w" * 2000 + "\n"), ("[y]", END)])
    assert code == 2 and "--answers FILE" in shown
    assert shlex.split(repeated(shown))[-1] == "q=" + "w" * 2000


# ---------------------------------------------------------------- kinds of answers


def test_a_secret_is_typed_unseen_and_repeated_by_nothing(talk, asks, work):
    asks(
        "{name: token, secret: true, default: none-yet}",
        "{name: q, default: x}",
        more='next: ["login {{ token }}"]\n',
        shows="{{ token }} {{ q }}",
    )
    code, _, shown = talk("a", replies=[("name", "\n"), ("token", "hush1\n"), ("[x]", "y\n")])
    assert code == 0 and "hush1" not in shown and "none-yet" not in shown
    assert (work / "a/hello.txt").read_text() == "none-yet y"
    replies = [("name", "\n"), ("token", "hush2\n"), ("[x]", "y\n"), ("z\r\n", END)]
    asks(
        "{name: token, secret: true, default: none-yet}",
        "{name: q, default: x}",
        "{name: z}",
        shows="{{ token }} {{ q }} {{ z }}",
    )
    code, _, shown = talk("b", replies=replies)
    assert code == 2 and "hush" not in shown and "q=y" in repeated(shown)
    code, _, shown = talk("c", "--set", "token=hush3", replies=[("name", "n\n"), ("[x]", END)])
    assert code == 2 and "hush" not in repeated(shown)


def test_the_terminal_shows_again_what_is_typed_after_a_secret(talk, asks):
    asks(
        "{name: token, secret: true, default: n}",
        "{name: q, default: x}",
        shows="{{ token }} {{ q }}",
    )
    code, _, shown = talk("a", replies=[("name", "\n"), ("token", "hush\n"), ("[x]", "seen\n")])
    assert code == 0 and "seen" in shown and "hush" not in shown


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("one\n\n  two\n.\n", "one\n\n  two"),
        ("one\n" + END, "one"),
        ("\n", "d"),
        (".\n", "d"),
        ("..\n.\n", ".."),
    ],
)
def test_a_text_of_several_lines_is_typed_up_to_a_dot(talk, asks, work, typed, text):
    asks("{name: q, multiline: true, default: d}", "{name: r, default: x}")
    code, _, shown = talk("it", replies=[("name", "\n"), ("[d]", typed), ("[x]", "\n")])
    assert code == 0, shown
    assert (work / "it/hello.txt").read_text() == f"{text}|x"


# ---------------------------------------------------------------- options that nothing reads


def test_an_option_is_offered_if_a_type_of_the_catalog_asks_for_it(tmplgen, work):
    asked = set()
    for path in ROOT.glob("templates/**/*.yml"):
        asked |= set(re.findall(r"- name: (\w+)$", path.read_text(), re.M))
    helps = tmplgen("help", "new", cwd=work).out
    completed = tmplgen("__complete", "new", "--", cwd=work).out
    for option in ("ci", "registry", "deploy", "gpu-sharing", "orchestrator"):
        offered = option.replace("-", "_") in asked
        assert (f"--{option} " in helps) == offered, option
        assert (f"--{option}\t" in completed) == offered, option


@pytest.mark.parametrize("option", ["deploy", "gpu-sharing", "orchestrator"])
def test_an_option_that_no_question_takes_says_what_there_is(tmplgen, work, new, asks, option):
    words = ["--type", "library", "--framework", "none", f"--{option}", "none"]
    done = tmplgen("new", *words, "--json", cwd=work)
    assert done.code == 2 and done.json["error"]["code"] == "unknown-question"
    name = option.replace("-", "_")
    assert f"the type 'library' has no question '{name}'" in done.json["error"]["message"]
    assert "its questions are: name, package" in done.json["error"]["hint"]
    asks(f"{{name: {name}, default: x}}")
    assert new("it", f"--{option}", "y", "--json").json["answers"][name] == "y"


def test_a_catalog_without_frameworks_says_what_it_lacks(new, catalog):
    catalog.template("description: d\n")
    catalog.file("hello.txt.j2", "x")
    for words in ([], ["--framework", "pytorch"]):
        done = new("it", *words)
        assert done.code == 2
        assert "there is nothing in matrices/frameworks/" in done.err
        assert "'stack: none' in templates/thing/template.yml" in done.err
