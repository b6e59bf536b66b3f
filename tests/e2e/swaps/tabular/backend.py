"""Logistic regression on standardized columns."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from .schemas import FEATURES, Instance, Prediction, Target

PRECISIONS = {"float32": 1e-3}
FILES = ("weights.safetensors",)


class Network:
    """One linear layer, fitted by all rows at once."""

    def __init__(self, device: str, precision: str = "float32") -> None:  # noqa: ARG002
        self.device = device
        self._state: dict[str, torch.Tensor] = {}

    def _rows(self, instances: Sequence[Instance]) -> torch.Tensor:
        return torch.tensor(instances, dtype=torch.float32, device=self.device)

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Minimizes the mean loss and a small penalty on the weights; returns the loss."""
        torch.manual_seed(0)
        rows = self._rows(instances)
        wanted = torch.tensor(targets, dtype=torch.float32, device=self.device)
        mean, scale = rows.mean(0), rows.std(0)
        linear = nn.Linear(FEATURES, 1, device=self.device)
        optimizer = torch.optim.LBFGS(linear.parameters(), max_iter=20)

        def loss() -> torch.Tensor:
            optimizer.zero_grad()
            logits = linear((rows - mean) / scale)[:, 0]
            found = nn.functional.binary_cross_entropy_with_logits(logits, wanted)
            found = found + (linear.weight**2).sum() / (2 * len(rows))
            found.backward()
            return found

        last = 0.0
        for _ in range(epochs):
            last = optimizer.step(loss).item()
        weight, bias = linear.weight.detach()[0], linear.bias.detach()
        self._state = {"mean": mean, "scale": scale, "weight": weight, "bias": bias}
        return last

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance."""
        it = self._state
        with torch.inference_mode():
            rows = (self._rows(instances) - it["mean"]) / it["scale"]
            found: list[float] = (rows @ it["weight"] + it["bias"]).sigmoid().tolist()
        return [Prediction(malignant=chance > 0.5, probability=chance) for chance in found]

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors."""
        save_file(self._state, folder / FILES[0])

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        self._state = load_file(folder / FILES[0], device=self.device)
