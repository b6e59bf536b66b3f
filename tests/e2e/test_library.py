"""A library as its publisher meets it: an operation of its own, built, documented, measured.

test_frameworks.py sets up, lints and tests libraries on every framework.
"""

import re
import shutil
import subprocess

import pytest

from .support import TMPLGEN, run, set_up, share_tools, venv_of

VENV = venv_of("none")

# The two files that the README names, with an operation that has nothing of the example's.
OPS = '''\
"""Statistics on arrays of any namespace."""

from __future__ import annotations

from typing import Any

from array_api_compat import array_namespace

__all__ = ["standardize"]


def standardize(x: Any, *, axis: int = 0) -> Any:
    """The values less their mean, divided by their standard deviation.

    >>> import numpy as np
    >>> standardize(np.asarray([1.0, 3.0])).tolist()
    [-1.0, 1.0]
    """
    xp = array_namespace(x)
    return (x - xp.mean(x, axis=axis, keepdims=True)) / xp.std(x, axis=axis, keepdims=True)
'''
TEST_OPS = """\
from __future__ import annotations

from functools import partial

import numpy as np

from it import standardize


def inputs(n):
    return [np.random.default_rng(0).standard_normal((n, 3), dtype=np.float32)]


CASES = {f"standardize {n}": (standardize, partial(inputs, n), {"axis": 0}) for n in (9, 9000)}


def test_the_mean_is_0_and_the_deviation_1(xp):
    found = np.asarray(standardize(xp.asarray(inputs(9)[0])))
    np.testing.assert_allclose(found.mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(found.std(axis=0), 1, rtol=1e-6)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A library with an operation of its own, after `make setup DEVICE=cpu`."""
    folder = tmp_path_factory.mktemp("library") / "it"
    words = ["--type", "library", "--framework", "none", "--python", "3.11"]
    run(TMPLGEN, "new", folder, *words, "--name", "it", "--set", "docs=true")
    (folder / "src/it/ops.py").write_text(OPS)
    (folder / "tests/test_ops.py").write_text(TEST_OPS)
    run("git", "commit", "--quiet", "--all", "--message", "Our own", cwd=folder)
    run("git", "tag", "v1.2.3", cwd=folder)
    share_tools(folder)
    with set_up(folder, "none"):
        yield folder
    shutil.rmtree(folder)


def make(target, library):
    return run("make", target, cwd=library, VENV=VENV)


@pytest.fixture(scope="module")
def dist(library):
    """What `make dist` says; the folder is then there."""
    return make("dist", library)


def test_nothing_else_names_the_example(library):
    done = subprocess.run(["git", "grep", "-i", "topk"], cwd=library, capture_output=True)
    assert done.stdout == b""


def test_lint_and_tests_pass(library):
    assert "no issues found" in make("lint", library)
    assert " passed" in make("test", library)


@pytest.mark.parametrize(
    ("broken", "failing"),
    [
        (OPS.replace("[-1.0, 1.0]", "[-1.0, 2.0]"), "test_package.py"),  # a wrong example
        (OPS.replace(">>> ", ""), "test_package.py"),  # and none
        # And something that is made on the default device, wherever the array is.
        (OPS.replace("return (x - ", "return (x + xp.zeros(1) - "), "test_devices.py"),
    ],
)
def test_the_tests_that_every_operation_has_find_its_faults(library, broken, failing):
    path = library / "src/it/ops.py"
    path.write_text(broken)
    try:
        said = run(VENV / "bin/pytest", cwd=library, status=1)
    finally:
        path.write_text(OPS)
    assert all(failing in line for line in said.splitlines() if line.startswith("FAILED")), said


def test_it_runs_with_the_oldest_packages_that_it_allows(library):
    said = make("test-oldest", library)
    assert re.search(r"^numpy +1\.24\.0$", said, re.M), said
    assert re.search(r"^array[-_]api[-_]compat +1\.11$", said, re.M), said
    assert " passed" in said


def test_its_wheel_is_built_installed_and_used(library, dist):
    assert "it 1.2.3 works" in dist
    names = sorted(path.name for path in (library / "dist").iterdir())
    assert names == ["it-1.2.3-py3-none-any.whl", "it-1.2.3.tar.gz"]


def test_its_version_is_that_of_the_tag_in_ci_and_0_where_there_is_no_git(library, tmp_path):
    run("git", "clone", "--quiet", "--no-tags", "--depth=1", f"file://{library}", tmp_path / "it")
    share_tools(tmp_path / "it")
    tag = {"GITHUB_REF_TYPE": "tag", "GITHUB_REF_NAME": "v2.0"}
    for env, version in [(tag, "2.0"), ({}, "0.0.0")]:
        run("ci/dist.sh", cwd=tmp_path / "it", **env)
        assert (tmp_path / f"it/dist/it-{version}.tar.gz").exists()
        run("rm", "-rf", tmp_path / "it/.git")


def test_its_documentation_names_its_functions(library):
    make("docs", library)
    assert "standardize" in (library / "site/api.html").read_text()


def test_its_benchmark_says_what_it_could_not_measure(library):
    said = make("bench", library)
    assert "| standardize 9000 | numpy | cpu | 0." in said or "e-05 | 1.00" in said
    assert "| standardize 9000 | cupy | cuda | not measured: cupy is not installed" in said


@pytest.mark.usefixtures("dist")
def test_a_version_is_not_published_under_another_tag(library):
    said = run("ci/publish.sh", cwd=library, status=1, CI_COMMIT_TAG="v9.9.9")
    assert "not published" in said


def test_all_of_that_leaves_the_child_clean(library):
    (library / "bench/RESULTS.md").unlink(missing_ok=True)
    (library / "bench/results.json").unlink(missing_ok=True)
    assert run("git", "status", "--porcelain", cwd=library) == ""
