"""The model: put your own in its place. It takes and answers what schemas.py says.

`Network` needs `fit` only where this project trains it, and `predict`, `save` and `load` always;
tests/test_backend.py says what they promise. What devices are there is in devices.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from . import features, labels
from .schemas import Instance, Prediction, Target

# What it can compute in, and how far its answers may then be from those where it was trained.
PRECISIONS = {"float32": 1e-3}
# What `load` looks for, and `import` too.
FILES = ("weights.safetensors",)
BATCH = 32


{% include 'numpy/softmax.py' %}


class Network:
    """A text classifier: softmax regression on hashed features."""

    def __init__(
        self,
        device: str,
        precision: str = "float32",  # noqa: ARG002
    ) -> None:
        self.device = device
        self._labels: list[str] = []
        self._weights: Array = np.zeros((features.BUCKETS, 0), np.float32)

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Trains on all instances `epochs` times in a fixed order; returns the last mean loss."""
        self._labels = labels.find(targets)
        numbers = [self._labels.index(target) for target in targets]
        wanted = np.eye(len(self._labels), dtype=np.float32)[numbers]
        # Nothing: what was never seen must not speak.
        weights = np.zeros((features.BUCKETS, len(self._labels)), np.float32)
        self._weights, loss = _train(weights, features.bags(instances), wanted, epochs, BATCH)
        return loss

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance."""
        rows = _softmax(features.bags(instances) @ self._weights).tolist()
        return [Prediction.of(self._labels, row) for row in rows]

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors: plain numbers, no code."""
        save_file({"weights": self._weights}, folder / FILES[0])
        labels.save(self._labels, folder)

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        self._weights = load_file(folder / FILES[0])["weights"]
        self._labels = labels.load(folder)
