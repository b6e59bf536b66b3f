"""The network: put your own in its place. backend.py trains it, whatever it is."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

from .config import Settings
from .data import Encoder

# What `bench` measures: settings by name, each with each mode. The first is the one of tutorials,
# measured on the CPU too; the second fills a GPU.
BENCH: dict[str, dict[str, Any]] = {
    "tutorial": {"embedding": 128, "hidden": 128, "batch": 32, "length": 80, "examples": 25_000},
    "large": {"embedding": 512, "hidden": 1024, "batch": 512, "length": 256, "examples": 25_000},
}
MODES: dict[str, dict[str, Any]] = {"step by step": {"fused": "off"}, "fused": {"fused": "on"}}


class Network(nn.Module):
    """Embeddings, an LSTM, and a linear layer on its last state.

    Whatever stands here takes the arrays of data.Encoder by their names.
    """

    SEGMENT = 16  # time steps whose activations are computed again at once

    def __init__(self, settings: Settings, encoder: Encoder) -> None:
        super().__init__()
        self.fused = settings.fused != "off"
        self.again = settings.gradient_checkpointing
        width, hidden = settings.embedding, settings.hidden
        self.embed = nn.Embedding(encoder.size, width, padding_idx=0)
        self.lstm = nn.LSTM(width, hidden, settings.layers, batch_first=True)
        self.dropout = nn.Dropout(settings.dropout)
        self.linear = nn.Linear(hidden, len(encoder.labels))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Scores of all labels."""
        inputs = self.dropout(self.embed(tokens))
        shape = (self.lstm.num_layers, len(tokens), self.lstm.hidden_size)
        hidden, cell = inputs.new_zeros(shape), inputs.new_zeros(shape)
        if self.again and self.training:
            for part in inputs.split(self.SEGMENT, dim=1):
                hidden, cell = checkpoint(self._run, part, hidden, cell, use_reentrant=False)
        else:
            hidden, cell = self._run(inputs, hidden, cell)
        scores: torch.Tensor = self.linear(self.dropout(hidden[-1]))
        return scores

    @staticmethod
    def loss(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum over all items."""
        return functional.cross_entropy(scores, targets.long(), reduction="sum")

    @staticmethod
    def predictions(scores: torch.Tensor) -> torch.Tensor:
        """Scores as what data.py calls predictions: probabilities."""
        return scores.softmax(dim=1)

    def _run(
        self, inputs: torch.Tensor, hidden: torch.Tensor, cell: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """The states after these inputs: by cuDNN where it is there, or step by step."""
        if self.fused:
            _, (hidden, cell) = self.lstm(inputs, (hidden, cell))
            return hidden, cell
        ends = []
        for weights, h, c in zip(self.lstm.all_weights, hidden, cell, strict=True):
            w_in, w_state, b_in, b_state = weights
            outputs = []
            for at_once in functional.linear(inputs, w_in, b_in).unbind(1):
                gates = at_once + functional.linear(h, w_state, b_state)
                enter, forget, new, leave = gates.chunk(4, dim=1)
                c = forget.sigmoid() * c + enter.sigmoid() * new.tanh()
                h = leave.sigmoid() * c.tanh()
                outputs.append(h)
            inputs = torch.stack(outputs, dim=1)
            ends.append((h, c))
        return torch.stack([h for h, _ in ends]), torch.stack([c for _, c in ends])
