"""NumPy for the tests and the benchmark: bring your own framework in its place.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

NAME = "none"


{% include 'framework-none/device.py' %}


def asarray(values: NDArray[Any], device: str) -> NDArray[Any]:
    """The values as NumPy has them."""
    if device != "cpu":
        raise DeviceError(_why_no_gpu())
    return values.copy()


def to_numpy(array: NDArray[Any]) -> NDArray[Any]:
    """The values of such an array."""
    return array


def device_of(array: NDArray[Any]) -> str:  # noqa: ARG001
    """Where an array is, as `pick_device` names it."""
    return "cpu"
