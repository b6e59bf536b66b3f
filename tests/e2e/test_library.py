"""A library as its publisher meets it: built, installed, documented, measured.

test_frameworks.py sets up, lints and tests libraries on every framework.
"""

import pytest

from .support import TMPLGEN, run


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A library after `make setup DEVICE=cpu`."""
    folder = tmp_path_factory.mktemp("library") / "it"
    words = ["--type", "library", "--framework", "none", "--python", "3.11"]
    run(TMPLGEN, "new", folder, *words, "--name", "it", "--set", "docs=true")
    run("make", "setup", "DEVICE=cpu", cwd=folder)
    return folder


@pytest.fixture(scope="module")
def dist(library):
    """What `make dist` says; the folder is then there."""
    return run("make", "dist", cwd=library)


def test_its_wheel_is_built_installed_and_used(library, dist):
    assert "it 0.1.0 works from its wheel" in dist
    names = sorted(path.name for path in (library / "dist").iterdir())
    assert names == ["it-0.1.0-py3-none-any.whl", "it-0.1.0.tar.gz"]


def test_its_documentation_names_its_functions(library):
    run("make", "docs", cwd=library)
    assert "topk_cosine" in (library / "site/api.html").read_text()


def test_its_benchmark_says_what_it_could_not_measure(library):
    said = run(library / ".venv/bin/python", "bench/bench_ops.py", "--quick", cwd=library)
    assert "not measured" in said


@pytest.mark.usefixtures("dist")
def test_a_version_is_not_published_under_another_tag(library):
    said = run("ci/publish.sh", cwd=library, status=1, CI_COMMIT_TAG="v9.9.9")
    assert "not published" in said


def test_all_of_that_leaves_the_child_clean(library):
    (library / "bench/RESULTS.md").unlink(missing_ok=True)
    (library / "bench/results.json").unlink(missing_ok=True)
    assert run("git", "status", "--porcelain", cwd=library) == ""
