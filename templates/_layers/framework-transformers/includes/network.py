"""The network: put your own in its place. backend.py trains it, whatever it is."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional
from transformers import BertConfig, BertModel

from .config import Settings
from .data import Encoder

# What `bench` measures: settings by name, each with each mode. The first is the one of tutorials,
# measured on the CPU too; the second fills a GPU.
BENCH: dict[str, dict[str, Any]] = {
    "tutorial": {"hidden": 128, "batch": 32, "length": 80, "examples": 25_000},
    "large": {"hidden": 1024, "batch": 512, "length": 256, "examples": 25_000},
}
MODES: dict[str, dict[str, Any]] = {"as it is": {}}


class Network(nn.Module):
    """A small BERT, made here and trained from nothing; its mean over all words, a linear layer.

    To fine-tune another one, put `AutoModel.from_pretrained(FOLDER)` in its place, its tokenizer in
    the place of data.Encoder.
    """

    def __init__(self, settings: Settings, encoder: Encoder) -> None:
        super().__init__()
        config = BertConfig(
            vocab_size=encoder.size,
            hidden_size=settings.hidden,
            num_hidden_layers=settings.layers,
            num_attention_heads=max(settings.hidden // 16, 1),
            intermediate_size=4 * settings.hidden,
            max_position_embeddings=settings.length,
            initializer_range=0.1,  # so small a model learns faster from larger numbers
            hidden_dropout_prob=settings.dropout,
            attention_probs_dropout_prob=settings.dropout,
        )
        self.bert = BertModel(config, add_pooling_layer=False)
        self.bert.set_attn_implementation("eager" if settings.deterministic else "sdpa")
        if settings.gradient_checkpointing:
            self.bert.gradient_checkpointing_enable({"use_reentrant": False})
        self.linear = nn.Linear(settings.hidden, len(encoder.labels))

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Scores of all labels."""
        mask = (tokens != 0).long()
        mask[:, -1] = 1  # an empty text has one word, so that there is a mean
        places = (mask.cumsum(dim=1) - 1).clamp(min=0)
        states = self.bert(tokens, attention_mask=mask, position_ids=places).last_hidden_state
        mean = (states * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        scores: torch.Tensor = self.linear(mean)
        return scores

    @staticmethod
    def loss(scores: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        """The sum over all items."""
        return functional.cross_entropy(scores, targets.long(), reduction="sum")

    @staticmethod
    def predictions(scores: torch.Tensor) -> torch.Tensor:
        """Scores as what data.py calls predictions: probabilities."""
        return scores.softmax(dim=1)
