"""All that this project asks of its numbers' library: NumPy. Only network.py computes with it too.

Bring your own framework: whatever has the same names will do. learner.py and tests/test_backend.py
say what they promise, and the tests check the gradients by differences.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .checkpoint import Arrays
from .config import Settings
from .data import Batch, Tokens
from .devices import pick
from .footprint import lstm
from .learner import Base, of_kind, under
from .network import Weights, backward, drops, forward, fresh, softmax
from .profiles import functions
from .world import ALONE, World

NAME = "none"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "bf16": "NumPy has no numbers of that kind",
    "fp16": "NumPy computes it in 32 bits: it would only be slower",
    "fused": "NumPy has no fused LSTM",
    "layers": "this backend has one layer",
    "gradient_checkpointing": "this backend keeps all activations",
    "distributed": "this backend is one process",
}

footprint = lstm
profiler = functions


{% include 'framework-none/device.py' %}


def available(device: str) -> int | None:  # noqa: ARG001
    """Bytes of the GPU that nobody holds; None where it cannot be asked."""
    return None


{% include 'numpy/trainer.py' %}
