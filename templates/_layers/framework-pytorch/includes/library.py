"""PyTorch for the tests and the benchmark. The library itself does not import it, nor this file.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import os
from typing import Any

from numpy.typing import NDArray

{% include 'framework-pytorch/env.py' %}

import torch

NAME = "pytorch"


{% include 'framework-pytorch/device.py' %}


def asarray(values: NDArray[Any], device: str) -> torch.Tensor:
    """The values as PyTorch has them, on the device."""
    return torch.asarray(values, device=device, copy=True)


def to_numpy(array: torch.Tensor) -> NDArray[Any]:
    """The values of such an array; waits until they are computed."""
    values: NDArray[Any] = array.cpu().numpy()
    return values


def device_of(array: torch.Tensor) -> str:
    """Where an array is, as `pick_device` names it."""
    return "cpu" if array.device.type == "cpu" else f"cuda:{array.device.index}"
