"""How much memory a run will take, told before it starts: on a shared GPU it may not fit."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from pathlib import Path

from .config import Settings
from .errors import InputError

MARGIN = 1.2  # allocators round up, and libraries want room to work in


@dataclass(frozen=True)
class Footprint:
    """Bytes that a run takes on its device, estimated."""

    weights: int
    gradients: int
    optimizer: int
    activations: int

    @property
    def total(self) -> int:
        """All of it, with some room."""
        parts: list[int] = list(asdict(self).values())
        return round(sum(parts) * MARGIN)


def part_size(settings: Settings, examples: int) -> int:
    """Examples that are computed at once."""
    batch = min(settings.batch or examples, examples)
    return -(-batch // settings.accumulate)


def lstm(settings: Settings, vocabulary: int, labels: int, examples: int) -> Footprint:
    """Of the LSTM with Adam: weights are kept in 32 bits whatever the precision."""
    width, hidden, layers = settings.embedding, settings.hidden, settings.layers
    inner = 4 * hidden * (width + hidden + 2) + (layers - 1) * 4 * hidden * (2 * hidden + 2)
    parameters = vocabulary * width + inner + (hidden + 1) * labels
    # Of each word and layer: four gates, the cell and its tanh, the state.
    each = width + layers * 7 * hidden
    words = settings.length
    if settings.gradient_checkpointing:
        words = 16 + settings.length * (width + 2 * layers * hidden) // (16 * each)
    size = 2 if settings.precision in ("bf16", "fp16") else 4
    activations = part_size(settings, examples) * words * each * size
    return of_parameters(4 * parameters, activations)


def of_parameters(weights: int, activations: int) -> Footprint:
    """With Adam: as many bytes of gradients, twice as many of the optimizer's."""
    return Footprint(weights, weights, 2 * weights, activations)


def host_memory(root: Path = Path("/")) -> int | None:
    """Bytes that a process may still take on the CPU: what is free, or what its cgroup leaves."""
    found = re.search(r"MemAvailable:\s+(\d+) kB", _text(root / "proc/meminfo"))
    limits = [int(found[1]) * 1024] if found else []
    most = _text(root / "sys/fs/cgroup/memory.max").strip()
    used = _text(root / "sys/fs/cgroup/memory.current").strip()
    if most.isdecimal() and used.isdecimal():
        limits.append(max(int(most) - int(used), 0))
    return min(limits, default=None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def allowed(available: int | None, total: int, fraction: float) -> int | None:
    """Bytes that this run may take: what is free, and no more than its share of the device."""
    cap = round(total * fraction) if total else None
    known = [limit for limit in (available, cap) if limit is not None]
    return min(known, default=None)


def report(footprint: Footprint, limit: int | None) -> str:
    """One line for each part, for people."""
    rows = [*asdict(footprint).items(), ("total with a margin", footprint.total)]
    if limit is not None:
        rows.append(("may be taken", limit))
    return "\n".join(f"{name:>20} {size / 2**20:12.1f} MiB" for name, size in rows)


def check(footprint: Footprint, limit: int | None) -> None:
    """Raises when a run cannot fit."""
    if limit is not None and footprint.total > limit:
        raise InputError(
            f"the run needs about {footprint.total / 2**20:.0f} MiB, {limit / 2**20:.0f} MiB may "
            "be taken: raise accumulate or memory_fraction, turn gradient_checkpointing on, or "
            "make the model smaller"
        )
