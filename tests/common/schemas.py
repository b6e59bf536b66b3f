"""The JSON Schemas of docs/json.md, and the check of a document against them."""

import json
import re
from functools import cache
from pathlib import Path

import fastjsonschema

DOCS = Path(__file__).resolve().parents[2] / "docs" / "json.md"


@cache
def schemas() -> dict:
    blocks = re.findall(r"^```json\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    return {schema["$id"]: schema for schema in map(json.loads, blocks)}


def absolute(part):
    """With whole names in its references: what has none in common resolves in the same folder."""
    if isinstance(part, list):
        return [absolute(one) for one in part]
    if not isinstance(part, dict):
        return part
    part = {key: absolute(value) for key, value in part.items() if key != "$id"}
    if not part.get("$ref", "#").startswith("#"):
        name, mark, way = part["$ref"].partition("#")
        part["$ref"] = f"docs:{name if name in schemas() else f'tmplgen/{name}'}{mark}{way}"
    return part


@cache
def validator(name):
    """Compiled: documents are checked thousands of times."""
    handlers = {"docs": lambda uri: absolute(schemas()[uri.removeprefix("docs:")])}
    schema = {"$id": f"docs:{name}", **absolute(schemas()[name])}
    return fastjsonschema.compile(schema, handlers, use_default=False)


def check(document: dict) -> None:
    """Fails where the document is not what docs/json.md promises."""
    name = "error" if "error" in document else document["schema"]
    assert name in schemas(), f"docs/json.md has no schema for {name}"
    validator(name)(document)
