"""Data to learn from: CSV files, or JSON lines. What a row holds is in schemas.py."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import TypeAdapter, ValidationError

from . import schemas


class DataError(ValueError):
    """Data that cannot be used; the message says where and why."""


class Example(NamedTuple):
    """One input, and the right answer."""

    instance: schemas.Instance
    target: schemas.Target


_EXAMPLE = TypeAdapter(Example)
_INSTANCE: TypeAdapter[Any] = TypeAdapter(schemas.Instance)


def read(path: Path) -> list[Example]:
    """All examples of a file, in its order."""
    examples = [_example(path, number, row) for number, row in enumerate(rows(path), 1)]
    if not examples:
        raise DataError(f"{path}: there are no examples in it")
    return examples


def rows(path: Path) -> Iterator[Any]:
    """What a file holds: values by the names of the columns, or the keys."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from csv.DictReader(file) if path.suffix == ".csv" else _json_lines(path, file)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: {error}") from error


def _json_lines(path: Path, file: Iterable[str]) -> Iterator[Any]:
    """Blank lines are none, as in CSV."""
    for number, line in enumerate(file, 1):
        if line.strip():
            try:
                yield json.loads(line)
            except json.JSONDecodeError as error:
                raise DataError(f"{path}: line {number}: {error.msg}") from error


def _example(path: Path, number: int, row: Any) -> Example:
    where = f"{path}: example {number}"
    try:
        return _EXAMPLE.validate_python(schemas.example(row))
    except KeyError as error:
        raise DataError(f"{where} has no {error}") from error
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        raise DataError(f"{where}: {first['msg']}") from error
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: {error}") from error


def split(examples: Iterable[Example]) -> tuple[list[Example], list[Example]]:
    """For training and for testing, one in five: by the instance alone, so it never changes."""
    train: list[Example] = []
    test: list[Example] = []
    for example in examples:
        text = _INSTANCE.dump_json(example.instance)
        (train if zlib.crc32(text) % 5 else test).append(example)
    return train, test
