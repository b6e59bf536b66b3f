"""Children of 0.2.0 updated to the catalog as it is here are set up, checked and tested anew.

One pair of type and framework a run, in turns; SEED and PAIRS choose as in test_frameworks.py. What
becomes of a user's own work in such children: tests/update/test_own_model.py.
"""

import re
import shutil

import pytest

from ..update.builds import release_of_today
from .support import run, seed, set_up
from .test_frameworks import RELEASES, all_pairs, one_of

PAIRS = [pair for pair in all_pairs() if pair[0] in ("service", "batch", "library")]


@pytest.fixture(scope="module")
def newest(tmp_path_factory):
    return release_of_today(tmp_path_factory.mktemp("today") / "catalog")


@pytest.fixture(scope="module", params=[f"{kind}/{name}" for kind, name in one_of(PAIRS)])
def updated(request, newest, tmp_path_factory):
    """A child of 0.2.0 that was set up as its README said, then updated; its environment."""
    kind, framework = request.param.split("/")
    print(f"SEED={seed()}")
    scratch = tmp_path_factory.mktemp("old")
    child = scratch / "old"
    words = ["--type", kind, "--framework", *RELEASES.get(framework, [framework])]
    run(newest, "new", child, *words, "--python", "3.11", "--catalog", "builtin@v0.2.0")
    with set_up(child, f"old-{framework}") as venv:
        said = run(newest, "update", child)
        assert "99.0.0" in said
        yield child, venv
    shutil.rmtree(scratch)


def test_the_updated_child_is_set_up_linted_and_tested(updated):
    """In the environment that was there before: `make setup` brings it up to date."""
    child, venv = updated
    run("make", "setup", "DEVICE=cpu", cwd=child, VENV=venv)
    assert "no issues found" in run("make", "lint", cwd=child, VENV=venv)
    assert re.search(r"\b\d+ passed", run("make", "test", cwd=child, VENV=venv))
    assert run("git", "status", "--porcelain", cwd=child) == ""
