"""How the learning rate goes: it rises for some steps, stays or falls until the last one."""

from __future__ import annotations

import math
from collections.abc import Callable

# What is left of the rate, by how much of the way is done.
SHAPES: dict[str, Callable[[float], float]] = {
    "constant": lambda _: 1.0,
    "linear": lambda done: 1 - done,
    "cosine": lambda done: (1 + math.cos(math.pi * done)) / 2,
}


def rate(peak: float, shape: str, warmup: int, step: int, steps: int) -> float:
    """The learning rate of a step, counted from 0, of so many in all."""
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / max(steps - warmup, 1)
    return peak * SHAPES[shape](min(done, 1.0))
