"""Training data that are read as they are needed: files may be larger than memory.

Items are shuffled within a window, which is read and encoded ahead while the device computes. The
place in the files is part of the order's state: a run that goes on sees the same batches, however
many processes encode them.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np

from .batches import Batch, encode
from .data import Encoder, Item
from .errors import InputError, WorkerError
from .signals import SIGNALS


@dataclass(frozen=True)
class Source:
    """Training items: `items(ROW)` yields those from that row on, each with its row."""

    items: Callable[[int], Iterator[tuple[int, Item]]]
    encoder: Encoder
    count: int

    def __len__(self) -> int:
        return self.count


class _Place(NamedTuple):
    """A window: which one of which epoch, and the row where it begins."""

    epoch: int
    number: int
    row: int


class Stream:
    """The same as batches.Order, over data that are never in memory as a whole."""

    def __init__(self, source: Source, size: int, seed: int, window: int, workers: int = 0) -> None:
        if size == 0:
            raise InputError("stream: a step cannot learn from all data at once: set batch")
        self._source, self._size, self._seed = source, size, seed
        self._batches = max(window // size, 1)  # of a window
        self.steps_per_epoch = max(len(source) // size, 1)
        self._encoders, self._encode = _encoders(source.encoder, workers)
        # One, since files are read in their order. It starts the encoders, which inherit its deaf
        # ears: a signal to all of a group is for the run alone, which still needs them to stop.
        deaf = (signal.SIG_BLOCK, SIGNALS)
        self._reader = ThreadPoolExecutor(1, "reader", signal.pthread_sigmask, deaf)
        self._cursor = -1
        self.epoch, self.position = 0, 0
        self._window: list[Future[Batch]] = []
        self.load({"epoch": 0, "position": 0, "row": 0})

    def next(self) -> Batch:
        """The next batch. What does not fill a batch at an epoch's end waits for another epoch."""
        if self.position == self.steps_per_epoch:
            self.epoch, self.position = self.epoch + 1, 0
        within = self.position % self._batches
        try:
            if not self._window or within == 0:
                self._place = self._following
                self._window, self._end = self._ahead.result()
                self._read_ahead(self._after(self._place, self._end))
            batch = self._window[within].result()
        except BrokenProcessPool as error:
            raise WorkerError(
                "a loader worker was killed, perhaps for its memory (fewer loader_workers and a "
                "smaller window take less): run the same command again, it goes on where it saved"
            ) from error
        self.position += 1
        return batch

    @property
    def ended_epoch(self) -> bool:
        """Whether the last batch was its epoch's last."""
        return self.position == self.steps_per_epoch

    def state(self) -> dict[str, Any]:
        """All that `load` needs, as JSON."""
        row = self._following.row if self.position % self._batches == 0 else self._place.row
        return {"epoch": self.epoch, "position": self.position, "row": row}

    def load(self, state: dict[str, Any]) -> None:
        """Continues where `state` was taken."""
        self.epoch, self.position = state["epoch"], state["position"]
        self._window = []
        place = _Place(self.epoch, self.position // self._batches, state["row"])
        self._place = _Place(self.epoch + 1, 0, 0) if self.ended_epoch else place
        self._read_ahead(self._place)

    def _after(self, place: _Place, end: int) -> _Place:
        if (place.number + 1) * self._batches >= self.steps_per_epoch:
            return _Place(place.epoch + 1, 0, 0)
        return _Place(place.epoch, place.number + 1, end)

    def _read_ahead(self, place: _Place) -> None:
        self._following = place
        self._ahead: Future[tuple[list[Future[Batch]], int]]
        self._ahead = self._reader.submit(self._read, place)

    def _read(self, place: _Place) -> tuple[list[Future[Batch]], int]:
        """The batches of a window, shuffled, and the row after it."""
        if place.row == 0 or place.row != self._cursor:
            self._items = self._source.items(place.row)
        found = list(islice(self._items, self._batches * self._size))
        if len(found) < self._size:
            raise InputError("the data became fewer while they were read")
        self._cursor = found[-1][0] + 1
        order = np.random.Generator(np.random.PCG64([self._seed, *place[:2]]))
        shuffled = [found[number][1] for number in order.permutation(len(found))]
        starts = range(0, len(found) - self._size + 1, self._size)
        parts = [shuffled[start : start + self._size] for start in starts]
        return [self._encoders.submit(self._encode, part) for part in parts], self._cursor

    def close(self) -> None:
        """Ends what reads and encodes ahead."""
        self._reader.shutdown(cancel_futures=True)
        self._encoders.shutdown(cancel_futures=True)


def _encoders(encoder: Encoder, workers: int) -> tuple[Executor, Callable[[list[Item]], Batch]]:
    """Who encodes, and what it is asked for: processes, or a thread."""
    if not workers:
        return ThreadPoolExecutor(1, "encoder"), partial(encode, encoder=encoder)
    # Afresh, not by fork: a copy of this process would have the GPU's locks, but not their threads.
    fresh = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, fresh, _begin, (encoder, os.getpid())), _encode


_encoder: Encoder  # of this process, where it is a worker


def _begin(encoder: Encoder, parent: int) -> None:
    global _encoder
    _encoder = encoder
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """Ends this worker when its parent is gone, however that ended, or tells it to."""
    while os.getppid() == parent:
        told = signal.sigtimedwait({signal.SIGTERM}, 1)
        if told and told.si_pid == parent:
            break
    os._exit(1)


def _encode(items: list[Item]) -> Batch:
    return encode(items, _encoder)
