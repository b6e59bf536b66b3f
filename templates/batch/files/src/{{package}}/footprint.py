"""How much memory a run will take, told before it starts: on a shared GPU it may not fit."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, replace
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
    activations: int | None  # None: nobody knows

    @property
    def total(self) -> int:
        """All that is known, with some room."""
        parts: list[int | None] = list(asdict(self).values())
        return round(sum(part or 0 for part in parts) * MARGIN)

    def split(self, count: int) -> Footprint:
        """Where each of so many processes holds a part of the model: no less than that."""
        weights, gradients = self.weights // count, self.gradients // count
        return Footprint(weights, gradients, self.optimizer // count, self.activations)


def share(settings: Settings, count: int) -> Settings:
    """The settings as one of so many processes sees them: of a batch, each computes a part."""
    if count == 1:
        return settings
    batch = settings.batch // count
    return replace(settings, batch=batch, accumulate=min(settings.accumulate, batch))


def part_size(settings: Settings, examples: int) -> int:
    """Examples that are computed at once."""
    batch = min(settings.batch or examples, examples)
    return -(-batch // settings.accumulate)


def of_parameters(weights: int, activations: int | None) -> Footprint:
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
    return "\n".join(
        f"{name:>20} {'not known' if size is None else f'{size / 2**20:12.1f} MiB'}"
        for name, size in rows
    )


def check(footprint: Footprint, limit: int | None) -> None:
    """Raises when a run cannot fit."""
    if limit is not None and footprint.total > limit:
        raise InputError(
            f"the run needs about {footprint.total / 2**20:.0f} MiB, {limit / 2**20:.0f} MiB may "
            "be taken: raise accumulate or memory_fraction, or make the model smaller"
        )
