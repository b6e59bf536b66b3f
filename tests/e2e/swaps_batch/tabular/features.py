"""What trees see of the arrays: all numbers as they are."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .data import Arrays

BENCH: dict[str, dict[str, Any]] = {"table": {"examples": 10_000}}


def features(inputs: Arrays) -> NDArray[Any]:
    """The table."""
    return inputs["features"]
