"""All that this project asks of its numbers' library: NumPy. No other file computes with it.

Bring your own framework: whatever has the same names will do. tests/test_backend.py says what they
promise, and checks the gradients below by differences.
"""

from __future__ import annotations

import cProfile
import pstats
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .config import Settings
from .data import Batch, Tokens
from .footprint import lstm
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


{% include 'none/device.py' %}


{% include 'device/profile.py' %}


{% include 'numpy/lstm.py' %}


{% include 'numpy/trainer.py' %}


class Learner(Trainer):
    """The same, and predictions."""

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        """Probabilities, one row for each text."""
        logits, _ = _forward(self._weights, tokens, [])
        return _softmax(logits)

    def artefacts(self) -> dict[str, bytes]:
        """Files in the framework's own format that belong beside the weights: none."""
        return {}
