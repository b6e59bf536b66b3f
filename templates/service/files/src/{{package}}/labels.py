"""The names of what a classifier tells apart, kept beside its weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from .data import DataError

FILE = "labels.json"


def find(targets: Iterable[str]) -> list[str]:
    """All labels of the targets, in the order of the alphabet."""
    labels = sorted(set(targets))
    if len(labels) < 2:
        raise DataError("the data has fewer than two labels: there is nothing to tell apart")
    return labels


def save(labels: Sequence[str], folder: Path) -> None:
    """Writes them."""
    (folder / FILE).write_text(json.dumps(list(labels)) + "\n", encoding="utf-8")


def load(folder: Path) -> list[str]:
    """Reads what `save` wrote."""
    found: list[str] = json.loads((folder / FILE).read_text(encoding="utf-8"))
    return found
