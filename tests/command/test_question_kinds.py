"""What questions say beyond their type: labels, bounds, items, secrets, computed values."""

import os
import subprocess

import pytest

HEAD = "description: d\nstack: none\nquestions:\n"


@pytest.fixture
def asks(catalog):
    """A type with these questions, each on a line; what the file renders."""

    def make(*questions, shows="{{ q }}", more=""):
        catalog.template(HEAD + "".join(f"  - {q}\n" for q in questions) + more)
        catalog.file("hello.txt.j2", shows)
        return catalog

    return make


def shown(work, child="it"):
    return (work / child / "hello.txt").read_text()


def refused(done, *words):
    assert done.code == 2, done.err
    assert all(word in done.err for word in words), done.err


# ---------------------------------------------------------------- labels


def test_a_choice_with_a_label_is_taken_by_its_value(new, work, asks):
    choices = "[{value: '{{ name }}-a', label: the first}, b]"
    asks(f"{{name: q, type: choice, choices: {choices}, default: b}}")
    assert new("it", "--set", "q=it-a").code == 0
    assert shown(work) == "it-a"
    refused(new("two", "--set", "q=the first"), "the choices are: two-a, b")


@pytest.mark.parametrize(
    ("choices", "words", "place"),
    [
        ("[{value: a, lable: x}]", ["lable", "did you mean 'label'?"], "4:50"),
        ("[{label: x}]", ["'value' is missing"], "4:39"),
        ("[{value: [a]}]", ["value"], "4:47"),
        ("[[a]]", ["'choice' must be a text"], "4:39"),
    ],
)
def test_a_choice_that_is_neither_text_nor_value_and_label_is_told(
    new, asks, choices, words, place
):
    asks(f"{{name: q, type: choice, choices: {choices}}}")
    refused(new("it"), *words, f"templates/thing/template.yml:{place}: ")


# ---------------------------------------------------------------- bounds


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("int, min: 1, max: 10", ["1", "10", "+7"], [("0", "1 or more"), ("11", "10 or less")]),
        ("int, min: -9223372036854775808", ["-9223372036854775808"], [("x", "integer")]),
        ("int, min: 9007199254740993", ["9007199254740993"], [("9007199254740992", "or more")]),
        (
            "float, min: 0.1, max: 1e3",
            ["0.1", "1000"],
            [("0.0999", "0.1 or more"), ("1001", "1e3")],
        ),
    ],
)
def test_a_number_has_bounds(new, asks, kind, good, bad):
    asks(f"{{name: q, type: {kind}}}")
    for at, answer in enumerate(good):
        assert new(f"good{at}", "--set", f"q={answer}").code == 0
    for answer, words in bad:
        refused(new("bad", "--set", f"q={answer}"), f"'q' cannot be '{answer}': it must be", words)


def test_a_default_is_held_to_the_bounds_too(new, asks):
    asks("{name: q, type: int, min: 5, default: 4}")
    refused(new("it"), "template.yml:4:", "the default of 'q': 'q' cannot be '4'")


# ---------------------------------------------------------------- types


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("type: integer", "did you mean 'int'?"),
        ("type: Boolean", "did you mean 'bool'?"),
        ("type: number", "did you mean 'float'?"),
        ("type: text", "did you mean 'str'?"),
        ("type: array", "did you mean 'list'?"),
        ("type: list, items: integer", "did you mean 'int'?"),
        ("type: list, items: number", "there is: str, int"),
        ("type: flaot", "did you mean 'float'?"),
        ("type: colour", "there is: str, int, float, bool, choice, list"),
    ],
)
def test_a_type_by_the_word_of_another_format_is_known(new, asks, said, hint):
    asks(f"{{name: q, {said}}}")
    refused(new("it"), "template.yml:4:", f"hint: {hint}\n")


# ---------------------------------------------------------------- lists


def test_a_list_of_int_is_numbers_for_templates_and_for_a_second_reading(new, work, asks, tmplgen):
    asks(
        "{name: q, type: list, items: int, min: 1, max: 9, default: [1, 2]}", shows="{{ q[0] + 1 }}"
    )
    assert new("one", "--json").json["answers"]["q"] == [1, 2]
    assert shown(work, "one") == "2"
    assert new("two", "--set", "q=8, 3", "--json").json["answers"]["q"] == [8, 3]
    assert "  q:\n    - 8\n    - 3\n" in (work / "two/.tmplgen.yml").read_text()
    assert tmplgen("diff", "two", cwd=work).code == 0  # the record renders to the same
    refused(new("no", "--set", "q=1,x"), "'q' cannot be 'x': it must be an integer")
    refused(new("no", "--set", "q=1,10"), "it must be 9 or less")
    refused(new("no", "--set", "q=1,+1"), "given twice")


