import pytest

from .measure import Meter


@pytest.fixture
def meter(tmp_path):
    return Meter(tmp_path)
