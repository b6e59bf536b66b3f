"""CI of a fork of the catalog: hadolint, actionlint and zizmor on the files that projects get."""

import shutil
import sys
from pathlib import Path

import pytest

from ..command.world import git
from .support import TMPLGEN, TOP, run

TYPES = ("batch", "cluster", "images", "llm", "service")
WORKFLOW = "templates/_layers/ci-github/files/.github/workflows/ci.yml.j2"
# linter: the file of the catalog, what is replaced in it, and what is said of that
FAULTS = {
    "hadolint": ("templates/_includes/image/Dockerfile", "WORKDIR /", "WORKDIR ", "DL3000"),
    "actionlint": (WORKFLOW, "runs-on:", "runs-onn:", 'unexpected key "runs-onn"'),
    "zizmor": ("templates/_includes/actions/checkout", "@", "@v7 # @", "unpinned-uses"),
}


@pytest.fixture(scope="module")
def linters(tmp_path_factory, node_modules):
    """What LINTERS names: actionlint's own package fetches the program from GitHub."""
    folder = tmp_path_factory.mktemp("linters")
    for name in ("hadolint", "zizmor"):
        (folder / name).symlink_to(Path(sys.executable).parent / name)
    script = f'#!/bin/sh\nexec node {TOP}/tests/e2e/actionlint.cjs {node_modules} "$@"\n'
    (folder / "actionlint").write_text(script)
    (folder / "actionlint").chmod(0o755)
    return folder


@pytest.fixture
def fork(tmp_path):
    run(TMPLGEN, "template", "export", tmp_path / "fork")
    return tmp_path / "fork"


@pytest.fixture
def ci(fork, linters, tmp_path):
    """Runs ci/catalog.sh on what lies in the fork, committed first."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "tmplgen").symlink_to(TMPLGEN)

    def run_it(status):
        git(fork, "add", ".")
        git(fork, "commit", "--quiet", "--allow-empty", "--message", "ours")
        path = f"{programs}:/usr/local/bin:/usr/bin:/bin"
        return run("ci/catalog.sh", cwd=fork, status=status, PATH=path, LINTERS=linters)

    return run_it


def test_ci_finds_nothing_and_passes_its_own_linters(fork, ci, linters):
    assert "All workflow files passed lint checks" in ci(0)
    workflow = fork / ".github/workflows/catalog.yml"
    run(linters / "actionlint", workflow)
    run(linters / "zizmor", "--offline", "--pedantic", workflow)


@pytest.mark.parametrize("linter", FAULTS)
def test_ci_fails_where_a_linter_finds_something(fork, ci, linter):
    path, old, new, said = FAULTS[linter]
    for name in TYPES:  # one is enough, and faster
        shutil.rmtree(fork / "templates" / name)
    text = (fork / path).read_text()
    assert old in text
    (fork / path).write_text(text.replace(old, new, 1))
    assert said in ci(1)
