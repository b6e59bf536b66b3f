"""The schemas themselves: valid, and able to reject."""

import pytest
from fastjsonschema import JsonSchemaException
from jsonschema import Draft202012Validator

from ..common.schemas import check, schemas, validator


def test_every_schema_of_the_documentation_is_found():
    assert {"error", "request", "resolution", "tmplgen/new@1", "tmplgen/resolve@1"} <= set(
        schemas()
    )


def test_every_schema_is_one():
    for name, schema in schemas().items():
        Draft202012Validator.check_schema(schema)
        assert validator(name)


def test_document_with_a_missing_key_is_rejected(new):
    document = new("child", "--json").json
    del document["tree"]
    with pytest.raises(JsonSchemaException):
        check(document)


def test_error_with_another_shape_is_rejected():
    with pytest.raises(JsonSchemaException):
        check({"schema": "tmplgen/new@1", "exit": 2, "error": {"code": "x", "message": "y"}})
