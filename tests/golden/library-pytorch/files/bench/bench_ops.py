"""How long the operations take, CPU against GPU: writes RESULTS.md and results.json.

Each figure is the median of several runs after one that warms up; a run ends when its result has
been read. What cannot be measured here stands in the table with its reason.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import platform
import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pytorch_library import backend, topk_cosine

LIBRARY = "pytorch-library"
K = 10
# Rows to look for, rows to look in, width.
SIZES = [(100, 10_000, 128), (1_000, 100_000, 128), (1_000, 100_000, 768)]
QUICK = [(20, 500, 16)]

Put = Callable[[NDArray[Any]], Any]
Read = Callable[[Any], Any]


@dataclass
class Row:
    """One line of the table."""

    size: str
    arrays: str
    device: str
    seconds: float | None = None
    queries_per_second: float | None = None
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


def measure_rows(size: tuple[int, int, int], repeats: int) -> list[Row]:
    """NumPy, the framework on the CPU, and on the GPU."""
    queries, base, width = size
    rng = np.random.default_rng(0)
    a = rng.standard_normal((queries, width), dtype=np.float32)
    b = rng.standard_normal((base, width), dtype=np.float32)
    name = f"{queries} in {base}, width {width}"
    rows = []

    def add(arrays: str, device: str, put: Put, read: Read = backend.to_numpy) -> None:
        row = Row(name, arrays, device)
        rows.append(row)
        try:
            one, other = put(a), put(b)

            def work() -> None:
                read(topk_cosine(one, other, K).values)

            row.seconds = measure(work, repeats)
        except backend.DeviceError as error:
            row.not_measured = str(error)
            return
        row.queries_per_second = queries / row.seconds
        assert rows[0].seconds is not None
        row.speed_up = rows[0].seconds / row.seconds

    add("numpy", "cpu", np.asarray, np.asarray)
    if backend.NAME != "none":
        add(backend.NAME, "cpu", lambda values: backend.asarray(values, "cpu"))
    add(
        backend.NAME,
        "cuda",
        lambda values: backend.asarray(values, backend.pick_device("cuda")),
    )
    return rows


def processor() -> str:
    """The CPU's own name."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0]}, {len(names)} threads" if names else platform.machine()


def gpu() -> str:
    """The GPU's own name."""
    try:
        return backend.device_name(backend.pick_device("cuda"))
    except backend.DeviceError as error:
        return f"none ({error})"


def table(facts: dict[str, str], rows: list[Row]) -> str:
    """The results as Markdown."""
    lines = ["# Results", "", f"`topk_cosine`, k = {K}, float32; `make bench` writes this.", ""]
    lines += [f"- {name}: {value}" for name, value in facts.items()]
    lines += ["", "| size | arrays | device | seconds | queries/s | speed-up |"]
    lines += ["| --- | --- | --- | ---: | ---: | ---: |"]
    for row in rows:
        if row.seconds is None:
            figures = f"not measured: {row.not_measured} | |"
        else:
            figures = f"{row.seconds:.4g} | {row.queries_per_second:.4g} | {row.speed_up:.2f}"
        lines.append(f"| {row.size} | {row.arrays} | {row.device} | {figures} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measures and writes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small size, to see that it works")
    parser.add_argument("--repeats", type=int, default=5, help="runs of which the median counts")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="where to write")
    asked = parser.parse_args()
    facts = {
        "CPU": processor(),
        "GPU": gpu(),
        **{key: value for key, value in backend.info().items() if key != "architectures"},
        "numpy": np.__version__,
        "Python": platform.python_version(),
        LIBRARY: importlib.metadata.version(LIBRARY),
    }
    sizes = QUICK if asked.quick else SIZES
    rows = [row for size in sizes for row in measure_rows(size, asked.repeats)]
    results = {"facts": facts, "k": K, "rows": [asdict(row) for row in rows]}
    (asked.out / "results.json").write_text(json.dumps(results, indent=2) + "\n")
    text = table(facts, rows)
    (asked.out / "RESULTS.md").write_text(text)
    print(text, end="")


if __name__ == "__main__":
    main()
