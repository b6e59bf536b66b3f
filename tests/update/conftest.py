"""Fixtures of the tests of `update`, `status` and `diff`."""

import pytest

from .world import STRATEGIES, World


@pytest.fixture
def world(tmp_path):
    return World(tmp_path / "w")


@pytest.fixture(params=STRATEGIES)
def strategy(request, world):
    """For tests that hold for every strategy: the world's updates take it."""
    world.strategy = request.param
    return request.param
