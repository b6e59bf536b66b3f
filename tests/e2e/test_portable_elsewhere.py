"""The one file on other systems: without compiler, git and curl, and on another processor."""

import os
import shutil

import pytest

from tools.checks import files

from .support import TMPLGEN, TOP, WORK, bare_root, in_root, run

INDEX = "--index-url http://127.0.0.1:9/simple"
CHILD = "--type service --framework pytorch --defaults"


@pytest.fixture(scope="module", params=["bookworm", "trixie"])
def machine(request, portable):
    """Debian 12 or 13 as debootstrap makes it: no compiler, no git, no curl, no Python."""
    root = bare_root(WORK / f"bare-{request.param}", suite=request.param)
    shutil.copy(portable, root / "usr/bin/tmplgen")
    yield root
    shutil.rmtree(root)


def in_machine(machine, script):
    return in_root(machine, f"cd /root && {script} 2>&1")


@pytest.mark.usefixtures("_root_user")
def test_what_needs_nothing_works(machine):
    for words in (
        "tmplgen version",
        "tmplgen matrix resolve --framework pytorch --driver 535",
        f"tmplgen new {CHILD} made -q && cd made && tmplgen status",
        "tmplgen image render tmplgen --output images",
        "cd made && tmplgen update --set license=MIT",
    ):
        status, said = in_machine(machine, words)
        assert status == 0, f"{words}: {said}"
    status, said = in_machine(machine, "tmplgen doctor")
    assert (status, "no NVIDIA GPU" in said) == (77, True), said


@pytest.mark.usefixtures("_root_user")
def test_what_needs_a_program_or_a_library_says_so(machine):
    status, said = in_machine(machine, f"tmplgen matrix verify {INDEX}")
    assert status == 1
    assert "libcurl.so.4 is not installed" in said
    assert "apt-get install libcurl4" in said
    status, said = in_machine(machine, f"tmplgen new {CHILD} --trust --catalog https://h.example/c")
    assert status == 1
    assert "git" in said


@pytest.mark.usefixtures("_root_user")
def test_libcurl_from_the_distribution_is_found(machine):
    status, said = in_root(machine, "apt-get update && apt-get install --yes libcurl3-gnutls")
    assert status == 0, said
    _, said = in_machine(machine, f"tmplgen matrix verify {INDEX}")
    assert "libcurl" not in said


def test_the_file_for_the_other_processor_makes_the_same_tree(tmp_path):
    run("make", "dist/tmplgen-aarch64-linux", cwd=TOP)
    other = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", TOP / "dist/tmplgen-aarch64-linux"]
    trees = []
    for name, program in (("one", other), ("ordinary", [TMPLGEN])):
        run(*program, "new", *CHILD.split(), tmp_path / name / "same")
        trees.append(run("git", "rev-parse", "HEAD^{tree}", cwd=tmp_path / name / "same"))
    assert trees[0] == trees[1]


def test_two_folders_build_the_same_bytes(portable, tmp_path):
    """With nothing in common but the sources: not even the compiler's cache."""
    again = tmp_path / "another" / "deeper"
    for name in files.listed(TOP):
        (again / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(TOP / name, again / name)
    (again / "build/portable").mkdir(parents=True)
    shutil.copytree(TOP / "build/portable/downloads", again / "build/portable/downloads")
    os.symlink(TOP / "build/portable-venv", again / "build/portable-venv")
    run("make", "-j2", "dist/tmplgen-x86_64-linux", cwd=again)
    assert (again / "dist/tmplgen-x86_64-linux").read_bytes() == portable.read_bytes()
    shutil.rmtree(again)
