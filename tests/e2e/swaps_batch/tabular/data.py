"""A table: every column but `label` and `id` is a number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .options import option

Row = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Options:
    """Settings of the data and of the network."""

    width: int = option(64, "width of the hidden layers", least=1)


@dataclass(frozen=True)
class Item:
    """The numbers of a row by their columns, and its class."""

    numbers: tuple[tuple[str, float], ...]
    label: str | None = None

    @classmethod
    def of(cls, row: Row) -> Item:
        """A row of a file; ValueError says what is wrong with it."""
        columns = sorted(set(row) - {"label", "id"})
        label = row.get("label")
        return cls(
            tuple((name, float(row[name])) for name in columns),
            None if label in (None, "") else str(label),
        )

    @property
    def labelled(self) -> bool:
        """Whether it can be learnt from."""
        return self.label is not None

    @property
    def key(self) -> bytes:
        """What is learnt from."""
        return repr(self.numbers).encode()


class Encoder:
    """Numbers scaled to mean 0 and spread 1."""

    def __init__(self, scales: dict[str, list[float]], labels: Sequence[str]) -> None:
        self.scales, self.labels = scales, list(labels)

    @classmethod
    def fit(cls, items: Iterable[Item], options: Options) -> Encoder:  # noqa: ARG003
        """Sums in one pass."""
        sums: dict[str, NDArray[np.float64]] = {}
        labels: set[str] = set()
        for item in items:
            labels.add(str(item.label))
            for name, value in item.numbers:
                sums[name] = sums.get(name, np.zeros(3)) + np.array([1, value, value**2])
        scales = {}
        for name, (count, total, squares) in sums.items():
            mean = total / count
            scales[name] = [mean, max(squares / count - mean**2, 1e-12) ** 0.5]
        return cls(scales, sorted(labels))

    @classmethod
    def load(cls, state: dict[str, Any]) -> Encoder:
        """Takes what `state` gave."""
        return cls(**state)

    def state(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {"scales": self.scales, "labels": self.labels}

    def inputs(self, items: Sequence[Item]) -> Arrays:
        """A row of numbers for each item."""
        rows = np.zeros((len(items), len(self.scales)), np.float32)
        for row, item in zip(rows, items, strict=True):
            numbers = dict(item.numbers)
            row[:] = [(numbers[name] - mean) / std for name, (mean, std) in self.scales.items()]
        return {"features": rows}

    def targets(self, items: Sequence[Item]) -> NDArray[Any]:
        """The numbers of the classes."""
        return np.array([self.labels.index(str(item.label)) for item in items], np.int32)

    def answer(self, prediction: NDArray[np.float32]) -> Row:
        """What `predict` writes for one item."""
        return {"label": self.labels[int(prediction.argmax())]}


def losses(predictions: NDArray[np.float32], targets: NDArray[Any]) -> NDArray[np.float64]:
    """Cross entropy."""
    found: NDArray[np.float64] = -np.log(
        np.maximum(predictions[np.arange(len(targets)), targets].astype(np.float64), 1e-12)
    )
    return found


def made_up(count: int, seed: int) -> list[Row]:
    """Points on both sides of a curve."""
    source = np.random.default_rng(seed)
    return [
        {"x": x, "y": y, "z": z, "label": "above" if y > x * x - 0.5 else "below"}
        for x, y, z in source.normal(size=(count, 3)).tolist()
    ]


def largest(options: Options, count: int) -> tuple[Encoder, list[Item]]:
    """Any items: all are of one size."""
    items = [Item.of(row) for row in made_up(max(count, 8), 0)]
    return Encoder.fit(items, options), items[:count]
