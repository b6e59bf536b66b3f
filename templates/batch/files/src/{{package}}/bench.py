"""CPU against GPU, in the table that tutorials print: measured, never guessed.

Each row is the median of several rounds of steps, after a warm-up, with the device waited for.
"""

from __future__ import annotations

import os
import platform
import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import backend, batches, data
from .config import Settings
from .errors import DeviceError, InputError

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class Row:
    """One line of a table."""

    mode: str
    device: str
    batch: int
    step_s: float | None  # None: not measured
    steps: int
    memory: int
    note: str = ""


def measure(settings: Settings, device: str, rounds: int, steps: int) -> tuple[float, int, str]:
    """Median seconds of a step, the bytes held on the device, and the precision."""
    encoder, items = data.largest(settings, settings.batch or settings.examples)
    batch = batches.encode(items, encoder)
    learner = backend.Learner(settings, encoder, device)

    def run(count: int) -> None:
        for _ in range(count):
            learner.step([learner.stage(part) for part in batch.parts(settings.accumulate)])
        learner.measured()
        backend.sync(device)

    run(min(steps, 3))
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        run(steps)
        times.append((time.perf_counter() - began) / steps)
    held = backend.memory(device)[0]
    learner.close()
    backend.free_memory(device)
    return statistics.median(times), held, learner.precision


def rows(settings: Settings, name: str, rounds: int, steps: int) -> list[Row]:
    """All rows of a configuration: on the CPU and on the GPU, in each mode."""
    found = []
    for wanted in ("cpu", "cuda"):
        for mode, changes in backend.MODES.items():
            it = replace(settings, **changes, device=wanted)
            per_epoch = max(it.examples // (it.batch or it.examples), 1)
            try:
                # All but the first would keep a CPU busy for long.
                if wanted == "cpu" and name != next(iter(backend.BENCH)):
                    raise DeviceError("would take minutes")
                device = backend.pick_device(wanted)
                step_s, held, precision = measure(it, device, rounds, steps)
                label = f"{backend.device_name(device)}, {precision}"
                found.append(Row(mode, label, it.batch or it.examples, step_s, per_epoch, held))
            except DeviceError as error:
                size = it.batch or it.examples
                found.append(Row(mode, wanted, size, None, per_epoch, 0, str(error)))
    return found


def table(found: Sequence[Row]) -> str:
    """Markdown; speed-up against the first row that was measured."""
    first = next((row for row in found if row.step_s), None)
    base = first.step_s if first else None
    lines = [
        f"Speed-up: against {first.mode} on {first.device}." if first else "",
        "",
        "| mode | device | batch | step | epoch | speed-up | memory held |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for row in found:
        start = f"| {row.mode} | {row.device} | {row.batch} |"
        if row.step_s is None or base is None:
            lines.append(f"{start} {NOT_MEASURED}: {row.note} | | | |")
        else:
            held = f"{row.memory / 2**20:.0f} MiB" if row.memory else ""
            epoch = row.step_s * row.steps
            times = f"{row.step_s * 1e3:.2f} ms | {epoch:.2f} s | {base / row.step_s:.1f} x"
            lines.append(f"{start} {times} | {held} |")
    return "\n".join(lines)


def bench(settings: Settings, only: Sequence[str], rounds: int = 5, steps: int = 10) -> str:
    """The whole report: of all configurations of the network, or of some."""
    names = only or list(backend.BENCH)
    if unknown := [name for name in names if name not in backend.BENCH]:
        raise InputError(f"{unknown[0]} is not one of {', '.join(backend.BENCH)}")
    parts = ["# CPU against GPU", "", "Written by `make bench`; medians, warm-up excluded.", ""]
    parts += [f"- {name}: {value}" for name, value in machine().items()]
    for name in names:
        it = replace(settings, **backend.BENCH[name])
        if "minibatch" in backend.UNSUPPORTED:
            it = replace(it, batch=0)
        what = ", ".join(f"{key} {value}" for key, value in backend.BENCH[name].items())
        parts += ["", f"## {name}", "", what, ""]
        parts.append(table(rows(it, name, rounds, steps)))
    return "\n".join(parts).rstrip() + "\n"


def machine(root: Path = Path("/")) -> dict[str, str]:
    """What the figures were measured with."""
    cpu = _match(root / "proc/cpuinfo", r"model name\s*: (.*)") or platform.machine()
    driver = _match(root / "proc/driver/nvidia/version", r"(\d+\.\d+(?:\.\d+)?)") or "none"
    return {
        "CPU": cpu,
        "CPU threads": os.environ.get("OMP_NUM_THREADS", "as the framework likes"),
        "driver": driver,
        "Python": platform.python_version(),
        **backend.info(),
    }


def _match(path: Path, pattern: str) -> str:
    try:
        found = re.search(pattern, path.read_text(encoding="utf-8"))
    except OSError:
        return ""
    return found[1] if found else ""
