"""README's two commands on a bare Debian: git, make, and this machine's own mirror settings."""

import itertools
import os
import re
import shutil

import pytest

from .support import HOME, TOP, WORK, in_root, root_with_sources

pytestmark = pytest.mark.usefixtures("_root_user")
CLEAN = TOP / "build/lint/clean"


# The program is built as anywhere: what it may take, the tests say of an optimized one.
THRIFT = "WERROR=0 PIP_NO_COMPILE=1"


@pytest.fixture(scope="module")
def machine():
    """A bare root with git and make, and the sources as they come out of a source archive."""
    root = root_with_sources(WORK / "machine")
    target = root / HOME.lstrip("/")
    if CLEAN.is_dir():  # what the linters of this machine found clean is so there
        shutil.copytree(CLEAN, target / CLEAN.relative_to(TOP))
    yield root
    shutil.rmtree(root)


def readme_commands():
    """README's first block of commands for those who build from source."""
    lines = (TOP / "README.md").read_text().split("\n### From source\n")[1].splitlines()
    block = itertools.takewhile(
        lambda line: line.startswith("    "),
        itertools.dropwhile(lambda line: not line.startswith("    "), lines),
    )
    return [line.split("#")[0].strip() for line in block]


def told(said):
    """The end of what a build and its tests said, without the lines of the compiler."""
    return "\n".join(line for line in said.splitlines() if not re.match("  cc ", line))[-8000:]


def test_readme_builds_from_source_with_the_two_commands():
    assert readme_commands() == ["make demo", "make test"]


def test_plain_make_names_what_is_missing_and_installs_nothing(machine):
    status, said = in_root(machine, f"cd {HOME} && make")
    assert status != 0
    assert "libgit2-dev" in said
    assert "make deps" in said
    assert not (machine / "usr/bin/gcc").exists()


def test_make_demo_works(machine):
    status, said = in_root(machine, f"cd {HOME} && {THRIFT} make demo")
    assert status == 0, told(said)
    assert "pytorch-service" in said
    assert "cuda" in said
    assert f'export PATH="{HOME}/build:$PATH"' in said  # how to go on


def test_make_test_works(machine):
    """A sixteenth of one of each test: what is new here is that nothing is missing.

    `make soak` runs all.
    """
    usual = {"ONE_OF_EACH": "1", "ONE_IN": "16"}
    sampled = " ".join(f"{name}={os.environ.get(name, it)}" for name, it in usual.items())
    status, said = in_root(machine, f"cd {HOME} && {THRIFT} {sampled} make test")
    assert status == 0, told(said)
    assert re.search(r"^\d+ passed, 0 failed", said.splitlines()[-1]), told(said)
