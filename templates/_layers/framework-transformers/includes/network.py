"""The network: put your own in its place. backend.py trains it, whatever it is."""

from __future__ import annotations

import torch
from torch import nn
from transformers import BertConfig, BertModel

from .config import Settings
from .footprint import Footprint, of_parameters, part_size


class Network(nn.Module):
    """A small BERT, made here and trained from nothing; its mean over all words, a linear layer.

    To fine-tune another one, put `AutoModel.from_pretrained(FOLDER)` in its place, its tokenizer in
    the place of data.Vocabulary.
    """

    def __init__(self, settings: Settings, vocabulary: int, labels: int) -> None:
        super().__init__()
        config = BertConfig(
            vocab_size=vocabulary,
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
        self.linear = nn.Linear(settings.hidden, labels)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        """Scores of all labels."""
        mask = (tokens != 0).long()
        mask[:, -1] = 1  # an empty text has one word, so that there is a mean
        places = (mask.cumsum(dim=1) - 1).clamp(min=0)
        states = self.bert(tokens, attention_mask=mask, position_ids=places).last_hidden_state
        mean = (states * mask[:, :, None]).sum(dim=1) / mask.sum(dim=1, keepdim=True)
        scores: torch.Tensor = self.linear(mean)
        return scores


def transformer(settings: Settings, vocabulary: int, labels: int, examples: int) -> Footprint:
    """Weights by counting them; activations by the rule of Korthikanti et al. (2022)."""
    with torch.device("meta"):
        network = Network(settings, vocabulary, labels)
    words = part_size(settings, examples) * settings.length
    heads = max(settings.hidden // 16, 1)
    layer = words * (17 * settings.hidden + 3 * heads * settings.length)
    kept = settings.layers * layer
    if settings.gradient_checkpointing:
        kept = settings.layers * words * settings.hidden + layer
    size = 2 if settings.precision in ("bf16", "fp16") else 4
    return of_parameters(4 * sum(it.numel() for it in network.parameters()), kept * size)
