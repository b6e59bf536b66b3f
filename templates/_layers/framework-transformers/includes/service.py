"""The model: put your own in its place. It takes and answers what schemas.py says.

`load` reads any folder that `from_pretrained` does.
`Network` needs `fit` only where this project trains it, and `predict`, `save` and `load` always;
tests/test_backend.py says what they promise. What devices are there is in devices.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
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

from . import labels
from .schemas import Instance, Prediction, Target

# What it can compute in, and how far its answers may then be from those where it was trained.
PRECISIONS = {"float32": 1e-3, "bfloat16": 5e-2}
# What `load` looks for, and `import` too.
FILES = ("config.json",)
BATCH = 32
LENGTH = 128
SPECIAL = ("[PAD]", "[UNK]", "[CLS]")


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

    def __init__(self, device: str, precision: str = "float32") -> None:
        self.device = device
        self._half = precision == "bfloat16"
        self._labels: list[str] = []
        self._tokenizer: PreTrainedTokenizerBase
        self._model: torch.nn.Module

    def _build(self, names: list[str], texts: Sequence[Instance]) -> None:
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
        config.id2label = dict(enumerate(names))
        config.label2id = {name: number for number, name in enumerate(names)}
        self._place(BertForSequenceClassification(config))

    def _place(self, model: PreTrainedModel) -> None:
        named = model.config.id2label or {}
        self._labels = [name for _, name in sorted((int(key), it) for key, it in named.items())]
        module: torch.nn.Module = model
        self._model = module.to(self.device).eval()

    def _logits(self, texts: Sequence[Instance]) -> torch.Tensor:
        words = self._tokenizer(list(texts), padding=True, truncation=True, return_tensors="pt")
        logits: torch.Tensor = self._model(**words.to(self.device)).logits
        return logits

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Trains on all instances `epochs` times in a fixed order; returns the last mean loss."""
        torch.manual_seed(0)
        order = torch.Generator().manual_seed(0)
        self._build(labels.find(targets), instances)
        numbers = [self._labels.index(target) for target in targets]
        wanted = torch.tensor(numbers, device=self.device)
        optimizer = torch.optim.AdamW(self._model.parameters(), lr=0.003)
        self._model.train()
        total = 0.0
        for _ in range(epochs):
            total = 0.0
            for chosen in torch.randperm(len(instances), generator=order).split(BATCH):
                logits = self._logits([instances[i] for i in chosen.tolist()])
                loss = torch.nn.functional.cross_entropy(logits, wanted[chosen.to(self.device)])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(chosen)
        self._model.eval()
        return total / len(instances)

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance; returns when the device has really finished."""
        kind = self.device.partition(":")[0]
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=self._half):
            rows = self._logits(instances).float().softmax(dim=1).tolist()
        return [Prediction.of(self._labels, row) for row in rows]

    def save(self, folder: Path) -> None:
        """Writes what `from_pretrained` reads: configuration, tokenizer, safetensors."""
        assert isinstance(self._model, PreTrainedModel)
        self._model.save_pretrained(folder)
        self._tokenizer.save_pretrained(folder)

    def load(self, folder: Path) -> None:
        """Reads what `save_pretrained` wrote, here or elsewhere."""
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        model = AutoModelForSequenceClassification.from_pretrained(folder, local_files_only=True)
        if (folder / labels.FILE).exists():
            model.config.id2label = dict(enumerate(labels.load(folder)))
        self._place(model)
