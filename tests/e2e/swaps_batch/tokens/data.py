"""Sequences of tokens of a tokenizer of one's own: characters, here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .options import option

Row = dict[str, Any]
Arrays = dict[str, NDArray[Any]]
PADDING = 0


@dataclass(frozen=True)
class Options:
    """Settings of the data and of the network."""

    longest: int = option(24, "tokens that are read: the first ones", least=1)
    width: int = option(32, "width of the network", least=1)


def tokenize(text: str) -> list[int]:
    """Bytes, by one more than they are: 0 is padding."""
    return [byte + 1 for byte in text.encode()]


@dataclass(frozen=True)
class Item:
    """Tokens, and their kind."""

    tokens: tuple[int, ...]
    kind: str | None = None

    @classmethod
    def of(cls, row: Row) -> Item:
        """A row of a file; ValueError says what is wrong with it."""
        word = row.get("word")
        if not isinstance(word, str) or not word:
            raise ValueError("there is no 'word'")
        return cls(tuple(tokenize(word)), row.get("kind"))

    @property
    def labelled(self) -> bool:
        """Whether it can be learnt from."""
        return self.kind is not None

    @property
    def key(self) -> bytes:
        """What is learnt from."""
        return repr(self.tokens).encode()


class Encoder:
    """Tokens and how many there are."""

    def __init__(self, labels: Sequence[str], longest: int) -> None:
        self.labels, self.longest = list(labels), longest

    @classmethod
    def fit(cls, items: Iterable[Item], options: Options) -> Encoder:
        """Learns the kinds."""
        return cls(sorted({str(item.kind) for item in items}), options.longest)

    @classmethod
    def load(cls, state: dict[str, Any]) -> Encoder:
        """Takes what `state` gave."""
        return cls(**state)

    def state(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {"labels": self.labels, "longest": self.longest}

    def inputs(self, items: Sequence[Item]) -> Arrays:
        """Two arguments of the network: tokens with padding behind, and lengths."""
        rows = np.full((len(items), self.longest), PADDING, np.int64)
        lengths = np.array([min(len(it.tokens), self.longest) for it in items], np.int64)
        for row, item, length in zip(rows, items, lengths, strict=True):
            row[:length] = item.tokens[:length]
        return {"ids": rows, "lengths": lengths}

    def targets(self, items: Sequence[Item]) -> NDArray[Any]:
        """The numbers of the kinds."""
        return np.array([self.labels.index(str(item.kind)) for item in items], np.int64)

    def answer(self, prediction: NDArray[np.float32]) -> Row:
        """What `predict` writes for one item."""
        return {"kind": self.labels[int(prediction.argmax())]}


def losses(predictions: NDArray[np.float32], targets: NDArray[Any]) -> NDArray[np.float64]:
    """Cross entropy."""
    found: NDArray[np.float64] = -np.log(
        np.maximum(predictions[np.arange(len(targets)), targets].astype(np.float64), 1e-12)
    )
    return found


def made_up(count: int, seed: int) -> list[Row]:
    """Words that read the same backwards, and others."""
    source, rows = np.random.default_rng(seed), []
    for _ in range(count):
        half = "".join(source.choice(list("abcdef"), 4))
        same = bool(source.integers(0, 2))
        word = half + half[::-1] if same else half + "".join(source.choice(list("ghijkl"), 4))
        rows.append({"word": word, "kind": "same" if same else "other"})
    return rows


def largest(options: Options, count: int) -> tuple[Encoder, list[Item]]:
    """Words as long as can be."""
    items = [Item((at % 256 + 1,) * options.longest, str(at % 2)) for at in range(count)]
    return Encoder(["0", "1"], options.longest), items
