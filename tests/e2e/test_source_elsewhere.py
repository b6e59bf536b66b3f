"""Built from source with other compilers and other versions of the libraries."""

import shutil

import pytest

from .support import HOME, TMPLGEN, TOP, WORK, in_root, root_with_sources, run

WORDS = "--type service --framework none --defaults"


@pytest.fixture(scope="module")
def machine():
    """Debian 13: gcc 14, libgit2 1.9, Python 3.13."""
    root = root_with_sources(WORK / "trixie", "trixie")
    yield root
    shutil.rmtree(root)


def must(root, script):
    status, said = in_root(root, f"export PATH={HOME}/build:$PATH; cd /root && {script}")
    assert status == 0, said[-8000:]
    return said


@pytest.mark.usefixtures("_root_user")
def test_debian_13_builds_it_and_makes_the_same_tree(machine, tmp_path):
    must(machine, f"cd {HOME} && WERROR=1 make demo")
    assert "libgit2 1.9" in must(machine, "tmplgen version")
    must(machine, f"tmplgen new {WORDS} same")
    run(TMPLGEN, "new", *WORDS.split(), tmp_path / "same")
    tree = run("git", "rev-parse", "HEAD^{tree}", cwd=tmp_path / "same")
    assert tree in must(machine, "cd same && git rev-parse HEAD^{tree}")


@pytest.mark.usefixtures("_root_user")
def test_the_first_five_commands_of_a_project_work_there(machine):
    """With the Python that Debian 13 has, which `new` was told."""
    must(machine, "apt-get install --yes python3-venv curl")
    must(machine, f"tmplgen new {WORDS} --python 3.13 it")
    for command in ("make setup DEVICE=cpu", "make lint", "make test", "tmplgen status"):
        must(machine, f"cd it && PIP_NO_COMPILE=1 {command}")
    must(machine, "cd it && (timeout 60 make run || [ $? = 124 ]) && git status --porcelain")


@pytest.mark.usefixtures("_root_user")
def test_what_is_not_there_is_told_with_what_helps(machine):
    said = must(machine, f"tmplgen new {WORDS} --python 3.12 old")
    assert "Python 3.12 is not here" in said
    status, said = in_root(machine, "cd /root/old && make setup DEVICE=cpu")
    assert status != 0
    assert "tmplgen update --set python=3.13" in said
    must(machine, "cd old && tmplgen update --set python=3.13 && make setup DEVICE=cpu")


def test_clang_builds_it_without_a_warning():
    said = run(
        "make", "-j2", "CC=clang", "WERROR=1", "BUILD=build/clang", "build/clang/tmplgen", cwd=TOP
    )
    assert "warning" not in said
    run(TOP / "build/clang/tmplgen", "matrix", "resolve", "--framework", "pytorch")
