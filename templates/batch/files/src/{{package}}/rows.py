"""Rows of files, one at a time, each with its place for messages: CSV, JSON lines, Parquet."""

from __future__ import annotations

import csv
import glob
import hashlib
import json
import sys
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow  # type: ignore[import-untyped]
import pyarrow.parquet  # type: ignore[import-untyped]

from .data import Item, Row
from .errors import InputError
from .signals import NEVER, Stop

LARGE = 2**16  # bytes


class Placed(NamedTuple):
    """A row, where it is (FILE:LINE), and what is wrong with it, if it cannot be read."""

    place: str
    row: Row
    wrong: str = ""


def paths(pattern: str) -> list[Path]:
    """The files that a name or a pattern such as data/*.csv stands for, by name."""
    path = Path(pattern)
    found = [path] if path.exists() else sorted(map(Path, glob.glob(pattern, recursive=True)))  # noqa: PTH207
    if not found:
        raise InputError(f"{pattern}: there is no such file")
    return found


def read(files: Iterable[Path], skip: int = 0) -> Iterator[Placed]:
    """All rows of these files but the first `skip`, in their order, one at a time."""
    for path in files:
        try:
            skip = yield from (_parquet if path.suffix == ".parquet" else _text)(path, skip)
        except (OSError, UnicodeDecodeError, pyarrow.ArrowException) as error:
            raise InputError(f"{path}: {error}") from error


def _parquet(path: Path, skip: int) -> Generator[Placed, None, int]:
    """Returns how many rows are still to be skipped; row groups are skipped unread."""
    with pyarrow.parquet.ParquetFile(path) as file:
        groups, number = list(range(file.num_row_groups)), 0
        while groups and number + file.metadata.row_group(groups[0]).num_rows <= skip:
            number += file.metadata.row_group(groups.pop(0)).num_rows
        for batch in file.iter_batches(1000, groups):
            for row in batch.to_pylist():
                number += 1
                if number > skip:
                    yield Placed(f"{path}:row {number}", row)
    return max(skip - number, 0)


def _text(path: Path, skip: int) -> Generator[Placed, None, int]:
    """The same for a text file, which must be read up to there."""
    lines = _READERS.get(path.suffix)
    if lines is None:
        raise InputError(f"{path}: its name must end with {', '.join([*_READERS, '.parquet'])}")
    number = 0
    # Excel begins its files with a byte order mark.
    with path.open(encoding="utf-8-sig", newline="") as file:
        for line, row, wrong in lines(file):
            number += 1
            if number > skip:
                yield Placed(f"{path}:{line}", row, wrong)
    return max(skip - number, 0)


Lines = Iterator[tuple[int, Row, str]]


def _csv(file: IO[str]) -> Lines:
    csv.field_size_limit(sys.maxsize)
    rows = csv.DictReader(file)
    while True:
        try:
            row: dict[Any, Any] | None = next(rows, None)
        except csv.Error as error:
            yield rows.line_num, {}, str(error)
            continue
        if row is None:
            return
        # Fields beyond the first line's names have the name None; missing ones are None.
        uneven = None in row or None in row.values()
        wrong = f"not the {len(rows.fieldnames or [])} fields that the first line names"
        yield rows.line_num, row, wrong if uneven else ""


def _json_lines(file: IO[str]) -> Lines:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            yield number, {}, f"column {error.colno}: {error.msg}"
            continue
        yield (number, row, "") if isinstance(row, dict) else (number, {}, "not an object")


_READERS: dict[str, Callable[[IO[str]], Lines]] = {
    ".csv": _csv,
    ".jsonl": _json_lines,
    ".json": _json_lines,
}


def items(rows: Iterable[Placed]) -> Iterator[Item]:
    """The items of labelled rows."""
    for placed in rows:
        item = item_of(placed)
        if not item.labelled:
            columns = ", ".join(map(str, placed.row))
            raise InputError(f"{placed.place}: it has no label; its columns are {columns}")
        yield item


def item_of(placed: Placed) -> Item:
    """The item of a row; the error says where the row is."""
    try:
        if placed.wrong:
            raise ValueError(placed.wrong)
        return Item.of(placed.row)
    except ValueError as error:
        raise InputError(f"{placed.place}: {error}") from error


def checksum(paths: Iterable[Path], stop: Stop = NEVER) -> str:
    """Of what the files hold, whatever they are called. Large files take long: `stop` is heeded."""
    found, size = hashlib.sha256(), 0
    for path in paths:
        own = hashlib.sha256()
        with path.open("rb") as file:
            while part := file.read(LARGE):
                own.update(part)
                size += len(part)
                if size >= LARGE:
                    stop.heed("while the data were read")
        found.update(own.digest())
    return found.hexdigest()


def checksum_of(value: Any) -> str:
    """Of what can be written as JSON."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()
