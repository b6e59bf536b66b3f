"""Threads for the framework: as many CPUs as the container was promised, not all of the machine.

A framework starts a thread for each core that it sees, and all of them wait for one another many
times in a pass. Where others use the cores too, each pass waits for the busiest one: a small model
was 3 to 40 times slower with two threads than with one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

# What frameworks read, most of them while they are imported.
VARIABLES = (
    "OMP_NUM_THREADS",  # PyTorch, XGBoost, NumPy; backend.py reads it for ONNX Runtime
    "TF_NUM_INTRAOP_THREADS",
    "NPROC",  # XLA
    "RAYON_NUM_THREADS",  # tokenizers
)


def use(threads: int = 0, spare: int = 0) -> int:
    """Has the framework use so many threads; before its import. 0: what `promised` says.

    Of those, `spare` are left to others of this process; at least one remains. Where nothing was
    promised it is one. Variables that are set already win.
    """
    threads = threads or max(1, (promised() or 1) - spare)
    for name in VARIABLES:
        os.environ.setdefault(name, str(threads))
    return threads


def promised(root: Path = Path("/")) -> int | None:
    """CPUs of this process alone: its cgroup's limit, rounded up, or fewer by its affinity.

    None where it has neither: then it shares all cores with whatever else runs.
    """
    limits = [math.ceil(limit) for limit in _limits(root)]
    mine = len(os.sched_getaffinity(0))
    if mine < (os.cpu_count() or 1):
        limits.append(mine)
    return max(1, min(limits)) if limits else None


def _limits(root: Path) -> Iterator[float]:
    """Of the process's group and of all groups around it, in either version of cgroups."""
    groups = root / "sys/fs/cgroup"
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, controllers, path = line.split(":", 2)
        if not controllers:
            for folder in _upwards(groups, path):
                quota, _, period = _read(folder / "cpu.max").partition(" ")
                if quota.isdigit():
                    yield int(quota) / int(period)
        elif "cpu" in controllers.split(","):
            for folder in _upwards(groups / controllers, path):
                quota = _read(folder / "cpu.cfs_quota_us").strip()
                if quota.isdigit():  # -1 is none
                    yield int(quota) / int(_read(folder / "cpu.cfs_period_us"))


def _upwards(top: Path, path: str) -> Iterator[Path]:
    """The folder of a group and those around it. Within a container only the top may be there."""
    folder = top / path.strip("/")
    while folder != top:
        yield folder
        folder = folder.parent
    yield top


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""
