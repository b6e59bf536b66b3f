"""How long the cases of tests/test_ops.py take, CPU against GPU: RESULTS.md and results.json.

Each figure is the median of several runs after one that warms up; a run ends when its result has
been read. What cannot be measured here stands in the table with its reason.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import runpy
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from places import FRAMEWORK, Missing, Place, find, parts

LIBRARY = "pytorch-library"
CASES = runpy.run_path(str(Path(__file__).parent.parent / "tests/test_ops.py"))["CASES"]


@dataclass
class Row:
    """One line of the table."""

    case: str
    arrays: str
    device: str
    seconds: float | None = None
    speed_up: float | None = None
    not_measured: str = ""


def measure(work: Callable[[], None], repeats: int) -> float:
    """The median time of one run, in seconds."""
    work()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure_case(name: str, repeats: int) -> list[Row]:
    """NumPy, the framework on the CPU, and on the GPU."""
    operation, make, more = CASES[name]
    given = make()
    rows = []
    for arrays, device in [("numpy", "cpu"), (FRAMEWORK, "cpu"), (FRAMEWORK, "cuda")]:
        row = Row(name, arrays, device)
        rows.append(row)
        try:
            place = find(arrays, device)
        except Missing as error:
            row.not_measured = str(error)
            continue
        there = [place.put(values) for values in given]

        def work(place: Place = place, there: list[Any] = there) -> None:
            for array in parts(operation(*there, **more)):
                place.read(array)

        row.seconds = measure(work, repeats)
        row.speed_up = (rows[0].seconds or row.seconds) / row.seconds
    return rows


def processor() -> str:
    """The CPU's own name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} threads" if names else platform.machine()


def facts() -> dict[str, str]:
    """What the figures hold for."""
    try:
        gpu = find(FRAMEWORK, "cuda").name
    except Missing as error:
        gpu = f"none ({error})"
    found = {"CPU": processor(), "GPU": gpu, "Python": platform.python_version()}
    for name in (FRAMEWORK, "numpy", LIBRARY):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            found[name] = "not installed"
    return found


def table(found: dict[str, str], rows: list[Row]) -> str:
    """The results as Markdown."""
    lines = ["# Results", "", "`make bench` writes this.", ""]
    lines += [f"- {name}: {value}" for name, value in found.items()]
    lines += ["", "| case | arrays | device | seconds | speed-up |"]
    lines += ["| --- | --- | --- | ---: | ---: |"]
    for row in rows:
        figures = f"not measured: {row.not_measured} |"
        if row.seconds is not None:
            figures = f"{row.seconds:.4g} | {row.speed_up:.2f}"
        lines.append(f"| {row.case} | {row.arrays} | {row.device} | {figures} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the first case only: does it work?")
    parser.add_argument("--repeats", type=int, default=5, help="runs of which the median counts")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="where to write")
    asked = parser.parse_args()
    found = facts()
    names = islice(CASES, 1 if asked.quick else None)
    rows = [row for name in names for row in measure_case(name, asked.repeats)]
    results = {"facts": found, "rows": [asdict(row) for row in rows]}
    (asked.out / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    text = table(found, rows)
    (asked.out / "RESULTS.md").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
