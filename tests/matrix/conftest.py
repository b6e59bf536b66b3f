"""The built binary's matrix commands."""

import gzip
import json
import os
import subprocess

import pytest

from ..common.program import BINARY, ROOT, Result
from ..common.rows import matrix_catalog

LISTS = {"gpu", "with"}


@pytest.fixture
def catalog(tmp_path):
    """A catalog with the shipped matrix that may be written to."""
    return matrix_catalog(tmp_path / "catalog")


@pytest.fixture(scope="session")
def record(tmp_path_factory):
    """What a live package index answered, as `--offline` reads it."""
    path = tmp_path_factory.mktemp("record") / "index.json"
    packed = ROOT / "tests" / "data" / "index-record.json.gz"
    path.write_bytes(gzip.decompress(packed.read_bytes()))
    return path


@pytest.fixture(scope="session")
def tags(tmp_path_factory):
    """The tags of nvidia/cuda, as `matrix check --tags` reads them: one a line."""
    path, made = tmp_path_factory.mktemp("tags") / "tags", []
    for row in (ROOT / "tests/data/nvidia-cuda-tags.txt").read_text().splitlines():
        version, _, rest = row.partition(": ")
        kinds, _, systems = rest.partition(" on ")
        if not row.startswith("#"):
            made += [f"{version}-{k}-{s}" for k in kinds.split() for s in systems.split()]
    path.write_text("".join(f"{tag}\n" for tag in made))
    return path


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
    """A request of docs/json.md as options of the command line."""
    for name, value in request.items():
        for text in value if name in LISTS else [value]:
            yield from (f"--{name}", text)


@pytest.fixture(scope="session")
def resolve(matrix):
    """Resolves a request of docs/json.md on the matrix of `catalog` (default: built in)."""

    def run(request, catalog=None):
        where = ["--catalog", catalog] if catalog else []
        result = matrix("resolve", "--json", *options(request), *where)
        document = json.loads(result.out)
        assert document["exit"] == result.code
        assert document["schema"] == "tmplgen/resolve@1"
        return document

    return run
