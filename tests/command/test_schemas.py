"""The schemas themselves: valid, and able to reject."""

import pytest
from jsonschema import ValidationError

from ..common.schemas import check, schemas


def test_every_schema_of_the_documentation_is_found():
    assert {"error", "request", "resolution", "tmplgen/new@1", "tmplgen/resolve@1"} <= set(
        schemas()
    )


def test_document_with_a_missing_key_is_rejected(new):
    document = new("child", "--json").json
    del document["tree"]
    with pytest.raises(ValidationError):
        check(document)


def test_error_with_another_shape_is_rejected():
    with pytest.raises(ValidationError):
        check({"schema": "tmplgen/new@1", "exit": 2, "error": {"code": "x", "message": "y"}})
