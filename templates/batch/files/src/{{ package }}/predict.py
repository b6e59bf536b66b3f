"""Batch inference: a file of texts to a file of answers, taken up again where it was stopped."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from .data import rows_of
from .errors import InputError, Stopped
from .files import sync_folder
from .model import Model
from .signals import Stop

log = logging.getLogger(__name__)


def predict(model: Model, source: Path, target: Path, stop: Stop, batch: int = 512) -> int:
    """Answers all texts; returns how many. Raises `Stopped` when told to stop: run it again then.

    The answers grow in TARGET.part, which is renamed when it is complete.
    """
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    done = _whole_lines(part)
    if done:
        log.info("%d answers are there already", done)
    texts = islice(_texts(source), done, None)
    with part.open("ab") as file:
        while chunk := list(islice(texts, batch)):
            if stop.reason:
                raise Stopped(f"{stop.reason} after {done} texts")
            scores = model.classify(chunk)
            for row in scores:
                best = int(row.argmax())
                answer = {"label": model.labels[best], "probability": round(float(row[best]), 6)}
                file.write(json.dumps(answer).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
            done += len(chunk)
    os.replace(part, target)
    sync_folder(target.parent)
    return done


def _whole_lines(part: Path) -> int:
    """How many answers are there; what a crash cut off is dropped."""
    if not part.exists():
        return 0
    with part.open("rb+") as file:
        count, end = 0, 0
        for line in file:
            if not line.endswith(b"\n"):
                break
            count, end = count + 1, end + len(line)
        file.truncate(end)
    return count


def _texts(source: Path) -> Iterator[str]:
    for number, row in enumerate(rows_of(source), 1):
        if not isinstance(row.get("text"), str):
            raise InputError(f"{source}: row {number} lacks a text")
        yield row["text"]
