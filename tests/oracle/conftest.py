"""The drivers that ask our code, built when they are not given."""

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from .oracle import Ours

ROOT = Path(__file__).resolve().parents[2]


def built(name):
    """build/NAME; the workers of a parallel run build it one after the other."""
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "make.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "--no-print-directory", f"build/{name}"], cwd=ROOT, check=True)
    return ROOT / "build" / name


@pytest.fixture(scope="session")
def ours():
    driver = Ours(os.environ.get("ORACLE_RENDER") or built("oracle-render"))
    yield driver
    driver.close()


@pytest.fixture(scope="session")
def toml_probe():
    return os.environ.get("TOML_PROBE") or built("toml-probe")
