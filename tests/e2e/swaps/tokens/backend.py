"""Embeddings and a recurrent network over tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence

from . import labels
from .schemas import PADDING, VOCABULARY, Instance, Prediction, Target, padded

PRECISIONS = {"float32": 1e-3}
FILES = ("weights.safetensors",)
WIDTH = 32
BATCH = 32


class Reader(nn.Module):
    """A GRU, and a linear layer on its last state."""

    def __init__(self, count: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(VOCABULARY, WIDTH, padding_idx=PADDING)
        self.gru = nn.GRU(WIDTH, WIDTH, batch_first=True)
        self.linear = nn.Linear(WIDTH, count)

    def forward(self, tokens: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """Scores of all labels."""
        packed = pack_padded_sequence(
            self.embed(tokens), lengths, batch_first=True, enforce_sorted=False
        )
        scores: torch.Tensor = self.linear(self.gru(packed)[1][-1])
        return scores


class Network:
    """Reads tokens in their order."""

    def __init__(self, device: str, precision: str = "float32") -> None:  # noqa: ARG002
        self.device = device
        self._labels: list[str] = []
        self._module: nn.Module = nn.Identity()

    def _build(self, names: list[str]) -> None:
        self._labels = names
        self._module = Reader(len(names)).to(self.device)

    def _logits(self, instances: Sequence[Instance]) -> torch.Tensor:
        tokens = torch.from_numpy(padded(instances)).to(self.device)
        logits: torch.Tensor = self._module(tokens, torch.tensor([len(it) for it in instances]))
        return logits

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Trains in a fixed order; returns the last mean loss."""
        torch.manual_seed(0)
        self._build(labels.find(targets))
        wanted = torch.tensor([self._labels.index(it) for it in targets], device=self.device)
        optimizer = torch.optim.Adam(self._module.parameters(), lr=0.01)
        last = 0.0
        for _ in range(epochs):
            for chosen in torch.randperm(len(instances)).split(BATCH):
                logits = self._logits([instances[i] for i in chosen.tolist()])
                loss = nn.functional.cross_entropy(logits, wanted[chosen.to(self.device)])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                last = loss.item()
        return last

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance."""
        with torch.inference_mode():
            scores, best = self._logits(instances).softmax(dim=1).max(dim=1)
        pairs = zip(best.tolist(), scores.tolist(), strict=True)
        return [Prediction(label=self._labels[number], score=score) for number, score in pairs]

    def stream(self, instance: Instance) -> Iterator[Prediction]:
        """What it thinks after each token."""
        for end in range(1, len(instance) + 1):
            yield self.predict([instance[:end]])[0]

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors, and the labels."""
        state = {key: value.cpu().contiguous() for key, value in self._module.state_dict().items()}
        save_file(state, folder / FILES[0])
        labels.save(self._labels, folder)

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        self._build(labels.load(folder))
        self._module.load_state_dict(load_file(folder / FILES[0], device=self.device))
