"""All that this project asks of PyTorch. No other file imports it.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from . import features

{% include 'framework-pytorch/env.py' %}

import torch
from safetensors.torch import load_file, save_file
from torch import nn

NAME = "pytorch"
PRECISIONS = ("float32", "bfloat16")
WIDTH = 16


{% include 'framework-pytorch/device.py' %}


class Network:
    """A text classifier: embeddings of hashed features, their mean, one linear layer."""

    def __init__(self, labels: int, device: str, seed: int = 0, precision: str = "float32") -> None:
        self.device = device
        self._half = precision == "bfloat16"
        torch.manual_seed(seed)
        self._embed = nn.EmbeddingBag(features.BUCKETS, WIDTH, mode="mean", device=device)
        # Nearly nothing: what was never seen must not speak.
        nn.init.normal_(self._embed.weight, std=0.01)
        self._linear = nn.Linear(WIDTH, labels, device=device)
        self._module = nn.ModuleDict({"embed": self._embed, "linear": self._linear})

    def _logits(self, texts: Sequence[str]) -> torch.Tensor:
        rows = [features.extract(text) for text in texts]
        starts = [0]
        for row in rows[:-1]:
            starts.append(starts[-1] + len(row))
        flat = [feature for row in rows for feature in row]
        numbers = torch.tensor(flat, dtype=torch.long, device=self.device)
        bags = self._embed(numbers, torch.tensor(starts, dtype=torch.long, device=self.device))
        logits: torch.Tensor = self._linear(bags)
        return logits

    def fit(
        self, texts: Sequence[str], targets: Sequence[int], epochs: int, batch: int = 32
    ) -> float:
        """Trains on all texts `epochs` times in a fixed order; returns the last mean loss."""
        order = torch.Generator().manual_seed(0)
        wanted = torch.tensor(targets, dtype=torch.long, device=self.device)
        optimizer = torch.optim.Adam(self._module.parameters(), lr=0.02)
        total = 0.0
        for _ in range(epochs):
            total = 0.0
            for chosen in torch.randperm(len(texts), generator=order).split(batch):
                logits = self._logits([texts[i] for i in chosen.tolist()])
                loss = nn.functional.cross_entropy(logits, wanted[chosen.to(self.device)])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(chosen)
        return total / max(len(texts), 1)

    def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities, one list for each text; returns when the device has really finished."""
        kind = self.device.partition(":")[0]
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=self._half):
            probabilities = self._logits(texts).float().softmax(dim=1)
            scores: list[list[float]] = probabilities.cpu().tolist()
        return scores

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors: plain numbers, no code."""
        state = {key: value.cpu().contiguous() for key, value in self._module.state_dict().items()}
        save_file(state, folder / "weights.safetensors")

    def load(self, folder: Path) -> None:
        """Reads weights that `save` wrote for as many labels."""
        self._module.load_state_dict(load_file(folder / "weights.safetensors", device=self.device))
