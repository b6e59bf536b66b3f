"""Arrays of a namespace on a device: for the benchmark and the tests, not for the library."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The framework of the stack, whose arrays `make bench` measures and a GPU is promised for.
FRAMEWORK = "torch"
NO_GPU = "no usable GPU: `make smoke` says why"


class Missing(RuntimeError):
    """There are no such arrays here; the message says why."""


@dataclass(frozen=True)
class Place:
    """A device in the eyes of one namespace: the way there, the way back, its name."""

    put: Callable[[NDArray[Any]], Any]
    read: Callable[[Any], NDArray[Any]]
    name: str


def find(namespace: str, device: str) -> Place:
    """The place by its names, such as `torch` and `cuda`."""
    try:
        return _FINDERS[namespace](device)
    except ImportError as error:
        raise Missing(f"{namespace} is not installed") from error


def parts(result: Any) -> list[Any]:
    """The arrays that an operation returned: one, or a tuple of them."""
    return list(result) if isinstance(result, tuple | list) else [result]


def _numpy(device: str) -> Place:
    return Place(np.asarray, np.asarray, device)


def _strict(device: str) -> Place:
    xp = import_module("array_api_strict")
    there, back = xp.Device(device), xp.Device("CPU_DEVICE")
    return Place(
        lambda values: xp.asarray(values, device=there),
        lambda array: np.asarray(xp.asarray(array, device=back)),
        device,
    )


def _torch(device: str) -> Place:
    torch = import_module("torch")
    if device == "cuda" and not torch.cuda.is_available():
        built = torch.version.cuda is not None
        raise Missing(NO_GPU if built else f"PyTorch {torch.__version__} was built without CUDA")
    return Place(
        lambda values: torch.asarray(values, device=device, copy=True),
        lambda array: array.cpu().numpy(),
        torch.cuda.get_device_name() if device == "cuda" else device,
    )


def _jax(device: str) -> Place:
    # Memory is taken when it is needed, not three quarters of the GPU at once.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    jax = import_module("jax")
    try:
        found = jax.devices("gpu" if device == "cuda" else device)[0]
    except RuntimeError as error:
        raise Missing(NO_GPU) from error
    return Place(lambda values: jax.device_put(values, found), np.asarray, str(found.device_kind))


def _cupy(device: str) -> Place:
    if device != "cuda":
        raise Missing("CuPy computes on GPUs only")
    cupy = import_module("cupy")
    try:
        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
    except Exception as error:  # what it raises depends on its version
        raise Missing(NO_GPU) from error
    return Place(cupy.asarray, cupy.asnumpy, name)


_FINDERS: dict[str, Callable[[str], Place]] = {
    "numpy": _numpy,
    "array_api_strict": _strict,
    "torch": _torch,
    "jax": _jax,
    "cupy": _cupy,
}
