"""Renders the catalog with the real Jinja2: a second opinion on tmplgen's own renderer."""

import fnmatch
import json
import re
import shlex
from functools import cache
from pathlib import Path

import jinja2
import yaml

from ..common import questions

CATALOG = Path(__file__).resolve().parents[2]
SQUARE = {
    "variable_start_string": "[[",
    "variable_end_string": "]]",
    "block_start_string": "[%",
    "block_end_string": "%]",
    "comment_start_string": "[#",
    "comment_end_string": "#]",
}


def _folder(below):
    return jinja2.FileSystemLoader(CATALOG / "templates" / below)


def _owners():
    """The layers and types that have includes of their own."""
    found = [*CATALOG.glob("templates/*/includes"), *CATALOG.glob("templates/_layers/*/includes")]
    return {path.parent.name: _folder(path) for path in found}


class _Environment(jinja2.Environment):
    """One whose includes have Jinja's own delimiters, whatever those of the template are."""

    def get_template(self, *words, **more):
        return super().get_template(*words, **more) if self is JINJA else JINJA.get_template(*words)


def _environment(**delimiters):
    made = _Environment(
        loader=jinja2.ChoiceLoader([jinja2.PrefixLoader(_owners()), _folder("_includes")]),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        **delimiters,
    )
    made.filters["shell_quote"] = lambda value: shlex.quote(str(value))
    made.filters["to_yaml"] = lambda value: json.dumps(value, ensure_ascii=False)
    made.filters["slug"] = lambda value: re.sub("[^a-z0-9]+", "-", str(value).lower()).strip("-")
    return made


ENVIRONMENTS = {"jinja": _environment(), "square": _environment(**SQUARE)}
JINJA = ENVIRONMENTS["jinja"]


@cache
def _load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


# Children have most of their templates in common; to compile one takes Jinja much longer than to
# render it.
@cache
def _template(text, delimiters="jinja"):
    return ENVIRONMENTS[delimiters].from_string(text)


@cache
def _expression(text):
    return JINJA.compile_expression(text)


def answers(template, context, given):
    """The context with the answers to all questions."""
    full = dict(context)
    for question in questions.of_type(CATALOG / "templates" / template):
        if not _expression(question.get("taken", "true"))(**full):
            continue
        default = question.get("computed", question.get("default"))
        if isinstance(default, str):
            default = _template(default).render(full)
        if "computed" in question:
            default = questions.read_computed(default, question.get("type", "str"))
        full[question["name"]] = given.get(question["name"], default)
    return full


def render(template, context):
    """All files of a child: path to (executable, bytes)."""
    folder = CATALOG / "templates" / template
    manifest = _load(folder / "template.yml")
    files = {}
    for use in manifest["layers"]:
        if "when" not in use or _expression(use["when"])(**context):
            layer = CATALOG / "templates/_layers" / _template(use["name"]).render(context)
            overrides = use.get("overrides", [])
            _render_folder(files, layer / "files", _load(layer / "layer.yml"), context, overrides)
    _render_folder(files, folder / "files", manifest, context, manifest.get("overrides", []))
    return files


def _render_folder(files, folder, manifest, context, overrides):
    for source in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = source.relative_to(folder).as_posix()
        parts = [_template(part).render(context) for part in name.split("/")]
        if "" in (parts[-1].removesuffix(".j2"), *parts[:-1]):
            continue
        path = "/".join(parts)
        content = source.read_bytes()
        is_template, path = path.endswith(".j2"), path.removesuffix(".j2")
        if not _is_there(manifest, path, context):
            continue
        if is_template:
            text = _template(content.decode(), _delimiters(manifest, name)).render(context)
            content = text.encode()
        overridden = any(fnmatch.fnmatch(path, glob) for glob in overrides)
        assert path not in files or overridden, f"{path} is in two layers"
        files[path] = (source.stat().st_mode & 0o111 != 0, content)


def _is_there(manifest, path, context):
    rules = [rule for rule in manifest.get("files", []) if fnmatch.fnmatch(path, rule["match"])]
    conditions = [rule["when"] for rule in rules if "when" in rule]
    return all(_expression(when)(**context) for when in conditions)


def _delimiters(manifest, name):
    said = manifest.get("delimiters", "jinja")
    if isinstance(said, str):
        return said
    chosen = [rule["delimiters"] for rule in said if fnmatch.fnmatch(name, rule["match"])]
    return chosen[-1] if chosen else "jinja"
