"""Python's own profiler, for backends whose framework has none that is of use here."""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def functions(out: Path) -> Iterator[None]:
    """Writes what the block did: functions.txt to read, functions.pstats for viewers."""
    with cProfile.Profile() as seen:
        yield
    seen.dump_stats(out / "functions.pstats")
    with (out / "functions.txt").open("w", encoding="utf-8") as file:
        pstats.Stats(seen, stream=file).sort_stats("tottime").print_stats(40)
