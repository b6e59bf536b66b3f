"""A recurrent network that reads tokens up to their lengths."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .config import Settings
from .data import Encoder

BENCH: dict[str, dict[str, Any]] = {"words": {"width": 64, "batch": 64, "examples": 1000}}
MODES: dict[str, dict[str, Any]] = {"as it is": {}}


class Network(nn.Module):
    """A GRU."""

    def __init__(self, settings: Settings, encoder: Encoder) -> None:
        super().__init__()
        self.embed = nn.Embedding(257, settings.width, padding_idx=0)
        self.gru = nn.GRU(settings.width, settings.width, batch_first=True)
        self.linear = nn.Linear(settings.width, len(encoder.labels))

    def forward(self, ids: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Scores of all kinds."""
        states, _ = self.gru(self.embed(ids))
        last = states[torch.arange(len(ids)), (lengths - 1).clamp(min=0)]
        scores: torch.Tensor = self.linear(last)
        return scores

    @staticmethod
    def loss(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum over all items."""
        return functional.cross_entropy(scores, targets, reduction="sum")

    @staticmethod
    def predictions(scores: torch.Tensor) -> torch.Tensor:
        """Probabilities."""
        return scores.softmax(dim=1)
