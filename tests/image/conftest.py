"""Fixtures: a folder to work in, with and without a catalog of one's own; a registry."""

import shutil

import pytest

from ..command.world import Runner
from ..common.rows import matrix_catalog
from ..registry.fake import Fake
from .world import World


@pytest.fixture
def world(tmp_path):
    """The built-in catalog."""
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    return World(folder, Runner(home))


@pytest.fixture(scope="session")
def empty_catalog(tmp_path_factory):
    return matrix_catalog(tmp_path_factory.mktemp("catalog") / "team", "team")


@pytest.fixture
def team(world, empty_catalog, tmp_path):
    """A catalog of the test's own, which has no image yet."""
    world.catalog = shutil.copytree(empty_catalog, tmp_path / "team")
    return world


@pytest.fixture
def fake():
    with Fake() as made:
        yield made
