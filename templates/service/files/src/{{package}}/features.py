"""From text to the numbers that a model sees: hashed words and pairs of neighbouring words."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

BUCKETS = 1 << 14
_WORD = re.compile(r"\w+")


def extract(text: str, buckets: int = BUCKETS) -> list[int]:
    """One bucket for each word and each pair: with pairs, "not good" is more than its parts."""
    words = _WORD.findall(text.lower().replace("\u2019", "'").replace("n't", " not"))
    pairs = [f"{first} {second}" for first, second in pairwise(words)]
    return [zlib.crc32(gram.encode()) % buckets for gram in words + pairs]


def bags(texts: Sequence[str]) -> NDArray[np.float32]:
    """A row for each text: the share of each bucket in it."""
    rows = np.zeros((len(texts), BUCKETS), np.float32)
    for row, text in zip(rows, texts, strict=True):
        found = extract(text)
        np.add.at(row, found, 1 / max(len(found), 1))
    return rows
