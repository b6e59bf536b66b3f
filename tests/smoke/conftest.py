"""A workshop once a session, and machines and the program made with it."""

import os
import tempfile
from pathlib import Path

import pytest

from .root import Root, Runner
from .workshop import TOP, Workshop


@pytest.fixture(scope="session")
def workshop():
    folder = Path(tempfile.gettempdir()) / f"gpu-smoke-tests-{os.getuid()}"
    folder.mkdir(mode=0o700, exist_ok=True)
    assert folder.stat().st_uid == os.getuid()
    return Workshop(folder)


@pytest.fixture(scope="session")
def program(workshop):
    return workshop.program()


@pytest.fixture(scope="session")
def shipped():
    """The program that tmplgen has beside it: the children's, with --explain."""
    program = Path(os.environ.get("GPU_SMOKE", TOP / "build" / "gpu-smoke")).resolve()
    if not program.exists():
        pytest.skip(f"no {program}: make")
    return program


@pytest.fixture
def root(tmp_path, workshop):
    """An empty machine."""
    return Root(tmp_path / "root", workshop)


@pytest.fixture
def healthy(root):
    """A machine on which every layer works."""
    return root.healthy()


@pytest.fixture
def smoke(program, tmp_path):
    return Runner(program, tmp_path)


@pytest.fixture
def explainer(shipped, tmp_path):
    return Runner(shipped, tmp_path)
