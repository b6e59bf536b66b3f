"""All that this project asks of its numbers' library: NumPy. Only network.py computes with it too.

Bring your own framework: whatever has the same names will do. learner.py and tests/test_backend.py
say what they promise, and the tests check the gradients by differences.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from . import network
from .batches import Batch
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .devices import pick
from .footprint import Footprint, of_parameters, part_size
from .learner import Base, of_kind, under
from .network import Weights, backward, drops, forward, fresh, loss, predictions
from .profiles import functions
from .world import ALONE, World

NAME = "none"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "bf16": "NumPy has no numbers of that kind",
    "fp16": "NumPy computes it in 32 bits: it would only be slower",
    "compile": "NumPy has no compiler",
    "distributed": "this backend is one process",
}

profiler = functions

BENCH, MODES = network.BENCH, network.MODES


{% include 'framework-none/device.py' %}


# NumPy is older here than the settings, which say how many threads there should be.
threadpool_limits(int(os.environ.get("OMP_NUM_THREADS", "1")))


def available(device: str) -> int | None:  # noqa: ARG001
    """Bytes of the GPU that nobody holds; None where it cannot be asked."""
    return None


def footprint(settings: Settings, encoder: Encoder, examples: int) -> Footprint:
    """The weights by counting them; the rest as the network says."""
    weights = sum(it.nbytes for it in network.fresh(settings, encoder).values())
    each = network.activations(settings)
    return of_parameters(weights, each and each * part_size(settings, examples))


{% include 'numpy/trainer.py' %}
