"""The JSON Schemas of docs/json.md, and the check of a document against them."""

import json
import re
from functools import cache
from pathlib import Path

from jsonschema import Draft202012Validator
from referencing import Registry, Resource

DOCS = Path(__file__).resolve().parents[2] / "docs" / "json.md"


@cache
def schemas() -> dict:
    blocks = re.findall(r"^```json\n(.*?)^```", DOCS.read_text(), re.MULTILINE | re.DOTALL)
    found = {}
    for block in blocks:
        schema = json.loads(block)
        Draft202012Validator.check_schema(schema)
        found[schema["$id"]] = schema
    return found


@cache
def registry() -> Registry:
    made = Registry()
    for name, schema in schemas().items():
        resource = Resource.from_contents(
            {**schema, "$schema": "https://json-schema.org/draft/2020-12/schema"}
        )
        made = made.with_resource(name, resource)
        # references inside a schema whose $id has a slash resolve against its folder
        made = made.with_resource(f"tmplgen/{name}", resource)
    return made


def check(document: dict) -> None:
    """Fails where the document is not what docs/json.md promises."""
    name = "error" if "error" in document else document["schema"]
    assert name in schemas(), f"docs/json.md has no schema for {name}"
    Draft202012Validator(schemas()[name], registry=registry()).validate(document)
