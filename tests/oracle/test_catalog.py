"""Every template of the catalog, and what its manifests render, by Jinja2 and by us."""

import copy
import functools
import re
from pathlib import Path

import jinja2
import pytest
import yaml

from ..common.questions import read_computed
from . import oracle

ROOT = Path(__file__).resolve().parents[2]
CONTEXTS = Path(__file__).parent / "contexts"
TEMPLATES = ROOT / "templates"
SOURCES = sorted(
    path
    for top in (TEMPLATES, ROOT / "base-images")
    for path in top.rglob("*.j2")
    if not {"_includes", "includes"} & set(path.parts)
)
MANIFESTS = sorted([*TEMPLATES.glob("*/template.yml"), *TEMPLATES.glob("_layers/*/layer.yml")])
# The folders of includes, and what the names of their files begin with.
OWNED = [*TEMPLATES.glob("*/includes"), *TEMPLATES.glob("_layers/*/includes")]
FOLDERS = {TEMPLATES / "_includes": "", **{path: path.parent.name + "/" for path in OWNED}}
INCLUDES = {
    prefix + str(path.relative_to(folder)): path.read_text(encoding="utf-8")
    for folder, prefix in FOLDERS.items()
    for path in folder.rglob("*")
    if path.is_file()
}


@functools.cache
def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def manifest_of(path):
    """The manifest beside the `files` folder that the template is in, and its path below that."""
    for folder in path.parents:
        for name in ("template.yml", "layer.yml"):
            if (folder / name).is_file():
                return read_yaml(folder / name), path.relative_to(folder / "files")
    return {}, path


def matches(glob, path):
    """`*` stays within a folder, `**` does not."""
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", glob)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    pattern = "".join(words.get(part, re.escape(part)) for part in parts)
    return re.fullmatch(pattern, str(path)) is not None


def delimiters_of(path):
    manifest, below = manifest_of(path)
    rules = manifest.get("delimiters", "jinja")
    if isinstance(rules, str):
        return rules
    found = [rule["delimiters"] for rule in rules if matches(rule["match"], below)]
    return found[0] if found else "jinja"


class Pair:
    """Renders by both, with our filter to_yaml in Jinja2 too: no other program has it."""

    def __init__(self, ours):
        self.ours = ours
        # with what was compiled of the includes
        self.environment = functools.cache(self.new_environment)
        self.context = functools.cache(lambda path: with_defaults(self, read_yaml(path)))

    def to_yaml(self, value):
        return self.ours.ask("{{ x|to_yaml }}", {"x": value})["out"]

    def new_environment(self, delimiters):
        env = oracle.environment(INCLUDES, delimiters, {"to_yaml": self.to_yaml})
        if delimiters == "square":  # what is included has the usual delimiters
            env.get_template = self.environment("jinja").get_template
        return env

    def same(self, template, context, delimiters="jinja"):
        """Whether both render it; what they render is equal."""
        try:
            expected = self.environment(delimiters).from_string(template).render(context)
        except jinja2.UndefinedError as error:
            expected = error
        answer = self.ours.ask(template, context, INCLUDES, delimiters, include_delimiters="jinja")
        if isinstance(expected, Exception):
            assert answer.get("code") == "template-undefined", (expected, answer)
            return False
        assert answer == {"out": expected}
        return True

    def same_truth(self, expression, context):
        answer = self.ours.ask(expression, context, kind="truth")
        try:
            expected = self.environment("jinja").compile_expression(expression, False)(context)
        except jinja2.UndefinedError as error:
            assert answer.get("code") == "template-undefined", (error, answer)
        else:
            assert answer == {"out": bool(expected)}


@pytest.fixture(scope="session")
def pair(ours):
    return Pair(ours)


# What `tmplgen image` adds for the files of a base image.
IMAGE = {
    "image": {
        "name": "pytorch",
        "description": "an image",
        "tag": "2.14.0-cu130-py312-ubuntu24.04",
        "program": "tmplgen",
        "os": "ubuntu24.04",
        "cuda": "13.0",
        "base": {
            "repository": "nvidia/cuda",
            "tag": "13.0.3-base-ubuntu24.04",
            "digest": None,
            "reference": "nvidia/cuda:13.0.3-base-ubuntu24.04",
        },
    },
    "catalog": {"name": "tmplgen", "version": "1.0.0", "commit": "0" * 40},
    "packages": {"framework": ["numpy==2.4.6"]},
    "version": "1.0.0",
}


def with_defaults(pair, context):
    """The context with the default of every question that it does not answer."""
    own = {name: value for name, value in context.items() if name != "answers"}
    names = {**IMAGE, **context["answers"], **own}
    for path in MANIFESTS:
        names["template"] = path.parent.name
        for question in read_yaml(path).get("questions", []):
            if "layer" in question:
                continue
            default = question.get("computed", question.get("default", ""))
            if isinstance(default, str):
                try:
                    default = pair.environment("jinja").from_string(default).render(names)
                except jinja2.UndefinedError:  # of a stack that this context has not
                    default = ""
            if "computed" in question:
                default = read_computed(default, question.get("type", "str"))
            names.setdefault(question["name"], default)
    return {**names, "template": "service"}


@pytest.fixture(params=sorted(CONTEXTS.glob("*.yml")), ids=lambda path: path.stem)
def context(request, pair):
    return copy.deepcopy(pair.context(request.param))


def short(path):
    return str(path.relative_to(ROOT))


def test_the_catalog_has_templates():
    assert len(SOURCES) >= 15


@pytest.mark.turns(60)
@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_template_of_the_catalog_renders_as_with_jinja2(pair, context, path):
    pair.same(path.read_text(encoding="utf-8"), context, delimiters_of(path))


@pytest.mark.turns(20)
@pytest.mark.parametrize("path", SOURCES, ids=short)
def test_template_of_the_catalog_renders_with_the_default_stack(pair, path):
    context = copy.deepcopy(pair.context(CONTEXTS / "default.yml"))
    assert pair.same(path.read_text(encoding="utf-8"), context, delimiters_of(path))


def texts_of(manifest):
    """What a manifest renders: names of layers, helps, defaults, choices."""
    for layer in manifest.get("layers", []):
        yield layer["name"]
    for question in manifest.get("questions", []):
        for key in ("help", "default", "choices"):
            value = question.get(key)
            for text in value if isinstance(value, list) else [value]:
                yield from text.values() if isinstance(text, dict) else [text] if text else []


def conditions_of(manifest):
    for key in ("layers", "questions", "files"):
        for entry in manifest.get(key, []):
            if "when" in entry:
                yield entry["when"]


@pytest.mark.turns(20)
@pytest.mark.parametrize("path", MANIFESTS, ids=short)
def test_texts_of_manifests_render_as_with_jinja2(pair, context, path):
    for text in texts_of(read_yaml(path)):
        if isinstance(text, str):
            pair.same(text, context)


@pytest.mark.turns(20)
@pytest.mark.parametrize("path", MANIFESTS, ids=short)
def test_conditions_of_manifests_hold_as_with_jinja2(pair, context, path):
    for expression in conditions_of(read_yaml(path)):
        pair.same_truth(expression, context)


def test_names_of_files_render_as_with_jinja2(pair, context):
    for text in sorted({part for path in SOURCES for part in path.parts if "{{" in part}):
        pair.same(text, context)
