"""Fixtures of the tests of commands: a user, a folder to work in, a small catalog."""

import pytest

from .world import Catalog, Runner


@pytest.fixture
def tmplgen(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    return Runner(home)


@pytest.fixture
def work(tmp_path):
    """An empty folder to work in, outside of any repository."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def catalog(tmp_path):
    return Catalog(tmp_path / "catalog")


@pytest.fixture
def new(tmplgen, work, catalog):
    """`tmplgen new` of the test catalog's one type, quiet about nothing."""

    def run(*args, **more):
        return tmplgen(
            "new", *args, "--type", "thing", "--catalog", catalog.folder, cwd=work, **more
        )

    return run
