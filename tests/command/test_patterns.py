"""Patterns of questions: what they take, what is refused and where; none takes the machine."""

import json
import os
import re

import pytest
import yaml

from ..common.measure import MEMORY, MIB, UNLIMITED, run_measured
from ..common.program import BINARY, INSTRUMENTED, ROOT
from .world import CATALOG, git

SECONDS = 20 if INSTRUMENTED else 4  # of the processor
PEAK = 600 * MIB
QUESTION = (
    "description: d\nstack: none\nquestions:\n  - {name: greeting, default: %s, pattern: %s}\n"
)


def template(pattern, default="a"):
    return QUESTION % (json.dumps(default), json.dumps(pattern))


def within_bounds(tmplgen, work, *args):
    """A run that ends by itself, soon and with little memory."""
    command = [BINARY, *args]
    memory = UNLIMITED if INSTRUMENTED else MEMORY
    run = run_measured(command, cwd=work, env=tmplgen.env, seconds=120, memory=memory)
    assert run.code >= 0 and run.cpu < SECONDS, run
    assert INSTRUMENTED or run.peak < PEAK, run
    return run


@pytest.fixture
def tried(tmplgen, work, catalog):
    """`new --dry-run` with that pattern, measured."""

    def run(pattern, *args, default="a"):
        catalog.template(template(pattern, default))
        source = ("--type", "thing", "--catalog", catalog.folder)
        done = within_bounds(tmplgen, work, "new", "x", "--defaults", "--dry-run", *source, *args)
        assert os.listdir(work) == []
        return done

    return run


# ---------------------------------------------------------------- attacks

