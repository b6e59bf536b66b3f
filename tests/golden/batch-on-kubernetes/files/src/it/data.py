"""Your data: put your own in its place. What a row is, how rows become arrays, what answers say.

The rest of the package knows rows as `Item`s and arrays as `Encoder` makes them, whatever they
are: texts here, tables or images elsewhere. network.py computes with these arrays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import reviews
from .options import option

Row = dict[str, Any]
Arrays = dict[str, NDArray[Any]]
_WORD = re.compile(r"[\w']+|[^\w\s]")
PADDING, UNKNOWN = 0, 1


@dataclass(frozen=True)
class Options:
    """Settings of the data and of the network: flags and variables as all others are."""

    length: int = option(28, "words of a text that are read: its last ones", least=1)
    vocabulary: int = option(20_000, "words that are told apart: the most frequent", least=3)
    embedding: int = option(32, "numbers that stand for a word", least=1)
    hidden: int = option(32, "width of the LSTM's state", least=1)
    layers: int = option(1, "LSTMs on one another", least=1)
    dropout: float = option(0.1, "share of the numbers that a step leaves out")
    fused: str = option("auto", "the framework's fused LSTM", choices=("auto", "on", "off"))
    gradient_checkpointing: bool = option(
        False, "compute activations again rather than keep them: slower, in less memory"
    )


@dataclass(frozen=True)
class Item:
    """One text, and what it is where that is known."""

    text: str
    label: str | None = None

    @classmethod
    def of(cls, row: Row) -> Item:
        """A row of a file; ValueError says what is wrong with it."""
        text, label = row.get("text"), row.get("label")
        if not isinstance(text, str) or not text:
            raise ValueError(f"there is no 'text' among its columns: {', '.join(map(str, row))}")
        if label is None or label == "":
            return cls(text)
        if not isinstance(label, (str, int)):
            raise ValueError(f"the label {label!r} is neither a text nor a whole number")
        return cls(text, str(label))

    @property
    def labelled(self) -> bool:
        """Whether it can be learnt from."""
        return self.label is not None

    @property
    def key(self) -> bytes:
        """What is learnt from: items with the same key are never in two of train and test."""
        return self.text.encode()


class Encoder:
    """Items to arrays, and predictions to answers. Fitted on what is trained on, kept in the model.

    `labels` are the classes, in the order of a prediction's numbers; none: numbers are predicted.
    """

    def __init__(self, words: Sequence[str], labels: Sequence[str], length: int) -> None:
        self.words, self.labels, self.length = list(words), list(labels), length
        self._word = {word: number for number, word in enumerate(self.words, UNKNOWN + 1)}
        self._label = {label: number for number, label in enumerate(self.labels)}

    @classmethod
    def fit(cls, items: Iterable[Item], options: Options) -> Encoder:
        """Learns words and labels in one pass: there may be more items than memory holds."""
        counts: Counter[str] = Counter()
        labels: set[str] = set()
        for item in items:
            counts.update(split_words(item.text))
            labels.add(str(item.label))
        if len(labels) < 2:
            raise ValueError(f"two labels are needed at least, found: {', '.join(labels)}")
        ordered = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ordered[: options.vocabulary - 2], sorted(labels), options.length)

    @classmethod
    def load(cls, state: dict[str, Any]) -> Encoder:
        """Takes what `state` gave."""
        return cls(**state)

    def state(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {"words": self.words, "labels": self.labels, "length": self.length}

    @property
    def size(self) -> int:
        """Numbers of words: padding, unknown, and each that is known."""
        return len(self.words) + 2

    def inputs(self, items: Sequence[Item]) -> Arrays:
        """The network's arguments by name, a row for each item, and of no items as well.

        Here a text is the numbers of its last words, with padding in front.
        """
        rows = np.zeros((len(items), self.length), dtype=np.int32)
        for row, item in zip(rows, items, strict=True):
            numbers = [self._word.get(word, UNKNOWN) for word in split_words(item.text)]
            if numbers := numbers[-self.length :]:
                row[-len(numbers) :] = numbers
        return {"tokens": rows}

    def targets(self, items: Sequence[Item]) -> NDArray[Any]:
        """What should be predicted: the numbers of the labels."""
        unknown = next((item.label for item in items if item.label not in self._label), None)
        if unknown is not None:
            raise ValueError(f"the label '{unknown}' is not one that the model knows")
        return np.array([self._label[str(item.label)] for item in items], dtype=np.int32)

    def answer(self, prediction: NDArray[np.float32]) -> Row:
        """What `predict` writes for one item."""
        best = int(prediction.argmax())
        return {"label": self.labels[best], "probability": round(float(prediction[best]), 6)}


def losses(predictions: NDArray[np.float32], targets: NDArray[Any]) -> NDArray[np.float64]:
    """How wrong each prediction is: the model with the least mean on validation data is best."""
    of_target = predictions[np.arange(len(targets)), targets].astype(np.float64)
    found: NDArray[np.float64] = -np.log(np.maximum(of_target, 1e-12))
    return found


def split_words(text: str) -> list[str]:
    """Words and marks, in small letters; "wasn't" is "was" and "not"."""
    return _WORD.findall(text.lower().replace("\u2019", "'").replace("n't", " not"))


def made_up(count: int, seed: int) -> list[Row]:
    """Rows to begin with, and for tests: what `data` stands for when it names no file."""
    return [{"text": text, "label": label} for text, label in reviews.make(count, seed)]


def largest(options: Options, count: int, seed: int = 0) -> tuple[Encoder, list[Item]]:
    """Random items that fill what the options allow: what `bench` measures steps with."""
    words = [f"w{number}" for number in range(options.vocabulary - 2)]
    source = np.random.default_rng(seed)
    chosen = source.integers(0, len(words), (count, options.length))
    labels = ["negative", "positive"]
    items = [
        Item(" ".join(words[number] for number in row), labels[at % 2])
        for at, row in enumerate(chosen)
    ]
    return Encoder(words, labels, options.length), items
