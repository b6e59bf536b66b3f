"""Fixtures of the tests of `adopt`."""

import pytest

from .place import Place


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path / "w")
