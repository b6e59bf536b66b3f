"""From texts to batches of numbers, in an order that can be saved and taken up again."""

from __future__ import annotations

import csv
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import reviews
from .config import Settings
from .errors import InputError

Tokens = NDArray[np.int32]
_WORD = re.compile(r"[\w']+|[^\w\s]")
PADDING, UNKNOWN = 0, 1


@dataclass(frozen=True)
class Example:
    """One text and what it is."""

    text: str
    label: str


@dataclass(frozen=True)
class Batch:
    """Texts as rows of word numbers, padded on the left, and the numbers of their labels."""

    tokens: Tokens
    labels: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.labels)

    def parts(self, count: int) -> list[Batch]:
        """The batch in `count` parts as equal as can be."""
        pairs = zip(
            np.array_split(self.tokens, count), np.array_split(self.labels, count), strict=True
        )
        return [Batch(tokens, labels) for tokens, labels in pairs if len(labels)]


class Vocabulary:
    """The words that a model knows, each with a number; 0 is padding, 1 any other word."""

    def __init__(self, words: Sequence[str], length: int) -> None:
        self.words = list(words)
        self.length = length
        self._number = {word: number for number, word in enumerate(self.words, UNKNOWN + 1)}

    def __len__(self) -> int:
        return len(self.words) + 2

    @classmethod
    def of(cls, texts: Iterable[str], size: int, length: int) -> Vocabulary:
        """The most frequent words of `texts`."""
        counts = Counter(word for text in texts for word in split_words(text))
        ordered = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(ordered[: max(size - 2, 1)], length)

    def encode(self, texts: Sequence[str]) -> Tokens:
        """One row for each text: its last words, with padding in front."""
        rows = np.zeros((len(texts), self.length), dtype=np.int32)
        for row, text in zip(rows, texts, strict=True):
            numbers = [self._number.get(word, UNKNOWN) for word in split_words(text)]
            if numbers := numbers[-self.length :]:
                row[-len(numbers) :] = numbers
        return rows


def split_words(text: str) -> list[str]:
    """Words and marks, in small letters; "wasn't" is "was" and "not"."""
    return _WORD.findall(text.lower().replace("\u2019", "'").replace("n't", " not"))


def examples(settings: Settings) -> list[Example]:
    """What the settings name: a file, or made-up reviews."""
    if settings.data:
        return read(Path(settings.data))
    return [Example(*pair) for pair in reviews.make(settings.examples, settings.seed)]


def read(path: Path) -> list[Example]:
    """All examples of a file, in its order."""
    found = []
    for number, row in enumerate(rows_of(path), 1):
        text, label = row.get("text"), row.get("label")
        if not (isinstance(text, str) and isinstance(label, str) and text and label):
            raise InputError(f"{path}: example {number} lacks a text or a label")
        found.append(Example(text, label))
    if len({example.label for example in found}) < 2:
        raise InputError(f"{path}: at least two labels are needed")
    return found


def rows_of(path: Path) -> Iterator[dict[str, Any]]:
    """The rows of a CSV file or of JSON lines, one at a time: a file may be larger than memory."""
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file) if path.suffix == ".csv" else map(json.loads, file)
            for row in rows:
                if not isinstance(row, dict):
                    raise InputError(f"{path}: not every line is an object")
                yield row
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}") from error


def split(all_examples: Iterable[Example]) -> tuple[list[Example], list[Example]]:
    """For training and for testing, one in five: by the text alone, so that it never changes."""
    train: list[Example] = []
    test: list[Example] = []
    for example in all_examples:
        (train if zlib.crc32(example.text.encode()) % 5 else test).append(example)
    return train, test


def encode(found: Sequence[Example], vocabulary: Vocabulary, labels: Sequence[str]) -> Batch:
    """All examples as one batch."""
    number = {label: index for index, label in enumerate(labels)}
    unknown = next((example.label for example in found if example.label not in number), None)
    if unknown is not None:
        raise InputError(f"the label '{unknown}' is not one that the model knows")
    numbers = np.array([number[example.label] for example in found], dtype=np.int32)
    return Batch(vocabulary.encode([example.text for example in found]), numbers)


class Order:
    """The endless order in which training sees the examples: shuffled anew in each epoch.

    `state()` after a batch, given to `load()`, continues with the next batch as if nothing was.
    """

    def __init__(self, data: Batch, size: int, seed: int) -> None:
        self._data = data
        self._whole = size == 0 or size >= len(data)
        self._size = len(data) if self._whole else size
        self.steps_per_epoch = max(len(data) // self._size, 1)
        self.epoch, self.position = 0, 0
        self._generator = np.random.Generator(np.random.PCG64(seed))
        self._shuffle()

    def _shuffle(self) -> None:
        self._before: dict[str, Any] = dict(self._generator.bit_generator.state)
        self._numbers = self._generator.permutation(len(self._data))

    def next(self) -> Batch:
        """The next batch. What does not fill a batch at an epoch's end waits for another epoch."""
        if self.position == self.steps_per_epoch:
            self.epoch, self.position = self.epoch + 1, 0
            self._shuffle()
        first = self.position * self._size
        self.position += 1
        if self._whole:
            return self._data
        chosen = self._numbers[first : first + self._size]
        return Batch(self._data.tokens[chosen], self._data.labels[chosen])

    @property
    def ended_epoch(self) -> bool:
        """Whether the last batch was its epoch's last."""
        return self.position == self.steps_per_epoch

    def state(self) -> dict[str, Any]:
        """All that `load` needs, as JSON."""
        return {"epoch": self.epoch, "position": self.position, "generator": self._before}

    def load(self, state: dict[str, Any]) -> None:
        """Continues where `state` was taken."""
        self.epoch, self.position = state["epoch"], state["position"]
        self._generator.bit_generator.state = state["generator"]
        self._shuffle()
