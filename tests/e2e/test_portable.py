"""The one file: what it needs, and that it makes what the ordinary program makes."""

import re
import subprocess

import pytest

from .support import TMPLGEN, TOP, run
from .test_frameworks import all_pairs

GLIBC = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2"}
OLDEST = (2, 28)
# What changes a child most, beside its type and framework.
MORE = {
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


@pytest.mark.parametrize("kind", sorted({kind for kind, _ in all_pairs()}))
def test_it_makes_the_same_trees(portable, tmp_path, kind):
    requests = [["--framework", name] for pair_kind, name in all_pairs() if pair_kind == kind]
    requests += [[*requests[0], *more] for more in MORE.get(kind, [])]
    for i, words in enumerate(requests):
        trees = []
        for name, program in (("one", portable), ("ordinary", TMPLGEN)):
            child = tmp_path / name / str(i) / "same"
            run(program, "new", "--defaults", "--type", kind, *words, child)
            trees.append(run("git", "rev-parse", "HEAD^{tree}", cwd=child))
        assert trees[0] == trees[1], words


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
