"""The driver that renders with our template language, built when it is not given."""

import fcntl
import os
import subprocess
from pathlib import Path

import pytest

from .oracle import Ours

ROOT = Path(__file__).resolve().parents[2]


def built_driver():
    """build/oracle-render; the workers of a parallel run build it one after the other."""
    (ROOT / "build").mkdir(exist_ok=True)
    with open(ROOT / "build" / "make.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(
            ["make", "--no-print-directory", "build/oracle-render"], cwd=ROOT, check=True
        )
    return ROOT / "build" / "oracle-render"


@pytest.fixture(scope="session")
def ours():
    driver = Ours(os.environ.get("ORACLE_RENDER") or built_driver())
    yield driver
    driver.close()
