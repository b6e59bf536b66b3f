"""The one file: what it needs, and that it makes what the ordinary program makes.

Of the render matrix it is an eighth, another with each commit; ONE_IN=1 takes all.
"""

import os
import re
import shutil
import subprocess

import pytest

from ..child import pairs
from ..child.test_matrix import SEED
from .support import TMPLGEN, TOP, run, seed

GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}
OLDEST = (2, 28)
ONE_IN = int(os.environ.get("ONE_IN") or 8)
# What the render matrix leaves out: where a child runs.
ELSEWHERE = {
    "service": [["--deploy", "k8s", "--gpu", "T4"], ["--orchestrator", "flyte", "--ci", "gitlab"]],
    "batch": [["--deploy", "k8s", "--set", "license=MIT"], ["--orchestrator", "slurm"]],
    "library": [["--ci", "github,gitlab,jenkins"], ["--driver", "535"]],
}


def needs(file):
    """Names of libraries, and versions of glibc."""
    said = run("objdump", "-p", file)
    versions = re.findall(r"GLIBC_(\d+)\.(\d+)", said)
    return set(re.findall(r"NEEDED +(\S+)", said)), {tuple(map(int, it)) for it in versions}


def test_it_needs_glibc_and_nothing_else(portable):
    libraries, versions = needs(portable)
    assert libraries <= GLIBC
    assert "libc.so.6" in libraries
    assert max(versions) <= OLDEST


def test_it_lies_at_another_address_in_each_run(portable):
    """It parses what strangers wrote: its own code is no fixed target."""
    assert re.search(r"Type: +DYN", run("readelf", "-h", portable))


def test_no_path_of_the_machine_that_built_it_is_in_it(portable):
    assert str(TOP).encode() not in portable.read_bytes()


def requests(kind):
    """The render matrix of a type, and more."""
    pytorch = ["--type", kind, "--framework", "pytorch"]
    yield from ([*pytorch, *words] for words in ELSEWHERE.get(kind, []))
    rows = pairs.rows(pairs.choices(pairs.types()[kind]), SEED)
    yield from (pairs.words(kind, row) for row in rows[seed() % ONE_IN :: ONE_IN])


def made(program, words, scratch):
    """What came of a request: exit status, words but for the commit, tree."""
    command = [program, "new", "same", "--defaults", *words]
    done = subprocess.run(command, cwd=scratch, capture_output=True, text=True, check=False)
    tree = None
    if done.returncode == 0:
        tree = run("git", "rev-parse", "HEAD^{tree}", cwd=scratch / "same")
        shutil.rmtree(scratch / "same")
    return done.returncode, re.sub(r"commit \w+", "", done.stdout), done.stderr, tree


@pytest.mark.parametrize("kind", pairs.types())
def test_it_makes_the_same_trees(portable, tmp_path, kind):
    print(f"SEED={seed()}")
    trees = set()
    for words in requests(kind):
        one, ordinary = (made(program, words, tmp_path) for program in (portable, TMPLGEN))
        assert one == ordinary, words
        assert one[0] in (0, 4), one
        trees.add(one[3])
    assert len(trees) > 1


def test_its_pages_and_documents_are_those_of_the_ordinary_one(portable):
    for words in (["help", "--json"], ["completion", "bash"], ["matrix", "list", "--json"]):
        assert run(portable, *words) == run(TMPLGEN, *words)


def test_its_helper_closes_what_it_inherits_also_on_an_old_kernel(portable, tmp_path):
    """Linux before 5.9 has no close_range."""
    run(portable, "new", "--type", "library", "--framework", "none", "--defaults", tmp_path / "a")
    run("git", "commit", "--allow-empty", "-qm", "more", cwd=tmp_path / "a")
    old = ["strace", "-f", "-e", "trace=close_range,close", "-o", tmp_path / "trace"]
    old += ["-e", "inject=close_range:error=ENOSYS"]
    with open(tmp_path / "inherited", "w") as held:
        command, held_number = [*old, portable, "status"], held.fileno()
        done = subprocess.run(command, cwd=tmp_path / "a", pass_fds=[held.fileno()], check=False)
    assert done.returncode == 0
    trace = (tmp_path / "trace").read_text()
    assert "ENOSYS" in trace
    assert f"close({held_number})" in trace