TOO_LARGE = {
    "optional": ("((a?){0,200}){0,200}a{200}", "10000, the limit"),
    "nested-counts": ("((((a{0,99}){0,99}){0,99}){0,99})b", "10000, the limit"),
    "count": ("a{99999999999999999999}", "10000, the limit"),
    "nothing-often": ("((((){9999}){9999}){9999}){9999}", "10000, the limit"),
    "pairs": ("(a{1,200}){1,200}", "10000, the limit"),
    "brackets": ("(" * 20_000 + "a" + ")" * 20_000, "4096, the limit"),
    "fewer-brackets": ("(" * 2_000 + "a" + ")" * 2_000, "64, the limit"),
    "choices-40-kb": ("a|" * 20_000 + "a", "4096, the limit"),
    "choices-100-kb": ("a|" * 50_000 + "a", "4096, the limit"),
    "open-brackets": ("(" * 20_000, "4096, the limit"),
    "set": ("[" + "a-z" * 20_000 + "]", "4096, the limit"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_pattern_that_is_too_large_names_the_limit(tried, name):
    pattern, words = TOO_LARGE[name]
    done = tried(pattern)
    assert done.code == 2, done.err
    assert "template.yml:4:" in done.err
    assert words in done.err


LONG = 250_000
# the largest that may be, or what takes others exponential time, and whether a long answer matches
GREEDY = {
    "(a{1,70}){1,70}": "must match",
    "(a?){0,3333}": "must match",
    "(a*)*b": "must match",
    "(a|a)*b": "must match",
    "(a|aa)+": None,
    "((a+)+)+": None,
    "([a-z]*[a-z]*[a-z]*)*": None,
    ".*a.{4000}b": "100000000 steps, the limit",
    "(a*){3000}b": "100000000 steps, the limit",
    "[" + "b-d" * 1000 + "a]*": "100000000 steps, the limit",
}


@pytest.mark.parametrize("pattern", GREEDY)
@pytest.mark.parametrize("by", ["file", "default"])
def test_long_answer_ends_soon(tried, tmp_path, pattern, by):
    if by == "file":
        answers = tmp_path / "answers.yml"
        answers.write_text(f"greeting: {'a' * LONG}\n")
        done = tried(pattern, "--answers", answers)
    else:
        done = tried(pattern, default=f"{{{{ 'a' * {LONG} }}}}")
    if GREEDY[pattern] is None:
        assert done.code == 0, done.err
        return
    assert done.code == 2, done.err[:300]
    assert GREEDY[pattern] in done.err
    assert "greeting" in done.err
    assert len(done.err) < 5000 + len(pattern)


def test_cloned_child_with_a_catalog_of_its_own(tmplgen, work, catalog, tmp_path):
    assert tmplgen("new", "c", "--type", "thing", "--catalog", catalog.folder, cwd=work).code == 0
    child = work / "c"
    record = yaml.safe_load((child / ".tmplgen.yml").read_text())
    source = record["catalog"]["source"]
    text = (child / ".tmplgen.yml").read_text()
    (child / ".tmplgen.yml").write_text(text.replace(source, "."))
    for path in ("catalog.yml", "templates/thing/files/hello.txt.j2"):
        (child / path).parent.mkdir(parents=True, exist_ok=True)
        (child / path).write_bytes((catalog.folder / path).read_bytes())
    for pattern in ("((a?){0,200}){0,200}a{200}", "((((a{0,99}){0,99}){0,99}){0,99})b"):
        (child / "templates/thing/template.yml").write_text(template(pattern))
        git(child, "add", "-A")
        git(child, "commit", "-qm", "hostile")
        done = within_bounds(tmplgen, child, "update", "--check")
        # where such a catalog is not trusted, it is not read
        assert done.code in (2, 3), done.err
        assert "the limit" in done.err or "trust" in done.err
    assert CATALOG in (child / "catalog.yml").read_text()


# ---------------------------------------------------------------- what is refused, and where


@pytest.mark.parametrize(
    ("written", "at", "words"),
    [
        (r"'ab\d+'", 3, [r"no '\d'", "hint: write [0-9]"]),
        (r"ab\d", 2, [r"no '\d'", "hint: write [0-9]"]),
        (r'"ab\\d"', 0, [r"no '\d'", "hint: write [0-9]"]),  # an escape of YAML: the whole text
        ('"ab(?:c)"', 3, ["no '(?:'", "write '('"]),
        (r"'(a)\1'", 4, [r"no '\1', a reference back", "(aa|bb)"]),
        ("'a*?'", 2, ["no '*?', a lazy repetition", "leave"]),
        ("'[[.a.]]'", 2, ["collating", "characters"]),
        ("'é{2,1}'", 2, ["fewer at most than at least"]),
        ("'a{99999}'", 2, ["10000, the limit"]),
    ],
)
def test_refusal_names_place_and_what_to_write(new, work, catalog, written, at, words):
    text = QUESTION % ("a", written)
    catalog.template(text)
    done = new("child")
    assert done.code == 2
    assert f"template.yml:4:{text.splitlines()[3].index(written) + at + 1}:" in done.err
    for word in words:
        assert word in done.err
    assert os.listdir(work) == []


# ---------------------------------------------------------------- what is taken


def catalog_patterns():
    found = set()
    layers = ROOT.glob("templates/_layers/*/layer.yml")
    for path in sorted([*ROOT.glob("templates/*/template.yml"), *layers]):
        for question in yaml.safe_load(path.read_text()).get("questions", []):
            found.add(question.get("pattern"))
    return sorted(found - {None})


ANSWERS = ["", "a", "a_b1", "A", "1a", "a" * 63, "a" * 64, "a-b", "é", "localhost", "host:5000"]
ANSWERS += ["host.example/a/b", "host.example/", "host.example:5000/a/b.c", "a//b", "a.b:x", "-a"]


@pytest.mark.turns(4)
@pytest.mark.parametrize("pattern", catalog_patterns())
def test_patterns_of_the_catalog_mean_what_they_do_to_python(tried, pattern):
    assert pattern
    for answer in ANSWERS:
        done = tried(pattern, "--set", f"greeting={answer}")
        assert done.code == (0 if re.fullmatch(pattern, answer) else 2), (answer, done.err)


def manual(title):
    """What stands in the first column of that table of the manual."""
    table = (ROOT / "docs/catalogs.md").read_text().split(f"| {title} |", 1)[1].split("\n\n", 1)[0]
    cells = [
        re.split(r"(?<!\\)\|", line)[1] for line in table.replace(r"\\|", "\0").splitlines()[2:]
    ]
    code = [text for cell in cells for text in re.findall("`([^`]+)`", cell)]
    return [text.replace(r"\|", "|").replace("\0", r"\|") for text in code]


@pytest.mark.parametrize("pattern", manual("written"))
def test_manual_says_what_is_taken(tried, pattern):
    done = tried(pattern, "--set", "greeting=no such text")
    assert "must match" in done.err


@pytest.mark.parametrize("pattern", manual("not taken"))
def test_manual_says_what_is_not_taken(tried, pattern):
    done = tried(pattern)
    assert "this pattern cannot be used" in done.err
    assert "hint: " in done.err


def test_a_character_is_a_character_in_every_locale(tried, tmplgen):
    for locale in ("C", "C.UTF-8"):
        tmplgen.env["LC_ALL"] = locale
        assert tried("..", "--set", "greeting=äß").code == 0
        assert tried("[à-ÿ]{2}", "--set", "greeting=äß").code == 2
        assert tried("[à-ÿß]{2}", "--set", "greeting=äß").code == 0
        assert tried("[[:alpha:]]*", "--set", "greeting=ä").code == 2
