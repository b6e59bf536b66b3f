"""JAX for the tests and the benchmark. The library itself does not import it, nor this file.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import gc
import importlib.util
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

{% include 'framework-jax/env.py' %}

import jax
from jax.extend.backend import clear_backends

NAME = "jax"


{% include 'framework-jax/device.py' %}


def asarray(values: NDArray[Any], device: str) -> jax.Array:
    """The values as JAX has them, on the device."""
    array: jax.Array = jax.device_put(values, _jax_device(device))
    return array


def to_numpy(array: jax.Array) -> NDArray[Any]:
    """The values of such an array; waits until they are computed."""
    return np.asarray(array)


def device_of(array: jax.Array) -> str:
    """Where an array is, as `pick_device` names it."""
    (device,) = array.devices()
    return "cpu" if device.platform == "cpu" else f"cuda:{device.id}"
