"""All that this project asks of its numbers' library: NumPy. No other file computes with it.

Bring your own framework: whatever has the same names will do. tests/test_backend.py says what they
promise.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from . import features

NAME = "none"
PRECISIONS = ("float32",)


{% include 'framework-none/device.py' %}


{% include 'numpy/softmax.py' %}


class Network:
    """A text classifier: softmax regression on hashed features."""

    def __init__(
        self,
        labels: int,
        device: str,
        seed: int = 0,
        precision: str = "float32",  # noqa: ARG002
    ) -> None:
        self.device = device
        random = np.random.default_rng(seed)
        # Nearly nothing: what was never seen must not speak.
        self._weights = random.normal(0, 0.01, (features.BUCKETS, labels)).astype(np.float32)

    def fit(
        self, texts: Sequence[str], targets: Sequence[int], epochs: int, batch: int = 32
    ) -> float:
        """Trains on all texts `epochs` times in a fixed order; returns the last mean loss."""
        wanted = np.eye(self._weights.shape[1], dtype=np.float32)[list(targets)]
        self._weights, loss = _train(self._weights, features.bags(texts), wanted, epochs, batch)
        return loss

    def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities, one list for each text."""
        scores: list[list[float]] = _softmax(features.bags(texts) @ self._weights).tolist()
        return scores

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors: plain numbers, no code."""
        save_file({"weights": self._weights}, folder / "weights.safetensors")

    def load(self, folder: Path) -> None:
        """Reads weights that `save` wrote for as many labels."""
        self._weights = load_file(folder / "weights.safetensors")["weights"]
