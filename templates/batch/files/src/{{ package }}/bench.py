"""CPU against GPU, in the table that tutorials print: measured, never guessed.

Each row is the median of several rounds of steps, after a warm-up, with the device waited for.
"""

from __future__ import annotations

import platform
import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import backend
from .config import Settings
from .data import Batch
from .errors import DeviceError

VOCABULARY = 20_000
LABELS = 2
NOT_MEASURED = "not measured"

# The first is the one of tutorials: reviews of 80 words, 25,000 of them. The second fills a GPU.
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "tutorial": {"embedding": 128, "hidden": 128, "batch": 32, "length": 80, "examples": 25_000},
    "large": {"embedding": 512, "hidden": 1024, "batch": 512, "length": 256, "examples": 25_000},
}
# What the CPU would take minutes for is measured on the GPU alone.
GPU_ONLY = frozenset({"large"})
MODES = {"off": "step by step", "on": "fused"}


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


def modes() -> dict[str, str]:
    """Values of `fused` that this backend knows, and their names."""
    refused = {"off": "unfused", "on": "fused"}
    known = {it: name for it, name in MODES.items() if refused[it] not in backend.UNSUPPORTED}
    return known if len(known) > 1 else {"auto": "as it is"}


def measure(settings: Settings, device: str, rounds: int, steps: int) -> tuple[float, int]:
    """Median seconds of a step, and the bytes held on the device."""
    source = np.random.default_rng(0)
    count = settings.batch or settings.examples
    shape = (count, settings.length)
    tokens = source.integers(2, VOCABULARY, shape, dtype=np.int32)
    batch = Batch(tokens, source.integers(0, LABELS, count, dtype=np.int32))
    learner = backend.Learner(settings, VOCABULARY, LABELS, device)

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
    return statistics.median(times), held


def rows(settings: Settings, name: str, rounds: int, steps: int) -> list[Row]:
    """All rows of a configuration: on the CPU and on the GPU, in each mode."""
    found = []
    for wanted in ("cpu", "cuda"):
        for fused, mode in modes().items():
            it = replace(settings, fused=fused, device=wanted)
            per_epoch = max(it.examples // (it.batch or it.examples), 1)
            try:
                if wanted == "cpu" and name in GPU_ONLY:
                    raise DeviceError("would take minutes")
                device = backend.pick_device(wanted)
                step_s, held = measure(it, device, rounds, steps)
                label = backend.device_name(device)
                found.append(Row(mode, label, it.batch or it.examples, step_s, per_epoch, held))
            except DeviceError as error:
                size = it.batch or it.examples
                found.append(Row(mode, wanted, size, None, per_epoch, 0, str(error)))
    return found


def table(found: Sequence[Row]) -> str:
    """Markdown; speed-up against the first row that was measured."""
    base = next((row.step_s for row in found if row.step_s), None)
    lines = [
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


def bench(settings: Settings, names: Sequence[str], rounds: int = 5, steps: int = 10) -> str:
    """The whole report."""
    parts = ["# CPU against GPU", "", "Written by `make bench`; medians, warm-up excluded.", ""]
    parts += [f"- {name}: {value}" for name, value in machine().items()]
    for name in names:
        it = replace(settings, **CONFIGURATIONS[name])
        if "minibatch" in backend.UNSUPPORTED:
            it = replace(it, batch=0)
        what = f"embedding {it.embedding}, hidden {it.hidden}, length {it.length}"
        parts += ["", f"## {name}", "", f"{what}, {it.examples} examples, {it.precision}", ""]
        parts.append(table(rows(it, name, rounds, steps)))
    parts += ["", *(f"- {mode}: {why}" for mode, why in missing().items())]
    return "\n".join(parts).rstrip() + "\n"


def missing() -> dict[str, str]:
    """Modes that this backend has not, and why."""
    asked = {"fused": "fused", "step by step": "unfused"}
    return {
        mode: backend.UNSUPPORTED[name]
        for mode, name in asked.items()
        if name in backend.UNSUPPORTED
    }


def machine(root: Path = Path("/")) -> dict[str, str]:
    """What the figures were measured with."""
    cpu = _match(root / "proc/cpuinfo", r"model name\s*: (.*)") or platform.machine()
    driver = _match(root / "proc/driver/nvidia/version", r"(\d+\.\d+(?:\.\d+)?)") or "none"
    return {"CPU": cpu, "driver": driver, "Python": platform.python_version(), **backend.info()}


def _match(path: Path, pattern: str) -> str:
    try:
        found = re.search(pattern, path.read_text(encoding="utf-8"))
    except OSError:
        return ""
    return found[1] if found else ""
