"""Micro-batching: what gathers while the device is busy shares its next pass.

A bounded queue, a deadline for each request, and one thread that alone touches the device. It takes
what is there as soon as it is idle, so that a lone request never waits for company. Other work on
the device, such as the pieces of answers that are streamed, takes turns with batches. A batch that
fails is tried again in halves: one that is too large for the device's memory fits in the end, and
one bad item fails alone.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from . import threads

Item = TypeVar("Item")
Answer = TypeVar("Answer")
Result = TypeVar("Result")


class Overloaded(Exception):
    """The queue is full."""


class Expired(Exception):
    """The answer was not there in time."""


@dataclass(frozen=True)
class Limits:
    """How large a batch may be, how long its first item waits for others, how many may queue."""

    max_batch: int
    max_wait_s: float
    # So many may wait, and more as long as none of them waits longer than queue_s.
    queue_size: int
    queue_s: float = 0.0
    # After a batch that did not fit: how long until batches may be twice as large again.
    recover_s: float = 30.0


class Ceiling:
    """How many items share a pass now: fewer after a batch that did not fit, later more again."""

    def __init__(
        self, most: int, recover_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most = most
        self._now = most
        self._recover_s = recover_s
        self._clock = clock
        self._raise_at = 0.0

    def most(self, items: int) -> None:
        """More than `items` never fit: there is no use in trying."""
        self._most = min(self._most, items)
        self._now = min(self._now, items)

    def lower(self, items: int) -> None:
        """More than `items` did not fit just now."""
        self._now = max(1, min(self._now, items))
        self._raise_at = self._clock() + self._recover_s

    def now(self) -> int:
        """The size of a full batch."""
        if self._now < self._most and self._clock() >= self._raise_at:
            self._now = min(self._most, self._now * 2)
            self._raise_at = self._clock() + self._recover_s
        return self._now


@dataclass
class _Failed:
    """In the place of an answer."""

    error: Exception


class _Job(Generic[Item, Answer]):
    """One request: its items, and the answers that came so far."""

    def __init__(
        self, items: Sequence[Item], timeout_s: float, loop: asyncio.AbstractEventLoop
    ) -> None:
        self.items = items
        self.arrived = time.monotonic()
        # When a pass took the first of them, and how many have been taken.
        self.began = 0.0
        self.taken = 0
        self.done: asyncio.Future[list[Answer]] = loop.create_future()
        self._answers: list[Any] = [None] * len(items)
        self._missing = len(items)
        self._timer = loop.call_later(timeout_s, self.fail, Expired())

    @property
    def waiting(self) -> int:
        """How many of its items no pass has taken yet."""
        return len(self.items) - self.taken

    def answer(self, place: int, answer: Answer | _Failed) -> None:
        """One more answer; the last one, or a failure, ends the job."""
        if isinstance(answer, _Failed):
            self.fail(answer.error)
            return
        self._answers[place] = answer
        self._missing -= 1
        if not self._missing and not self.done.done():
            self._timer.cancel()
            self.done.set_result(self._answers)

    def drop(self) -> None:
        """Nobody waits any longer."""
        self._timer.cancel()
        self.done.cancel()

    def fail(self, error: Exception) -> None:
        """Ends the job, unless it has ended."""
        self._timer.cancel()
        if not self.done.done():
            self.done.set_exception(error)


# Items of a batch: whose each is, and which of its job's.
_Batch = list[tuple[_Job[Item, Answer], int]]


class Batcher(Generic[Item, Answer]):
    """Runs `forward` on batches of what is submitted.

    All public methods belong to the event loop that `start` was called in. `on_wait` is told how
    long each request waited; `on_answer`, in the request's own context, when it came, when a pass
    took it, and when it was answered.
    """

    def __init__(
        self,
        forward: Callable[[list[Item]], Sequence[Answer]],
        limits: Limits,
        is_out_of_memory: Callable[[BaseException], bool],
        on_wait: Callable[[float], None] = lambda _: None,
        on_answer: Callable[[float, float, float], None] | None = None,
    ) -> None:
        self.ceiling = Ceiling(limits.max_batch, limits.recover_s)
        self._forward = forward
        self._limits = limits
        self._is_out_of_memory = is_out_of_memory
        self._on_wait = on_wait
        self._on_answer = on_answer
        # What the event loop and the device's thread share: all of it under the lock.
        self._lock = threading.Condition()
        self._jobs: deque[_Job[Item, Answer]] = deque()
        self._waiting = 0
        self._chores: deque[tuple[Callable[[], Any], asyncio.Future[Any]]] = deque()
        self._ended = False
        # Seconds that an item takes, as of late, and when the present pass began.
        self._pace = 0.0
        self._began: float | None = None
        # Jobs that nobody has an answer for yet: of the event loop alone.
        self._open: set[_Job[Item, Answer]] = set()
        self._loop: asyncio.AbstractEventLoop

    def start(self) -> None:
        """Begins to take batches from the queue."""
        self._loop = asyncio.get_running_loop()
        threads.start(self._work, "device")

    async def stop(self) -> None:
        """Ends; what has no answer yet is refused. A pass that runs is not waited for."""
        with self._lock:
            self._ended = True
            self._jobs.clear()
            self._waiting = 0
            chores, self._chores = self._chores, deque()
            self._lock.notify()
        for job in self._open:
            job.fail(Overloaded())
        for _, done in chores:
            done.cancel()

    @property
    def depth(self) -> int:
        """Items that wait."""
        return self._waiting

    async def submit(self, items: Sequence[Item], timeout_s: float) -> list[Answer]:
        """The answers to all items; raises Overloaded or Expired, or what the model raised."""
        job: _Job[Item, Answer] = _Job(items, timeout_s, self._loop)
        self._open.add(job)
        try:
            self._enqueue(job)
            answers = await job.done
            if self._on_answer:
                self._on_answer(job.arrived, job.began, time.monotonic())
            return answers
        finally:
            self._open.discard(job)
            job.drop()
            if job.waiting:
                self._leave(job)

    def is_full(self) -> bool:
        """Whether the next request will be refused, however few items it has."""
        if self._waiting < self._limits.queue_size:
            return False
        began = self._began
        present = 0.0 if began is None else time.monotonic() - began
        return max(self._waiting * self._pace, present) >= self._limits.queue_s

    def _enqueue(self, job: _Job[Item, Answer]) -> None:
        with self._lock:
            if self._ended or self.is_full():
                raise Overloaded
            self._jobs.append(job)
            self._waiting += len(job.items)
            self._lock.notify()

    def _leave(self, job: _Job[Item, Answer]) -> None:
        """Nobody waits for it any longer: others may have its place."""
        with self._lock, suppress(ValueError):  # a pass took it meanwhile, or never
            self._jobs.remove(job)
            self._waiting -= job.waiting

    def run(self, work: Callable[[], Result]) -> asyncio.Future[Result]:
        """Does other work on the device's thread, before the next batch, unless it is cancelled."""
        done: asyncio.Future[Result] = self._loop.create_future()
        with self._lock:
            if self._ended:
                done.cancel()
            self._chores.append((work, done))
            self._lock.notify()
        return done

    # What follows runs on the device's thread.

    def _work(self) -> None:
        while not self._ended:
            chore, is_due = self._next()
            if chore:
                self._do(*chore)
            if is_due and (batch := self._take()):
                items = [job.items[place] for job, place in batch]
                self._began = began = time.monotonic()
                answers = self._run(items)
                self._began = None
                self._pace += 0.1 * ((time.monotonic() - began) / len(items) - self._pace)
                self._tell(_deliver, batch, answers)

    def _do(self, work: Callable[[], Any], done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            return
        try:
            result = work()
        except BaseException as error:
            self._tell(_settle, done, None, _told(error))
        else:
            self._tell(_settle, done, result, None)

    def _tell(self, function: Callable[..., None], *arguments: object) -> None:
        """Has the event loop do something, if it still runs."""
        with suppress(RuntimeError):  # it is closed
            self._loop.call_soon_threadsafe(function, *arguments)

    def _next(self) -> tuple[tuple[Callable[[], Any], asyncio.Future[Any]] | None, bool]:
        """Waits until there is something to do: a chore, if there is one; whether a batch is due.

        They take turns: neither waits for more than one of the other.
        """
        with self._lock:
            self._lock.wait_for(lambda: self._ended or self._chores or self._jobs)
            is_due = bool(self._jobs)
            if is_due and self._limits.max_wait_s > 0:
                until = self._jobs[0].arrived + self._limits.max_wait_s
                most = self.ceiling.now()
                self._lock.wait_for(
                    lambda: self._ended or self._chores or self._waiting >= most,
                    max(until - time.monotonic(), 0),
                )
                is_due = self._waiting >= most or time.monotonic() >= until
            return (self._chores.popleft() if self._chores else None), is_due

    def _take(self) -> _Batch[Item, Answer]:
        """The next batch: what waits, as much as fits. What is too late is left out."""
        batch: _Batch[Item, Answer] = []
        most = self.ceiling.now()
        now = time.monotonic()
        with self._lock:
            while self._jobs and len(batch) < most:
                job = self._jobs[0]
                first, job.taken = job.taken, min(len(job.items), job.taken + most - len(batch))
                if job.done.done():
                    job.taken = len(job.items)
                else:
                    batch += [(job, place) for place in range(first, job.taken)]
                    if not first:
                        job.began = now
                        self._on_wait(now - job.arrived)
                self._waiting -= job.taken - first
                if not job.waiting:
                    self._jobs.popleft()
        return batch

    def _run(self, items: list[Item]) -> list[Answer | _Failed]:
        """One pass, or two halves where it fails; a single item that fails, fails alone."""
        try:
            answers = self._forward(items)
            if len(answers) != len(items):
                raise RuntimeError(f"the model gave {len(answers)} answers to {len(items)} items")
            return list(answers)
        except BaseException as error:
            if len(items) == 1:
                return [_Failed(_told(error))]
            half = len(items) // 2
            if self._is_out_of_memory(error):
                self.ceiling.lower(half)
        return self._run(items[:half]) + self._run(items[half:])


def _told(error: BaseException) -> Exception:
    """What whoever waits is told. Futures take no StopIteration.

    `sys.exit`, and what Rust calls a panic, would end the device's thread, and with it all answers.
    """
    if isinstance(error, Exception) and not isinstance(error, StopIteration):
        return error
    told = RuntimeError(f"{type(error).__name__}: {error}")
    told.__cause__ = error
    return told


def _deliver(batch: _Batch[Item, Answer], answers: Iterable[Answer | _Failed]) -> None:
    for (job, place), answer in zip(batch, answers, strict=True):
        job.answer(place, answer)


def _settle(done: asyncio.Future[Any], result: object, error: Exception | None) -> None:
    if done.done():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
