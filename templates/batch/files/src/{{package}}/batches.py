"""Batches of arrays, in an order that can be saved and taken up again."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .data import Arrays, Encoder, Item

PARTS = ("train", "validation", "test")


@dataclass(frozen=True)
class Batch:
    """What the network is given, by name, and what it should predict: one row for each item."""

    inputs: Arrays
    targets: NDArray[Any]

    def __len__(self) -> int:
        return len(self.targets)

    def take(self, chosen: NDArray[np.int64] | slice) -> Batch:
        """Some of its rows."""
        return Batch(take(self.inputs, chosen), self.targets[chosen])

    def parts(self, count: int) -> list[Batch]:
        """The batch in `count` parts as equal as can be."""
        if count == 1:
            return [self]
        each, more = divmod(len(self), count)
        starts = [number * each + min(number, more) for number in range(count + 1)]
        return [self.take(slice(*ends)) for ends in pairwise(starts) if ends[0] < ends[1]]


def take(inputs: Arrays, chosen: NDArray[np.int64] | slice) -> Arrays:
    """Some rows of each array."""
    return {name: array[chosen] for name, array in inputs.items()}


def encode(items: Sequence[Item], encoder: Encoder) -> Batch:
    """All items as one batch."""
    return Batch(encoder.inputs(items), encoder.targets(items))


def part_of(item: Item, validation: float, test: float) -> str:
    """Whether to train, validate or test with it: by its contents alone, so it never changes."""
    place = zlib.crc32(item.key) / 2**32
    if place < test:
        return "test"
    return "validation" if place < test + validation else "train"


def split(items: Iterable[Item], validation: float, test: float) -> dict[str, list[Item]]:
    """All items by their part."""
    found: dict[str, list[Item]] = {part: [] for part in PARTS}
    for item in items:
        found[part_of(item, validation, test)].append(item)
    return found


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
        return self._data.take(chosen)

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

    def close(self) -> None:
        """Ends what works ahead: nothing, all is there."""
