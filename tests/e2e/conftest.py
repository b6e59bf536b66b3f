"""Fixtures of the end-to-end tests: one child, made once, and what it takes to run it."""

import os
import shutil

import pytest

from .support import NODE, TMPLGEN, TOP, one_at_a_time, run


@pytest.fixture(scope="session")
def child(tmp_path_factory):
    """A service on the release of PyTorch that pip has as a CPU build."""
    scratch = tmp_path_factory.mktemp("child")  # not in this repository: `new` would not commit
    words = ["--type", "service", "--framework", "pytorch==2.13.0", "--python", "3.11"]
    run(TMPLGEN, "new", *words, cwd=scratch)
    yield scratch / "pytorch-service"
    shutil.rmtree(scratch)


@pytest.fixture(scope="session")
def installed(child):
    """The child after `make setup DEVICE=cpu`."""
    run("make", "setup", "DEVICE=cpu", cwd=child)
    return child


@pytest.fixture(scope="session")
def trained(installed):
    """The child after `make model`."""
    run("make", "model", cwd=installed)
    return installed


# One child of each type, with a pipeline for every CI system and all that it can hold.
EVERY_CI = {
    "service": ["--framework=none", "--registry=registry.example.org/team"],
    "batch": ["--framework=pytorch==2.13.0", "--registry=registry.example.org/team"],
    "library": ["--framework=none", "--set=docs=true"],
}


@pytest.fixture(scope="session", params=EVERY_CI)
def every_ci(request, tmp_path_factory):
    """A child with all three pipelines, as a clone of some server's main branch."""
    folder = tmp_path_factory.mktemp(request.param) / "child"
    words = ["--type", request.param, *EVERY_CI[request.param], "--python", "3.11"]
    run(TMPLGEN, "new", folder, *words, "--name", "it", "--ci", "github,gitlab,jenkins")
    for words in (
        ["branch", "--move", "main"],
        ["remote", "add", "origin", "git@git.example.org:team/it.git"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
        ["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"],
    ):
        run("git", *words, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def node_modules():
    """What tests/package.json names, installed."""
    wanted = (TOP / "tests/package.json").read_text()
    stamp = NODE / "made"
    NODE.mkdir(parents=True, exist_ok=True)
    with one_at_a_time("node"):
        if not stamp.exists() or stamp.read_text() != wanted:
            (NODE / "package.json").write_text(wanted)
            run("npm", "install", "--no-package-lock", "--ignore-scripts", cwd=NODE)
            stamp.write_text(wanted)
    return NODE / "node_modules"


@pytest.fixture(scope="session")
def _root_user():
    if os.geteuid() != 0:
        pytest.skip("needs root: it makes a system of its own in a folder")
