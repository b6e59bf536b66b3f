"""The built binary's matrix commands."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("TMPLGEN", ROOT / "build" / "tmplgen")).resolve()
LISTS = {"gpu", "with"}


@dataclass
class Result:
    """What one run left behind."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def matrix(tmp_path_factory):
    """Runs `tmplgen matrix ...` in a world of its own."""
    home = tmp_path_factory.mktemp("home")
    env = {"PATH": os.environ["PATH"], "HOME": str(home), "XDG_CONFIG_HOME": str(home)}

    def run(*words, cwd=home):
        command = [BINARY, "matrix", *map(str, words)]
        done = subprocess.run(
            command, capture_output=True, text=True, env=env, cwd=cwd, check=False
        )
        return Result(done.returncode, done.stdout, done.stderr)

    return run


def options(request):
    """A request of JSON.md as options of the command line."""
    for name, value in request.items():
        for text in value if name in LISTS else [value]:
            yield from (f"--{name}", text)


@pytest.fixture(scope="session")
def resolve(matrix):
    """Resolves a request, as JSON.md has it, on the matrix of `catalog` (default: built in)."""

    def run(request, catalog=None):
        where = ["--catalog", catalog] if catalog else []
        result = matrix("resolve", "--json", *options(request), *where)
        document = json.loads(result.out)
        assert document["exit"] == result.code
        assert document["schema"] == "tmplgen/resolve@1"
        return document

    return run
