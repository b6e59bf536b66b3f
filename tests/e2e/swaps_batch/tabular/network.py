"""A perceptron."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .config import Settings
from .data import Encoder

BENCH: dict[str, dict[str, Any]] = {"wide": {"width": 1024, "batch": 256, "examples": 10_000}}
MODES: dict[str, dict[str, Any]] = {"as it is": {}}


class Network(nn.Sequential):
    """Two hidden layers."""

    def __init__(self, settings: Settings, encoder: Encoder) -> None:
        width = settings.width
        super().__init__(
            nn.Linear(len(encoder.scales), width),
            nn.ReLU(),
            nn.Linear(width, width),
            nn.ReLU(),
            nn.Linear(width, len(encoder.labels)),
        )

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        """Scores of all classes."""
        scores: torch.Tensor = super().forward(features)
        return scores

    @staticmethod
    def loss(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum over all items."""
        return functional.cross_entropy(scores, targets.long(), reduction="sum")

    @staticmethod
    def predictions(scores: torch.Tensor) -> torch.Tensor:
        """Probabilities."""
        return scores.softmax(dim=1)
