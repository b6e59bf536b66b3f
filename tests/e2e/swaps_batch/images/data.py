"""Images: PNG in base64 in the column `png`, or an array of grey values in `pixels`."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .options import option

Row = dict[str, Any]
Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Options:
    """Settings of the data and of the network."""

    size: int = option(8, "height and width of the images", least=4)
    channels: int = option(16, "channels of the first convolution", least=1)
    dropout: float = option(0.1, "share of the numbers that a step leaves out")


@dataclass(frozen=True)
class Item:
    """An image as PNG, and what it shows."""

    png: bytes
    label: str | None = None

    @classmethod
    def of(cls, row: Row) -> Item:
        """A row of a file; ValueError says what is wrong with it."""
        png, label = base64.b64decode(row.get("png", ""), validate=True), row.get("label")
        try:
            Image.open(io.BytesIO(png)).verify()
        except OSError as error:
            raise ValueError(f"'png' is no image: {error}") from error
        return cls(png, None if label in (None, "") else str(label))

    @property
    def labelled(self) -> bool:
        """Whether it can be learnt from."""
        return self.label is not None

    @property
    def key(self) -> bytes:
        """What is learnt from."""
        return self.png


class Encoder:
    """Images to bytes, 0 to 255: the network scales them where it computes."""

    def __init__(self, labels: Sequence[str], size: int) -> None:
        self.labels, self.size = list(labels), size

    @classmethod
    def fit(cls, items: Iterable[Item], options: Options) -> Encoder:
        """Learns the labels."""
        return cls(sorted({str(item.label) for item in items}), options.size)

    @classmethod
    def load(cls, state: dict[str, Any]) -> Encoder:
        """Takes what `state` gave."""
        return cls(**state)

    def state(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {"labels": self.labels, "size": self.size}

    def inputs(self, items: Sequence[Item]) -> Arrays:
        """Grey values."""
        found = np.zeros((len(items), self.size, self.size), np.uint8)
        for image, item in zip(found, items, strict=True):
            given = Image.open(io.BytesIO(item.png)).convert("L")
            image[:] = np.asarray(given.resize((self.size, self.size)))
        return {"pixels": found}

    def targets(self, items: Sequence[Item]) -> NDArray[Any]:
        """The numbers of the labels."""
        return np.array([self.labels.index(str(item.label)) for item in items], np.int32)

    def answer(self, prediction: NDArray[np.float32]) -> Row:
        """What `predict` writes for one item."""
        best = int(prediction.argmax())
        return {"label": self.labels[best], "probability": round(float(prediction[best]), 6)}


def losses(predictions: NDArray[np.float32], targets: NDArray[Any]) -> NDArray[np.float64]:
    """Cross entropy."""
    found: NDArray[np.float64] = -np.log(
        np.maximum(predictions[np.arange(len(targets)), targets].astype(np.float64), 1e-12)
    )
    return found


def _png(pixels: NDArray[np.uint8]) -> str:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "png")
    return base64.b64encode(file.getvalue()).decode()


def made_up(count: int, seed: int) -> list[Row]:
    """Lines that lie or stand, in noise."""
    source, rows = np.random.default_rng(seed), []
    for _ in range(count):
        image = source.integers(0, 100, (8, 8), dtype=np.uint8)
        at, lies = source.integers(0, 8), bool(source.integers(0, 2))
        image[(at, slice(None)) if lies else (slice(None), at)] += 120
        rows.append({"png": _png(image), "label": "lies" if lies else "stands"})
    return rows


def largest(options: Options, count: int) -> tuple[Encoder, list[Item]]:
    """Noise."""
    size = (count, options.size, options.size)
    pixels = np.random.default_rng(0).integers(0, 255, size, dtype=np.uint8)
    found = [
        Item(base64.b64decode(_png(image)), str(number % 2)) for number, image in enumerate(pixels)
    ]
    return Encoder(["0", "1"], options.size), found
