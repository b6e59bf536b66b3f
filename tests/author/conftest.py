"""Fixtures of the tests of tools for authors: a user, and a small catalog that they write."""

import pytest

from ..command.world import Catalog, Runner


@pytest.fixture
def tmplgen(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return Runner(home)


@pytest.fixture
def catalog(tmp_path):
    return Catalog(tmp_path / "catalog")


@pytest.fixture
def lint(tmplgen, catalog):
    """`template lint` in the folder of the catalog."""

    def run(*args, **more):
        return tmplgen("template", "lint", *args, cwd=catalog.folder, **more)

    return run
