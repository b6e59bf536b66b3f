"""A meter for each test, in a folder of its own."""

import pytest

from .measure import Meter


@pytest.fixture
def meter(tmp_path):
    return Meter(tmp_path)
