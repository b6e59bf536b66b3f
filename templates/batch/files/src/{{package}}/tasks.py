"""What there is to learn, on which device, and how well a model has learnt it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import backend, batches, data, footprint, model, rows, streams
from .config import Settings
from .errors import InputError
from .signals import NEVER, Stop
from .world import ALONE, World

FEW = 1000  # rows that are read within a moment: a run that is told to stop makes a step of them


@dataclass(frozen=True)
class Task:
    """What is trained on, what chooses the best model, what it is tested with at the end."""

    train: batches.Batch | streams.Source
    validation: batches.Batch
    test: batches.Batch
    encoder: data.Encoder
    # Of the data and of the encoder: a run goes on with the same only.
    checksums: dict[str, str]


def source(settings: Settings, skip: int = 0) -> Iterator[rows.Placed]:
    """What the settings name, but the first rows: files, or made-up rows."""
    if settings.data:
        yield from rows.read(rows.paths(settings.data), skip)
    else:
        made = data.made_up(settings.examples, settings.seed)[skip:]
        yield from (rows.Placed(f"made-up row {number}", row) for number, row in enumerate(made, 1))


def load(settings: Settings, stop: Stop = NEVER) -> Task:
    """Reads or makes the items; of a stream only those of validation and test stay."""
    if settings.stream:
        return _stream(settings, stop)
    parts = batches.split(_items(settings, stop), settings.validation, settings.test)
    sizes = ", ".join(f"{len(items)} for {part}" for part, items in parts.items())
    if not all(parts.values()) or len(parts["train"]) < settings.batch:
        raise InputError(f"{settings.data or 'data'}: too few rows: {sizes}")
    with _said_where(settings):
        encoder = data.Encoder.fit(parts["train"], settings)
        encoded = {part: batches.encode(items, encoder) for part, items in parts.items()}
    return Task(**encoded, encoder=encoder, checksums=_checksums(settings, encoder, stop))


def _items(settings: Settings, stop: Stop) -> Iterator[data.Item]:
    for number, item in enumerate(rows.items(source(settings))):
        if number >= FEW:
            stop.heed("while the data were read")
        yield item


def _stream(settings: Settings, stop: Stop) -> Task:
    """One pass over all rows, for the encoder, and to know how many there are."""
    held: dict[str, list[data.Item]] = {"validation": [], "test": []}
    count = 0

    def train() -> Iterator[data.Item]:
        nonlocal count
        for item in _items(settings, stop):
            part = batches.part_of(item, settings.validation, settings.test)
            if part == "train":
                count += 1
                yield item
            elif len(held[part]) < settings.held:
                held[part].append(item)

    def items(row: int) -> Iterator[tuple[int, data.Item]]:
        for number, item in enumerate(rows.items(source(settings, row)), row):
            if batches.part_of(item, settings.validation, settings.test) == "train":
                yield number, item

    with _said_where(settings):
        training = train()
        encoder = data.Encoder.fit(training, settings)
        deque(training, 0)  # what it did not need, to count it
        if not all(held.values()) or count < settings.batch:
            raise ValueError(f"too few rows: {count} to train")
        encoded = {part: batches.encode(found, encoder) for part, found in held.items()}
    stream = streams.Source(items, encoder, count)
    sums = _checksums(settings, encoder, stop)
    return Task(stream, **encoded, encoder=encoder, checksums=sums)


def order(settings: Settings, task: Task) -> batches.Order | streams.Stream:
    """The batches of the task, without end."""
    if isinstance(task.train, streams.Source):
        it = settings
        return streams.Stream(task.train, it.batch, it.seed, it.window, it.loader_workers)
    return batches.Order(task.train, settings.batch, settings.seed)


def for_test(
    settings: Settings, encoder: data.Encoder, stop: Stop, whole: bool = False
) -> batches.Batch:
    """What a model is tested with: nothing that it has learnt. `whole`: all rows are for that."""
    test = (
        item
        for item in _items(settings, stop)
        if whole or batches.part_of(item, settings.validation, settings.test) == "test"
    )
    with _said_where(settings):
        few = list(islice(test, settings.held if settings.stream and not whole else None))
        if not few:
            raise ValueError("too few rows: none of them is for the test")
        return batches.encode(few, encoder)


@contextmanager
def _said_where(settings: Settings) -> Iterator[None]:
    """What is wrong with data as a whole, with their name."""
    try:
        yield
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{settings.data or 'data'}: {error}") from error


def _checksums(settings: Settings, encoder: data.Encoder, stop: Stop) -> dict[str, str]:
    return {"the data": _checksum(settings, stop), "the encoder": rows.checksum_of(encoder.state())}


def _checksum(settings: Settings, stop: Stop) -> str:
    if settings.data:
        return rows.checksum(rows.paths(settings.data), stop)
    return rows.checksum_of(data.made_up(settings.examples, settings.seed))


def learner(settings: Settings, task: Task, device: str, world: World) -> backend.Learner:
    """A fresh network for the task."""
    return backend.Learner(settings, task.encoder, device, world)


def pick_device(settings: Settings, world: World) -> str:
    """The device of this process, its memory capped."""
    # First of all: some frameworks read what this sets only when they start.
    backend.seed(settings.seed, settings.deterministic)
    wanted = settings.device
    if world.size > 1 and wanted in ("auto", "cuda") and backend.pick_device(wanted) != "cpu":
        wanted = f"cuda:{world.local}"
    backend.limit_memory(wanted, settings.memory_fraction)
    return backend.pick_device(wanted)


def estimate(
    settings: Settings, task: Task, device: str, world: World = ALONE
) -> tuple[footprint.Footprint, int | None]:
    """What this process of a run will take of its device's memory, and what it may."""
    mine = footprint.share(settings, world.size)
    needed = backend.footprint(mine, task.encoder, len(task.train))
    if settings.parallel == "fsdp":
        needed = needed.split(world.size)
    free = footprint.host_memory() if device == "cpu" else backend.available(device)
    if device == "cpu" and free is not None:
        free //= world.here
    return needed, footprint.allowed(free, backend.memory(device)[1], settings.memory_fraction)


def predict(it: backend.Learner, batch: batches.Batch, size: int = 512) -> NDArray[Any]:
    """Predictions for a batch of any size."""
    parts = batch.parts(-(-len(batch) // size))
    found = (model.predictions(it, part.inputs, len(part)) for part in parts)
    return np.concatenate(list(chain.from_iterable(found)))


def evaluate(it: backend.Learner, batch: batches.Batch) -> dict[str, float]:
    """Mean loss, and accuracy where there are labels."""
    return scores(predict(it, batch), batch.targets, bool(it.encoder.labels))


def scores(found: NDArray[Any], targets: NDArray[Any], labels: bool) -> dict[str, float]:
    """Mean loss; of labels the accuracy, of numbers the mean error and R2."""
    loss = {"loss": float(data.losses(found, targets).mean())}
    if labels:
        return loss | {"accuracy": float((found.argmax(axis=1) == targets).mean())}
    errors = found.reshape(targets.shape).astype(np.float64) - targets
    spread = float(((targets - targets.mean()) ** 2).sum())
    r2 = 1 - float((errors**2).sum()) / spread if spread else 0.0
    return loss | {"mean_error": float(np.abs(errors).mean()), "r2": r2}
