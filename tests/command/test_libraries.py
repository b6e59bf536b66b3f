"""Libraries that only some commands need: the others run without them."""

import subprocess

import pytest

from ..common.program import BINARY

PROGRAM = BINARY.read_bytes()
NEEDED = subprocess.run(["objdump", "-p", BINARY], capture_output=True, text=True).stdout
LOADED_LATE = "NEEDED" in NEEDED and "libgit2" not in NEEDED
pytestmark = pytest.mark.skipif(not LOADED_LATE, reason="linked with its libraries: LAZY= or SAN=1")


@pytest.fixture
def without(tmp_path):
    """Runs a copy of the program that looks for a library by a name that nobody has."""

    def run(library, *args):
        copy = tmp_path / "tmplgen"
        missing = PROGRAM.replace(library + b".so.", library + b".no.")
        assert missing != PROGRAM
        copy.write_bytes(missing)
        copy.chmod(0o755)
        return subprocess.run([copy, *args], cwd=tmp_path, capture_output=True, text=True)

    return run


@pytest.mark.parametrize("args", [["--version"], ["help", "new"]])
@pytest.mark.parametrize("library", [b"libgit2", b"libcurl", b"libcrypto"])
def test_what_needs_no_library_runs_without(without, library, args):
    assert without(library, *args).returncode == 0


def test_what_makes_a_repository_says_that_libgit2_is_missing(without):
    done = without(b"libgit2", "new", "--type", "library", "--framework", "none", "--defaults")
    assert done.returncode == 1
    assert "cannot load 'libgit2.no" in done.stderr
    assert "install the package that 'libgit2.no" in done.stderr


def test_what_makes_a_repository_runs_without_libcurl(without):
    done = without(b"libcurl", "new", "--type", "library", "--framework", "none", "--defaults")
    assert done.returncode == 0, done.stderr
