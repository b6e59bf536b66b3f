"""Runs of tmplgen in which the Nth call that changes the file system fails or kills it."""

import os
import random
import shutil
import subprocess
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from ..common.program import SANITIZED

SOURCES = Path(__file__).resolve().parent / "faults"
# What is sampled is drawn by it: another sample with each commit.
SEED = int(os.environ.get("TMPLGEN_SEED") or os.environ.get("TURNS") or 20260101)
# What is made from a number is made from here on: other things with each commit.
FIRST = int(os.environ.get("SEED") or 1000 * SEED)
ALL = 10**9


def sizes(few=None, sample=None, every=ALL):
    """
    Gives a test `size`, how many points of each of its cases it takes: `few` in `make test` and
    `sample` in `make test-full`, each (points, cases); `every` point of every case in `make soak`.
    """
    found = [pytest.param(every, id="all", marks=pytest.mark.soak)]
    for name, taken, marks in (("few", few, ()), ("sample", sample, (pytest.mark.full,))):
        if taken:
            points, cases = taken
            marks = (*marks, pytest.mark.sized, pytest.mark.turns(cases))
            found.append(pytest.param(points, id=name, marks=marks))
    return pytest.mark.parametrize("size", found)


def shim(name="failn") -> Path:
    """A preload library; where it cannot be loaded, there is no test."""
    if SANITIZED:
        pytest.skip("a sanitizer has to be loaded first")
    return built(name)


@cache
def built(name) -> Path:
    """Once for each process of the tests."""
    folder = Path(tempfile.mkdtemp(prefix=f"{name}-"))
    library, source = folder / f"{name}.so", SOURCES / f"{name}.c"
    subprocess.run(
        ["cc", "-shared", "-fPIC", "-O1", "-D_GNU_SOURCE", "-o", library, source, "-ldl"],
        check=True,
    )
    return library


def other_device() -> dict:
    """The environment of a run that sees every file on another device, with another number."""
    return {"LD_PRELOAD": str(shim("device"))}


def fast_folder() -> Path:
    """Somewhere in memory where that is possible: thousands of runs do not need a disk."""
    memory = Path("/dev/shm")
    place = memory if memory.is_dir() and os.access(memory, os.W_OK) else None
    return Path(tempfile.mkdtemp(prefix="tmplgen-faults-", dir=place))


def fault(at: int, kind: str, **more) -> dict:
    """The environment of a run with one fault."""
    return {"LD_PRELOAD": str(shim()), "FAILN_AT": str(at), "FAILN_KIND": kind, **more}


@dataclass(frozen=True)
class Call:
    """A call that changes the file system: its number from 1, its name, what it is about."""

    number: int
    name: str
    paths: tuple  # whole; where something moves, from and to


def calls_of(run) -> list:
    """The calls that `run(env)` makes."""
    with tempfile.NamedTemporaryFile() as out:
        run({"LD_PRELOAD": str(shim()), "FAILN_LOG": out.name})
        lines = Path(out.name).read_text().splitlines()
    words = [line.split("\t") for line in lines]
    return [Call(number, name, tuple(paths)) for number, (name, *paths) in enumerate(words, 1)]


def count_calls(run) -> int:
    return len(calls_of(run))


def sample(items, size: int, seed=SEED) -> list:
    """All, or so many of them, always the same for a seed."""
    items = list(items)
    drawn = random.Random(seed).sample(range(len(items)), min(size, len(items)))
    return [items[at] for at in sorted(drawn)]


def points(run, size) -> list:
    """The numbers of so many of the calls that `run(env)` makes."""
    return sample(range(1, count_calls(run) + 1), size)


@contextmanager
def told_of(where):
    """A failure says where it was, and by which seed."""
    try:
        yield
    except (AssertionError, ValueError) as error:
        raise AssertionError(f"{where} (seed {SEED}): {error}") from error


def clone_folder(source: Path, target: Path) -> None:
    if target.exists():
        shutil.rmtree(target)
    subprocess.run(["cp", "-a", source, target], check=True)
