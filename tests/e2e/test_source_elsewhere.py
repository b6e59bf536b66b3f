"""Built from source with other compilers and other versions of the libraries.

Two releases of Debian take turns: which one, the number of commits says, or SEED.
"""

import shutil

import pytest

from .support import HOME, TMPLGEN, TOP, WORK, in_root, root_with_sources, run, seed

WORDS = "--type service --framework none --defaults"


# Their version of libgit2, and of Python. The first has gcc 12, the second gcc 14.
DEBIANS = {"bookworm": ("1.5", "3.11"), "trixie": ("1.9", "3.13")}


@pytest.fixture(scope="module", params=[sorted(DEBIANS)[seed() % 2]])
def machine(request):
    root = root_with_sources(WORK / request.param, request.param)
    yield root
    shutil.rmtree(root)


@pytest.fixture
def has(machine):
    return DEBIANS[machine.name]


def must(root, script):
    status, said = in_root(root, f"export PATH={HOME}/build:$PATH; cd /root && {script}")
    assert status == 0, said[-8000:]
    return said


@pytest.mark.usefixtures("_root_user")
def test_it_is_built_there_and_makes_the_same_tree(machine, has, tmp_path):
    must(machine, f"cd {HOME} && WERROR=1 make demo")
    assert f"libgit2 {has[0]}" in must(machine, "tmplgen version")
    must(machine, f"tmplgen new {WORDS} same")
    run(TMPLGEN, "new", *WORDS.split(), tmp_path / "same")
    tree = run("git", "rev-parse", "HEAD^{tree}", cwd=tmp_path / "same")
    assert tree in must(machine, "cd same && git rev-parse HEAD^{tree}")


@pytest.mark.usefixtures("_root_user")
def test_the_first_five_commands_of_a_project_work_there(machine, has):
    """With the Python that it has, which `new` was told."""
    must(machine, "apt-get install --yes python3-venv curl")
    must(machine, f"tmplgen new {WORDS} --python {has[1]} it")
    for command in ("make setup DEVICE=cpu", "make lint", "make test", "tmplgen status"):
        must(machine, f"cd it && PIP_NO_COMPILE=1 {command}")
    must(machine, "cd it && (timeout 60 make run || [ $? = 124 ]) && git status --porcelain")


@pytest.mark.usefixtures("_root_user")
def test_what_is_not_there_is_told_with_what_helps(machine, has):
    said = must(machine, f"tmplgen new {WORDS} --python 3.12 old")
    assert "Python 3.12 is not here" in said
    status, said = in_root(machine, "cd /root/old && make setup DEVICE=cpu")
    assert status != 0
    assert f"tmplgen update --set python={has[1]}" in said
    must(machine, f"cd old && tmplgen update --set python={has[1]} && make setup DEVICE=cpu")


def test_clang_builds_it_without_a_warning():
    said = run(
        "make", "-j2", "CC=clang", "WERROR=1", "BUILD=build/clang", "build/clang/tmplgen", cwd=TOP
    )
    assert "warning" not in said
    run(TOP / "build/clang/tmplgen", "matrix", "resolve", "--framework", "pytorch")
