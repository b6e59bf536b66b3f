"""Runs of tmplgen in which the Nth call that changes the file system fails or kills it."""

import os
import random
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from ..common.program import SANITIZED

SOURCES = Path(__file__).resolve().parent / "faults"


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


def sample(items: list, size: int, seed: int) -> list:
    """All, or so many of them, always the same for a seed."""
    return items if len(items) <= size else sorted(random.Random(seed).sample(items, size))


def clone_folder(source: Path, target: Path) -> None:
    if target.exists():
        shutil.rmtree(target)
    subprocess.run(["cp", "-a", source, target], check=True)