def test_choices_of_a_list_of_int(new, asks):
    asks("{name: q, type: list, items: int, choices: [80, 443], default: [80]}", shows="{{ q[0] }}")
    assert new("it", "--set", "q=443,80", "--json").json["answers"]["q"] == [443, 80]
    refused(new("no", "--set", "q=81"), "choices are: 80, 443")


def test_each_entry_of_a_list_matches_its_pattern(new, asks):
    asks("{name: q, type: list, pattern: '[a-z]+', default: []}")
    assert new("it", "--set", "q=ab,cd").code == 0
    refused(new("no", "--set", "q=ab,c1"), "'q' cannot be 'c1': it must match [a-z]+")


def test_none_is_a_choice_like_any_other_where_it_is_one(new, asks):
    asks("{name: q, type: list, choices: [none, a], default: [a]}")
    assert new("it", "--set", "q=none", "--json").json["answers"]["q"] == ["none"]


# ---------------------------------------------------------------- computed values


def test_a_computed_value_is_never_asked_and_not_kept(new, work, asks):
    asks(
        "{name: q, type: int, default: 80}",
        "{name: double, type: int, computed: '{{ q * 2 }}'}",
        "{name: last, default: '{{ double + 1 }}'}",
        shows="{{ double + 1 }} {{ last }} {{ q }}",
    )
    done = new("it", "--json", "--set", "q=4")
    assert done.json["answers"] == {"name": "it", "q": 4, "last": "9"}
    assert shown(work) == "9 9 4"
    refused(new("no", "--set", "double=3"), "'double' is computed from other answers, never asked")


def test_a_computed_value_is_of_its_type(new, work, asks):
    asks(
        "{name: q, type: bool, computed: \"{{ name == 'it' }}\"}",
        "{name: l, type: list, items: int, computed: '1, 2'}",
        shows="{{ q }} {{ not q }} {{ l[1] + 1 }}",
    )
    assert new("it").code == 0
    assert shown(work) == "True False 3"
    asks("{name: q, type: int, computed: '{{ name }}'}")
    refused(new("no"), "template.yml:4:", "the value of 'q': 'q' cannot be 'no': it must be an int")


# ---------------------------------------------------------------- secrets


def files_of(child):
    """All that a child is, git's objects inflated."""
    texts = [path.read_bytes() for path in child.rglob("*") if path.is_file()]
    log = ["git", "-C", child, "cat-file", "--batch-all-objects", "--batch"]
    return b"".join([*texts, subprocess.run(log, capture_output=True, check=True).stdout])


def test_a_secret_is_nowhere_but_in_next(new, work, asks, tmp_path):
    asks(
        "{name: q, secret: true, default: change-me, pattern: '[a-z-]+'}",
        "{name: copy, default: '{{ q }}'}",
        shows="{{ q }} {{ copy }}",
        more='next: ["login {{ q }}"]\n',
    )
    done = new("it", "--set", "q=hush-hush")
    assert done.code == 0, done.err
    assert "\n  login hush-hush\n" in done.out
    assert shown(work) == "change-me change-me"
    assert b"hush" not in files_of(work / "it")
    assert "change-me" not in str(new("two", "--set", "q=hush", "--json").json["answers"].get("q"))
    assert "hush" not in new("three", "--set", "q=hush-hush", "--json").out
    assert "\n  login change-me\n" in new("four").out


@pytest.mark.parametrize("how", ["--set", "--answers"])
def test_a_secret_that_is_not_valid_is_not_repeated(new, work, asks, tmp_path, how):
    asks("{name: q, secret: true, default: change-me, pattern: '[a-z-]+'}")
    answers = tmp_path / "answers.yml"
    answers.write_text("q: Hush1\n")
    done = new("it", how, {"--set": "q=Hush1", "--answers": answers}[how])
    refused(done, "'q' cannot be that: it must match [a-z-]+")
    assert "Hush" not in done.err
    assert os.listdir(work) == []


def test_an_update_asks_for_no_secret_and_knows_the_child(tmplgen, work, asks, new):
    asks("{name: q, secret: true, default: change-me}")
    assert new("it", "--set", "q=hush").code == 0
    done = tmplgen("diff", "it", cwd=work)
    assert done.code == 0 and done.out == ""


