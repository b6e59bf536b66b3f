"""Micro-batching: requests that come close together share one pass through the model.

A bounded queue, a deadline for each text, and one thread that alone touches the device. Too large
a batch for the device's memory is halved until it fits, and batches stay small for a while.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

Scores = list[float]


class Overloaded(Exception):
    """The queue is full."""


class Expired(Exception):
    """The answer was not there in time."""


@dataclass(frozen=True)
class Limits:
    """How large a batch may be, how long its first text waits for others, how many may queue."""

    max_batch: int
    max_wait_s: float
    queue_size: int
    # After a batch that did not fit: how long until batches may be twice as large again.
    recover_s: float = 30.0


class Ceiling:
    """How many texts share a pass now: fewer after a batch that did not fit, later more again."""

    def __init__(
        self, most: int, recover_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._now = most
        self._recover_s = recover_s
        self._clock = clock
        self._raise_at = 0.0

    def most(self, texts: int) -> None:
        """More than `texts` never fit: there is no use in trying."""
        self._most = min(self._most, texts)
        self._now = min(self._now, texts)

    def lower(self, texts: int) -> None:
        """More than `texts` did not fit just now."""
        self._now = max(1, min(self._now, texts))
        self._raise_at = self._clock() + self._recover_s

    def now(self) -> int:
        """The size of a full batch."""
        if self._now < self._most and self._clock() >= self._raise_at:
            self._now = min(self._most, self._now * 2)
            self._raise_at = self._clock() + self._recover_s
        return self._now


@dataclass
class _Item:
    text: str
    arrived: float
    deadline: float
    answer: asyncio.Future[Scores]


class Batcher:
    """Runs `forward` on batches of what is submitted. All methods belong to the event loop."""

    def __init__(
        self,
        forward: Callable[[list[str]], list[Scores]],
        limits: Limits,
        is_out_of_memory: Callable[[BaseException], bool],
        on_wait: Callable[[float], None] = lambda _: None,
    ) -> None:
        self.ceiling = Ceiling(limits.max_batch, limits.recover_s)
        self._forward = forward
        self._limits = limits
        self._is_out_of_memory = is_out_of_memory
        self._on_wait = on_wait
        self._queue: deque[_Item] = deque()
        self._arrived = asyncio.Event()
        self._full = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="device")
        self._worker: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begins to take batches from the queue."""
        self._worker = asyncio.get_running_loop().create_task(self._work())

    async def stop(self) -> None:
        """Ends; what has no answer yet is refused."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.wait({self._worker})
        _fail(self._queue, Overloaded())
        self._queue.clear()
        self._thread.shutdown(wait=False)

    @property
    def depth(self) -> int:
        """Texts that wait."""
        return len(self._queue)

    async def submit(self, texts: Sequence[str], timeout_s: float) -> list[Scores]:
        """The scores of all texts; raises Overloaded or Expired, or what the model raised."""
        if len(self._queue) + len(texts) > self._limits.queue_size:
            self._queue = deque(_open(self._queue))
            if len(self._queue) + len(texts) > self._limits.queue_size:
                raise Overloaded
        loop = asyncio.get_running_loop()
        now = time.monotonic()
        items = [_Item(text, now, now + timeout_s, loop.create_future()) for text in texts]
        self._queue.extend(items)
        self._arrived.set()
        if len(self._queue) >= self.ceiling.now():
            self._full.set()
        answers = [item.answer for item in items]
        try:
            await asyncio.wait(answers, timeout=timeout_s)
        finally:
            for answer in answers:
                answer.cancel()
        # Look at every failure, or asyncio logs those that nobody looked at.
        failures = [answer.exception() for answer in answers if not answer.cancelled()]
        if len(failures) < len(answers):
            raise Expired
        return [answer.result() for answer in answers]

    async def run(self, work: Callable[[], None]) -> None:
        """Does other work on the device's thread, between batches."""
        await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            batch = _open(await self._gather())
            if not batch:
                continue
            for item in batch:
                self._on_wait(time.monotonic() - item.arrived)
            try:
                texts = [item.text for item in batch]
                scores = await loop.run_in_executor(self._thread, self._run, texts)
            except asyncio.CancelledError:
                _fail(batch, Overloaded())
                raise
            except Exception as error:
                _fail(batch, error)
            else:
                for item, row in zip(batch, scores, strict=True):
                    if not item.answer.done():
                        item.answer.set_result(row)

    async def _gather(self) -> list[_Item]:
        """The next batch: full, or as much as came while its first text could wait."""
        while not self._queue:
            self._arrived.clear()
            await self._arrived.wait()
        most = self.ceiling.now()
        if len(self._queue) < most:
            self._full.clear()
            waited = time.monotonic() - self._queue[0].arrived
            await _wait(self._full, self._limits.max_wait_s - waited)
        size = min(len(self._queue), most)
        return [self._queue.popleft() for _ in range(size)]

    def _run(self, texts: list[str]) -> list[Scores]:
        """On the device's thread: one pass, or two halves where memory does not suffice."""
        try:
            return self._forward(texts)
        except Exception as error:
            if len(texts) == 1 or not self._is_out_of_memory(error):
                raise
        half = len(texts) // 2
        self.ceiling.lower(half)
        return self._run(texts[:half]) + self._run(texts[half:])


def _open(items: Iterable[_Item]) -> list[_Item]:
    """Those that somebody still waits for."""
    now = time.monotonic()
    return [item for item in items if not item.answer.done() and item.deadline > now]


def _fail(items: Iterable[_Item], error: Exception) -> None:
    for item in items:
        if not item.answer.done():
            item.answer.set_exception(error)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    if seconds > 0:
        waiter = asyncio.ensure_future(event.wait())
        await asyncio.wait({waiter}, timeout=seconds)
        waiter.cancel()
