"""docs/templates.md: its examples run, and its lists are those of the program."""

import re
from pathlib import Path

import pytest
import yaml

from . import oracle

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "templates.md").read_text(encoding="utf-8")
SOURCES = ROOT / "src" / "jinja"
EXAMPLES = re.findall(r"```jinja\n(.*?)```\n+```text\n(.*?)```", PAGE, re.S)
# Files that the examples name: what is behind "jinja" is their name.
INCLUDES = dict(re.findall(r"```jinja (\S+)\n(.*?)```", PAGE, re.S))


def context():
    return yaml.safe_load(re.search(r"```yaml\n(.*?)```", PAGE, re.S)[1])


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_of_the_manual_renders_as_it_says(ours, number):
    template, expected = EXAMPLES[number]
    assert ours.ask(template, context(), INCLUDES) == {"out": expected}


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_example_of_the_manual_is_jinja2(ours, number):
    template, expected = EXAMPLES[number]
    own = oracle.own_filters(ours)
    assert oracle.theirs(template, context(), INCLUDES, filters=own) == expected


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


def section(title):
    return re.search(rf"^## {title}\n(.*?)(?=^## )", PAGE, re.S | re.M)[1]


def documented(text):
    """The names in code that are followed by nothing but arguments."""
    prose = re.sub(r"```.*?```", "", text, flags=re.S)
    return set(re.findall(r"`([a-z_]+)(?:\([^`]*\))?`", prose))


def rows(path, table):
    body = re.search(rf"struct function {table}\[\] = {{(.*?)\n}};", path.read_text(), re.S)[1]
    return set(re.findall(r'\.name = "([a-z_]+)"', body))


def test_manual_lists_every_filter():
    assert rows(SOURCES / "filters" / "filters.c", "rows") == documented(section("Filters"))


def test_manual_lists_every_test():
    assert rows(SOURCES / "functions" / "is_tests.c", "rows") == documented(section("Tests"))


def test_manual_lists_every_method():
    tables = ("text_methods", "list_methods", "tuple_methods", "dict_methods")
    there = set().union(*(rows(SOURCES / "functions" / "methods.c", table) for table in tables))
    assert there == documented(section("Methods"))
