"""The model: put your own in its place. It takes and answers what schemas.py says.

`Network` needs `fit` only where this project trains it, and `predict`, `save` and `load` always;
tests/test_backend.py says what they promise. What devices are there is in devices.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn

from . import features, labels
from .schemas import Instance, Prediction, Target

# What it can compute in, and how far its answers may then be from those where it was trained.
PRECISIONS = {"float32": 1e-3, "bfloat16": 5e-2}
# What `load` looks for, and `import` too.
FILES = ("weights.safetensors",)
BATCH = 32
WIDTH = 16


class Network:
    """A text classifier: embeddings of hashed features, their mean, one linear layer."""

    def __init__(self, device: str, precision: str = "float32") -> None:
        self.device = device
        self._half = precision == "bfloat16"
        self._labels: list[str] = []
        self._module = nn.ModuleDict()

    def _build(self, names: list[str]) -> None:
        self._labels = names
        embed = nn.EmbeddingBag(features.BUCKETS, WIDTH, mode="mean")
        # Nearly nothing: what was never seen must not speak.
        nn.init.normal_(embed.weight, std=0.01)
        linear = nn.Linear(WIDTH, len(names))
        self._module = nn.ModuleDict({"embed": embed, "linear": linear}).to(self.device)

    def _logits(self, texts: Sequence[Instance]) -> torch.Tensor:
        rows = [features.extract(text) for text in texts]
        starts = [0]
        for row in rows[:-1]:
            starts.append(starts[-1] + len(row))
        flat = [feature for row in rows for feature in row]
        numbers = torch.tensor(flat, dtype=torch.long, device=self.device)
        offsets = torch.tensor(starts, dtype=torch.long, device=self.device)
        logits: torch.Tensor = self._module["linear"](self._module["embed"](numbers, offsets))
        return logits

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Trains on all instances `epochs` times in a fixed order; returns the last mean loss."""
        torch.manual_seed(0)
        order = torch.Generator().manual_seed(0)
        self._build(labels.find(targets))
        numbers = [self._labels.index(target) for target in targets]
        wanted = torch.tensor(numbers, device=self.device)
        optimizer = torch.optim.Adam(self._module.parameters(), lr=0.02)
        total = 0.0
        for _ in range(epochs):
            total = 0.0
            for chosen in torch.randperm(len(instances), generator=order).split(BATCH):
                logits = self._logits([instances[i] for i in chosen.tolist()])
                loss = nn.functional.cross_entropy(logits, wanted[chosen.to(self.device)])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(chosen)
        return total / len(instances)

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance; returns when the device has really finished."""
        kind = self.device.partition(":")[0]
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=self._half):
            rows = self._logits(instances).float().softmax(dim=1).tolist()
        return [Prediction.of(self._labels, row) for row in rows]

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors: plain numbers, no code."""
        state = {key: value.cpu().contiguous() for key, value in self._module.state_dict().items()}
        save_file(state, folder / FILES[0])
        labels.save(self._labels, folder)

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        self._build(labels.load(folder))
        self._module.load_state_dict(load_file(folder / FILES[0], device=self.device))
