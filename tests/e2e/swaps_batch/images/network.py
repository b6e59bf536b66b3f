"""A convolutional network."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .config import Settings
from .data import Encoder

BENCH: dict[str, dict[str, Any]] = {"small": {"size": 16, "batch": 64, "examples": 1000}}
MODES: dict[str, dict[str, Any]] = {"as it is": {}}


class Network(nn.Module):
    """Two convolutions."""

    def __init__(self, settings: Settings, encoder: Encoder) -> None:
        super().__init__()
        width = settings.channels
        self.layers = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(width, 2 * width, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Dropout(settings.dropout),
            nn.Linear(2 * width * (encoder.size // 2) ** 2, len(encoder.labels)),
        )

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """Scores of all labels."""
        scores: torch.Tensor = self.layers(pixels[:, None].float() / 255)
        return scores

    @staticmethod
    def loss(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum over all items."""
        return functional.cross_entropy(scores, targets.long(), reduction="sum")

    @staticmethod
    def predictions(scores: torch.Tensor) -> torch.Tensor:
        """Probabilities."""
        return scores.softmax(dim=1)