# ---------------------------------------------------------------- what a manifest may not say


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("{name: q, type: str, min: 1}", ["only a question of type int or float", "'min'"]),
        ("{name: q, type: int, pattern: a}", ["only a question of type str or list has 'pattern'"]),
        ("{name: q, type: list, items: float}", ["'float' is no type of a list's items"]),
        ("{name: q, type: list, min: 1}", ["only a list of int has 'min'"]),
        ("{name: q, type: list, items: int, pattern: a}", ["a list of int has no 'pattern'"]),
        ("{name: q, items: int}", ["only a question of type list has 'items'"]),
        ("{name: q, type: int, min: 1.5}", ["'min' must be an integer"]),
        ("{name: q, type: float, max: much}", ["'max' must be a number"]),
        ("{name: q, type: int, min: 3, max: 2}", ["'max' is less than 'min'"]),
        ("{name: q, secret: true}", ["the secret 'q' needs a 'default'", "no record ever has"]),
        ("{name: q, type: int, secret: true, default: 1}", ["only a question of type str has"]),
        ("{name: q, secret: 'yes', default: x}", ["secret"]),
        ("{name: q, secret: true, multiline: true, default: x}", ["a secret is one line"]),
        ("{name: q, computed: x, default: y}", ["'q' is computed", "it has no 'default'"]),
        ("{name: q, computed: x, when: 'true'}", ["'q' is computed", "it has no 'when'"]),
        ("{name: q, mutliline: true}", ["mutliline", "did you mean 'multiline'?"]),
        ("{name: q, label: x}", ["'label'"]),
        ("{name: name, computed: x}", ["'name' must be of type str"]),
    ],
)
def test_what_does_not_go_together_is_told(new, asks, question, words):
    asks(question)
    refused(new("it"), *words, "templates/thing/template.yml:")


@pytest.mark.parametrize(
    "name", ["not", "self", "and", "in", "True", "None", "else", "super", "loop"]
)
def test_a_word_of_the_language_is_no_name(new, asks, name):
    asks(f"{{name: '{name}', default: x}}")
    refused(new("it"), f"'{name}' is a word of the template language", "template.yml:4:12: ")


@pytest.mark.parametrize(
    "name", ["resolution", "request", "template", "type", "framework", "driver"]
)
def test_what_tmplgen_says_itself_is_no_name(new, asks, name):
    asks(f"{{name: '{name}', default: x}}")
    refused(new("it"), f"the name '{name}' is taken by tmplgen itself")


def test_every_word_that_templates_cannot_say_is_refused_and_no_other(new, work, asks):
    """A name that passes can be read: it is in what the file shows."""
    names = ["block", "macro", "namespace", "dict", "set", "for", "import", "_", "self_", "e"]
    asks(
        *(f"{{name: '{name}', default: '{name}'}}" for name in names),
        shows=" ".join(f"{{{{ {name} }}}}" for name in names),
    )
    done = new("it")
    assert done.code == 0, done.err
    assert shown(work) == " ".join(names)


# ---------------------------------------------------------------- a typo is told as what it is


def test_a_misspelt_name_in_a_template_is_told_before_the_question_that_it_leaves_unread(new, asks):
    asks("{name: owner, default: us}", shows="a\n{{ onwer }}\n")
    done = new("it", "--json")
    assert done.code == 2
    assert done.json["error"]["code"] == "template-undefined"
    where = {"file": "templates/thing/files/hello.txt.j2", "line": 2, "column": 4}
    assert done.json["error"]["where"] == where
    assert "'onwer' is undefined" in done.json["error"]["message"]
    assert "did you mean 'owner'?" in done.json["error"]["hint"]
    refused(new("it"), "template.yml:4:5: no template reads the answer to 'owner'")


def test_a_question_that_nothing_reads_is_told_where_nothing_is_misspelt(new, asks, work):
    asks("{name: owner, default: us}", shows="x")
    done = new("it", "--json")
    assert done.json["error"]["code"] == "unused-question"
    assert "no template reads the answer to 'owner'" in done.json["error"]["message"]
    assert os.listdir(work) == []


def test_a_misspelt_name_in_a_default_is_told_too(new, asks):
    asks("{name: owner, default: us}", "{name: q, default: '{{ ownr }}'}")
    refused(new("it"), "'ownr' is undefined", "did you mean 'owner'?", "template.yml:5:")
