"""Fixtures of the tests of `update`, `status` and `diff`."""

import shutil

import pytest

from .cases import Cases
from .faults import fast_folder
from .places import Place
from .world import STRATEGIES, Stock, World


@pytest.fixture(scope="session")
def stock(tmp_path_factory):
    return Stock(tmp_path_factory.mktemp("stock"))


@pytest.fixture
def world(request, tmp_path, stock):
    failed = request.session.testsfailed
    world = World(tmp_path / "w")
    yield world
    if request.session.testsfailed > failed:
        stock.leave(world)


@pytest.fixture(params=STRATEGIES)
def strategy(request, world):
    """For tests that hold for every strategy: the world's updates take it."""
    world.strategy = request.param
    return request.param


@pytest.fixture
def fast():
    """A folder in memory where that is possible."""
    folder = fast_folder()
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def cases():
    folder = fast_folder()
    yield Cases(folder)
    shutil.rmtree(folder)


@pytest.fixture
def case(cases, request):
    """A child that is ready, by its name in cases.CASES."""
    case = cases.get(request.param)
    yield case
    case.clear()


@pytest.fixture
def place(fast, request):
    """Where `new` makes a child, by a kind of places.KINDS."""
    return Place(fast, request.param)
