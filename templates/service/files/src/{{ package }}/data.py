"""Labelled texts: a CSV file with the columns `text` and `label`, or JSON lines with those keys."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


class DataError(ValueError):
    """Data that cannot be used; the message says where and why."""


@dataclass(frozen=True)
class Example:
    """One text and what it is."""

    text: str
    label: str


def read(path: Path) -> list[Example]:
    """All examples of a file, in its order."""
    examples = []
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = csv.DictReader(file) if path.suffix == ".csv" else map(json.loads, file)
            for number, row in enumerate(rows, 1):
                examples.append(_example(path, number, row))
    except (OSError, UnicodeDecodeError, json.JSONDecodeError, csv.Error) as error:
        raise DataError(f"{path}: {error}") from error
    if len({example.label for example in examples}) < 2:
        raise DataError(f"{path}: at least two labels are needed")
    return examples


def _example(path: Path, number: int, row: object) -> Example:
    if isinstance(row, dict):
        text, label = row.get("text"), row.get("label")
        if isinstance(text, str) and isinstance(label, str) and text and label:
            return Example(text, label)
    raise DataError(f"{path}: example {number} lacks a text or a label")


def split(examples: Iterable[Example]) -> tuple[list[Example], list[Example]]:
    """For training and for testing, one in five: by the text alone, so that it never changes."""
    train: list[Example] = []
    test: list[Example] = []
    for example in examples:
        (train if zlib.crc32(example.text.encode()) % 5 else test).append(example)
    return train, test
