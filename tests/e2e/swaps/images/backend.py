"""A small convolutional network."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from .schemas import CLASSES, SIZE, Instance, Prediction, Target, pixels

PRECISIONS = {"float32": 1e-3, "bfloat16": 5e-2}
FILES = ("weights.safetensors",)
BATCH = 32


class Network:
    """Two convolutions and a linear layer."""

    def __init__(self, device: str, precision: str = "float32") -> None:
        self.device = device
        self._half = precision == "bfloat16"
        self._module = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, stride=2),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(32 * (SIZE // 2) ** 2, CLASSES),
        ).to(device)

    def _images(self, instances: Sequence[Instance]) -> torch.Tensor:
        stacked = np.stack([pixels(png) for png in instances])
        return torch.from_numpy(stacked)[:, None].to(self.device)

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Trains in a fixed order; returns the last mean loss."""
        torch.manual_seed(0)
        for layer in self._module:
            if isinstance(layer, nn.Conv2d | nn.Linear):
                layer.reset_parameters()
        images = self._images(instances)
        wanted = torch.tensor(targets, device=self.device)
        optimizer = torch.optim.Adam(self._module.parameters(), lr=0.003)
        last = 0.0
        for _ in range(epochs):
            for chosen in torch.randperm(len(images)).to(self.device).split(BATCH):
                loss = nn.functional.cross_entropy(self._module(images[chosen]), wanted[chosen])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                last = loss.item()
        return last

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance."""
        kind = self.device.partition(":")[0]
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=self._half):
            rows = self._module(self._images(instances)).float().softmax(dim=1).tolist()
        return [Prediction(digit=row.index(max(row)), scores=row) for row in rows]

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors."""
        state = {key: value.cpu().contiguous() for key, value in self._module.state_dict().items()}
        save_file(state, folder / FILES[0])

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        self._module.load_state_dict(load_file(folder / FILES[0], device=self.device))
