"""All that this project asks of Transformers and PyTorch. No other file imports them.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
`load` reads any folder that `from_pretrained` does: put a model of your own there.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

{% include 'framework-transformers/env.py' %}

import torch
import transformers
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    PreTrainedTokenizerFast,
)

NAME = "transformers"
PRECISIONS = ("float32", "bfloat16")
LENGTH = 128
SPECIAL = ("[PAD]", "[UNK]", "[CLS]")


{% include 'framework-pytorch/device.py' %}


def _make_tokenizer(texts: Sequence[str]) -> PreTrainedTokenizerFast:
    """Words of the texts, in their order, for a model that is trained from nothing."""
    raw = Tokenizer(models.WordLevel(dict.fromkeys(SPECIAL, 0), unk_token="[UNK]"))  # noqa: S106
    raw.normalizer = normalizers.Sequence(
        [normalizers.Replace(Regex("n['\u2019]t"), " not"), normalizers.Lowercase()]
    )
    raw.pre_tokenizer = pre_tokenizers.Whitespace()
    words = {word for text in texts for word, _ in _words(raw, text)}
    known = {word: i for i, word in enumerate([*SPECIAL, *sorted(words - set(SPECIAL))])}
    raw.model = models.WordLevel(known, unk_token="[UNK]")  # noqa: S106
    raw.post_processor = processors.TemplateProcessing(
        single="[CLS] $A", special_tokens=[("[CLS]", known["[CLS]"])]
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=raw,
        model_max_length=LENGTH,
        pad_token="[PAD]",  # noqa: S106
        unk_token="[UNK]",  # noqa: S106
        cls_token="[CLS]",  # noqa: S106
    )


def _words(raw: Tokenizer, text: str) -> list[tuple[str, tuple[int, int]]]:
    words: list[tuple[str, tuple[int, int]]] = raw.pre_tokenizer.pre_tokenize_str(
        raw.normalizer.normalize_str(text)
    )
    return words


class Network:
    """A text classifier: a small BERT trained from nothing, or whatever a folder holds."""

    def __init__(self, labels: int, device: str, seed: int = 0, precision: str = "float32") -> None:
        self.device = device
        self._labels = labels
        self._seed = seed
        self._half = precision == "bfloat16"
        self._tokenizer: PreTrainedTokenizerBase
        self._make(["a"])

    def _make(self, texts: Sequence[str]) -> None:
        torch.manual_seed(self._seed)
        self._tokenizer = _make_tokenizer(texts)
        config = BertConfig(
            vocab_size=len(self._tokenizer),
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=64,
            max_position_embeddings=LENGTH,
            # So small a model, on so little data, learns faster from larger numbers.
            initializer_range=0.1,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
        )
        config.num_labels = self._labels
        self._place(BertForSequenceClassification(config))

    def _place(self, model: PreTrainedModel) -> None:
        module: torch.nn.Module = model
        self._model = module.to(self.device).eval()

    def _logits(self, texts: Sequence[str]) -> torch.Tensor:
        words = self._tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt")
        logits: torch.Tensor = self._model(**words.to(self.device)).logits
        return logits

    def fit(
        self, texts: Sequence[str], targets: Sequence[int], epochs: int, batch: int = 32
    ) -> float:
        """Trains on all texts `epochs` times in a fixed order; returns the last mean loss."""
        self._make(texts)
        order = torch.Generator().manual_seed(0)
        wanted = torch.tensor(targets, dtype=torch.long, device=self.device)
        optimizer = torch.optim.AdamW(self._model.parameters(), lr=0.003)
        self._model.train()
        total = 0.0
        for _ in range(epochs):
            total = 0.0
            for chosen in torch.randperm(len(texts), generator=order).split(batch):
                logits = self._logits([texts[i] for i in chosen.tolist()])
                loss = torch.nn.functional.cross_entropy(logits, wanted[chosen.to(self.device)])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(chosen)
        self._model.eval()
        return total / max(len(texts), 1)

    def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities, one list for each text; returns when the device has really finished."""
        kind = self.device.partition(":")[0]
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=self._half):
            probabilities = self._logits(texts).float().softmax(dim=1)
            scores: list[list[float]] = probabilities.cpu().tolist()
        return scores

    def save(self, folder: Path) -> None:
        """Writes what `from_pretrained` reads: configuration, tokenizer, safetensors."""
        assert isinstance(self._model, PreTrainedModel)
        self._model.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)

    def load(self, folder: Path) -> None:
        """Reads what `save_pretrained` wrote, here or elsewhere, for as many labels."""
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        self._place(
            AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True)
        )
