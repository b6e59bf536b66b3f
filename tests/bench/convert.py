"""Turns one template of the catalog into a copier template and a cookiecutter template.

Both make exactly the files that tmplgen makes for the same choices: the layers are laid over each
other, `square` delimiters become Jinja2's, answers and the resolved stack become fixed data.
"""

import fnmatch
import json
import re
import shutil
from pathlib import Path

import yaml
from catalog_filters import INCLUDES
from jinja2 import Environment

SQUARE = re.compile(r"\[\[.*?\]\]|\[%.*?%\]|\[#.*?#\]", re.S)
JINJA = re.compile(r"\{\{|\{%|\{#")
PAIRS = {"[[": ("{{", "}}"), "[%": ("{%", "%}"), "[#": ("{#", "#}")}
ENVIRONMENT = {"trim_blocks": True, "lstrip_blocks": True, "keep_trailing_newline": True}
EXTENSION = "catalog_filters.CatalogFilters"


def from_square(text):
    """The same template with {{ }}: what was plain text for `square` has to stay plain."""

    def plain(part):
        return JINJA.sub(lambda match: "{{ '" + match[0] + "' }}", part)

    out, at = [], 0
    for match in SQUARE.finditer(text):
        opening, closing = PAIRS[match[0][:2]]
        out += [plain(text[at : match.start()]), opening, match[0][2:-2], closing]
        at = match.end()
    return "".join([*out, plain(text[at:])])


def delimiters_of(catalog, source):
    """Which delimiters the manifest beside `files/` gives a template file."""
    layer, name = source.split("/files/", 1)
    folder = catalog / layer
    manifest = folder / ("layer.yml" if (folder / "layer.yml").exists() else "template.yml")
    said = (yaml.safe_load(manifest.read_text()) or {}).get("delimiters", "jinja")
    if isinstance(said, str):
        return said
    fitting = [rule["delimiters"] for rule in said if fnmatch.fnmatch(name, rule["match"])]
    return fitting[-1] if fitting else "jinja"


def sources(catalog, document):
    """(path below the project, template text or None, source) of each file that tmplgen makes."""
    for entry in document["files"]:
        source = entry["source"]
        if not source or "/files/" not in source:
            continue
        text = None
        if source.endswith(".j2"):
            text = (catalog / source).read_text()
            if delimiters_of(catalog, source) == "square":
                text = from_square(text)
        yield source.split("/files/", 1)[1], text, catalog / source


def copy_includes(catalog, target):
    """Each include as a file of the name that templates call it by, in a folder of their own."""
    target = target / INCLUDES
    shutil.copytree(catalog / "templates/_includes", target, dirs_exist_ok=True)
    for pattern in ("templates/*/includes", "templates/_layers/*/includes"):
        for folder in catalog.glob(pattern):
            shutil.copytree(folder, target / folder.parent.name, dirs_exist_ok=True)


def context_of(document):
    """What templates see."""
    return {
        **document["answers"],
        "resolution": document["resolution"],
        "request": document["request"],
        "template": document["type"],
    }


def unasked(document, questions):
    """The answers to questions that were not asked: their defaults, or what is computed."""
    context = context_of(document)
    kinds = {"list": lambda text: text.split(","), "str": str, "choice": str}
    for question in questions:
        text = question["computed"] or question["default"]
        if question["name"] not in context and text is not None:
            value = Environment(extensions=[EXTENSION]).from_string(text).render(context)
            context[question["name"]] = kinds.get(question["type"], yaml.safe_load)(value)
    return {name: value for name, value in context.items() if name not in context_of(document)}


def to_copier(catalog, document, target):
    """A copier template, in which everything that is known is a hidden question with a default."""
    settings = {
        "_subdirectory": "template",
        "_templates_suffix": ".j2",
        "_envops": ENVIRONMENT,
        "_jinja_extensions": [EXTENSION],
    }
    for name, value in context_of(document).items():
        settings[name] = {
            "type": "str" if isinstance(value, str) else "json",
            "default": value if isinstance(value, str) else json.dumps(value),
            "when": False,
        }
    target.mkdir(parents=True)
    copy_includes(catalog, target)
    (target / "copier.yml").write_text(yaml.safe_dump(settings, sort_keys=False))
    for name, text, source in sources(catalog, document):
        write(target / "template" / name, text, source)


def to_cookiecutter(catalog, document, target):
    """A cookiecutter template; its variables get their plain names at the top of each file."""
    context = context_of(document)
    settings = {
        "name": document["answers"]["name"],
        # It keeps the newline at the end by itself.
        "_jinja2_env_vars": {"trim_blocks": True, "lstrip_blocks": True},
        "_extensions": [EXTENSION],
        "_copy_without_render": [],
        # Names that begin with _ keep their types, and are not taken for settings of its own.
        **{f"_our_{name}": value for name, value in context.items()},
    }
    names = "".join("{% set " + n + " = cookiecutter._our_" + n + " %}" for n in context)
    project = "{{ cookiecutter.name }}"
    for name, text, source in sources(catalog, document):
        path = re.sub(r"\{\{\s*(\w+)\s*\}\}", r"{{ cookiecutter._our_\1 }}", name)
        if text is None:
            settings["_copy_without_render"].append(f"*/{Path(name).name}")
        else:
            path, text = path.removesuffix(".j2"), names + text
        write(target / project / path, text, source)
    copy_includes(catalog, target / "templates")
    (target / "cookiecutter.json").write_text(json.dumps(settings, indent=1))


def write(path, text, source):
    path.parent.mkdir(parents=True, exist_ok=True)
    if text is None:
        shutil.copyfile(source, path)
    else:
        path.write_text(text)
    shutil.copymode(source, path)
