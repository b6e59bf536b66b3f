"""Batch inference: a file of rows to a file of answers, taken up again where it was stopped.

TARGET.part grows, and TARGET.part.json says how far it is good, and of which model and input; when
all is answered the part is renamed.
"""

from __future__ import annotations

import csv
import io
import json
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import IO

from . import files, rows
from .data import Item, Row
from .errors import InputError, Stopped
from .model import Model
from .signals import Stop

log = logging.getLogger(__name__)


@dataclass
class Progress:
    """How many rows are done, of what; the files of answers and of bad rows are good so far."""

    model: str
    input: str
    rows: int = 0
    bad: int = 0
    bytes: int = 0
    bad_bytes: int = 0


class _Writer:
    """A file that grows by what is forced to the disk, from where it was good."""

    def __init__(self, path: Path, size: int) -> None:
        self._file: IO[bytes] = path.open("rb+" if size else "wb")
        self._file.truncate(size)
        self._file.seek(size)

    def add(self, text: str) -> int:
        """Writes; returns the size that is safe now."""
        self._file.write(text.encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        return self._file.tell()

    def close(self) -> None:
        self._file.close()


def predict(
    model: Model, source: str, target: Path, stop: Stop, bad: Path | None = None, batch: int = 512
) -> Progress:
    """Answers all rows. Raises `Stopped` when told to stop: run it again then.

    Rows that cannot be read go to the file `bad`, with the reason; without one they are errors.
    """
    paths = rows.paths(source)
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    now = _begun(part, Progress(model.checksum, rows.checksum(paths, stop)), bad)
    found = rows.read(paths, now.rows)
    with ExitStack() as stack:
        answers = _Writer(part, now.bytes)
        stack.callback(answers.close)
        refused = _Writer(bad, now.bad_bytes) if bad else None
        if refused:
            stack.callback(refused.close)
        while chunk := list(islice(found, batch)):
            if stop.reason:
                raise Stopped(f"{stop.reason} after {now.rows} rows")
            good, wrong = _sorted(chunk, now.rows, refused is not None)
            head = target.suffix == ".csv" and not now.bytes
            now.bytes = answers.add(_text(_answers(model, good), target.suffix, head))
            if refused and wrong:
                now.bad_bytes = refused.add(_text(wrong, ".jsonl"))
            now.rows, now.bad = now.rows + len(chunk), now.bad + len(wrong)
            files.write(_sidecar(part), json.dumps(asdict(now)).encode())
    os.replace(part, target)
    _sidecar(part).unlink(missing_ok=True)
    files.sync_folder(target.parent)
    return now


def _sidecar(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _begun(part: Path, fresh: Progress, bad: Path | None) -> Progress:
    """How far this model got with this input before; else the beginning."""
    try:
        there = Progress(**json.loads(_sidecar(part).read_text(encoding="utf-8")))
        sizes = [(part, there.bytes), *([(bad, there.bad_bytes)] if bad else [])]
        whole = all(not size or path.stat().st_size >= size for path, size in sizes)
    except (OSError, ValueError, TypeError):
        return fresh
    if not whole or (there.model, there.input) != (fresh.model, fresh.input):
        log.warning("%s is of another model or input: starting afresh", part)
        return fresh
    log.info("%d rows are answered already", there.rows)
    return there


def _sorted(
    chunk: Sequence[rows.Placed], before: int, keep_bad: bool
) -> tuple[list[tuple[object, Item]], list[Row]]:
    """Items with their ids, the column `id` or the row's number; and what is wrong with others."""
    good: list[tuple[object, Item]] = []
    wrong: list[Row] = []
    for number, placed in enumerate(chunk, before + 1):
        try:
            good.append((placed.row.get("id", number), rows.item_of(placed)))
        except InputError as error:
            if not keep_bad:
                raise InputError(f"{error} (--bad-rows FILE sets such rows aside)") from error
            wrong.append({**placed.row, "row": number, "error": str(error)})
    return good, wrong


def _answers(model: Model, good: Sequence[tuple[object, Item]]) -> Iterator[Row]:
    predictions = model.predict([item for _, item in good])
    for (name, _), prediction in zip(good, predictions, strict=True):
        yield {"id": name, **model.encoder.answer(prediction)}


def _text(found: Iterator[Row] | list[Row], suffix: str, head: bool = False) -> str:
    """Rows as CSV, or as JSON lines."""
    if suffix != ".csv":
        # Parquet has bytes and dates, which JSON has not.
        return "".join(json.dumps(row, default=str) + "\n" for row in found)
    text, all_rows = io.StringIO(), list(found)
    if all_rows:
        table = csv.DictWriter(text, list(all_rows[0]), lineterminator="\n")
        if head:
            table.writeheader()
        table.writerows(all_rows)
    return text.getvalue()
