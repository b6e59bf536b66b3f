"""What a type of the built-in catalog asks, its layers included, without tmplgen."""

from functools import cache

import yaml

from .program import ROOT


@cache
def load(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def of_type(folder):
    """All questions of a type: its own, then those that its layers add, where `taken` holds."""
    manifest = load(folder / "template.yml")
    own = [question for question in manifest.get("questions", []) if "name" in question]
    found = {question["name"]: question for question in own}
    for use in manifest.get("layers", []):
        if "{" in use["name"]:
            continue
        layer = load(ROOT / "templates/_layers" / use["name"] / "layer.yml")
        for question in layer.get("questions", []):
            found.setdefault(question["name"], question | {"taken": use.get("when", "true")})
    return list(found.values())


def values(question):
    """The choices without their labels."""
    return [
        choice["value"] if isinstance(choice, dict) else choice for choice in question["choices"]
    ]


def read_computed(text, kind):
    """What is computed, read as its type says."""
    if kind == "list":
        return text.split(",") if text else []
    if kind == "bool":
        return text.lower() in ("true", "yes", "y")
    return {"int": int, "float": float}.get(kind, str)(text)
