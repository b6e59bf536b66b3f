"""Many requests on one device: a thread takes the running ones in turn, a token each.

Each has a pass of its own, so that what it is answered does not depend on its company. A long
prompt is read in pieces, between the tokens of the others. A request that does not fit into the
device's memory steps back into the queue, with what it has already said, and fewer run at once
until some have ended.
"""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

from . import threads
from .engine import Sampling, Step
from .health import Health

# In the place of a token, which is never negative.
_NO_ROOM = -1


class Network(Protocol):
    """What a model must do; backend.py has the real one. `state` is its own affair."""

    # Tokens after which there is no more.
    stops: frozenset[int]

    def begin(self, prompt: Sequence[int], sampling: Sampling) -> Any:
        """The state of a request of which nothing is done yet."""

    def step(self, state: Any) -> int | None:
        """One pass: the next token, or None while the prompt is still being read."""

    def rewind(self, state: Any) -> None:
        """Gives the request's memory up; what is needed again will be computed again."""

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether fewer requests at once may succeed."""


@dataclass(eq=False)
class _Job:
    prompt: Sequence[int]
    sampling: Sampling
    send: Callable[[Step | Exception], None]
    state: Any = None
    made: int = 0
    # Nobody waits for it any longer.
    gone: bool = False


class Scheduler:
    """The only thread that touches the device."""

    def __init__(self, network: Network, max_running: int, health: Health) -> None:
        self.max_running = max_running
        self._network = network
        self._health = health
        self._most = max_running
        self._waiting: deque[_Job] = deque()
        self._running: deque[_Job] = deque()
        self._errands: deque[tuple[Callable[[], None], Future[None]]] = deque()
        self._closed = False
        self._changed = threading.Condition()
        threads.start(self._work, "device")

    async def generate(self, prompt: Sequence[int], sampling: Sampling) -> AsyncGenerator[Step]:
        """The answer, a token at a time; closing the generator gives it up."""
        loop = asyncio.get_running_loop()
        answers: asyncio.Queue[Step | Exception] = asyncio.Queue()

        def send(answer: Step | Exception) -> None:
            with suppress(RuntimeError):  # the loop has ended before us
                loop.call_soon_threadsafe(answers.put_nowait, answer)

        job = _Job(prompt, sampling, send)
        with self._changed:
            self._waiting.append(job)
            self._changed.notify()
        try:
            while True:
                answer = await answers.get()
                if isinstance(answer, Exception):
                    raise answer
                yield answer
                if answer.finish is not None:
                    return
        finally:
            job.gone = True
            with self._changed, suppress(ValueError):  # it runs, or has ended
                self._waiting.remove(job)

    async def run(self, work: Callable[[], None]) -> None:
        """Does other work on the device, between two passes."""
        done: Future[None] = Future()
        with self._changed:
            self._errands.append((work, done))
            self._changed.notify()
        await asyncio.wrap_future(done)

    def close(self) -> None:
        """Ends after the present pass; what is not answered yet never will be."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _work(self) -> None:
        while self._gather():
            if self._errands:
                _do(*self._errands.popleft())
            elif self._running:
                job = self._running.popleft()
                if job.gone:
                    self._ended()
                elif self._advance(job):
                    self._running.append(job)

    def _gather(self) -> bool:
        """Waits for work and takes in what may run; False when told to end."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._closed or self._errands or self._running or self._waiting
            )
            while self._waiting and len(self._running) < self._most:
                self._running.append(self._waiting.popleft())
        return not self._closed

    def _advance(self, job: _Job) -> bool:
        """One pass for one request; whether there will be another."""
        try:
            with self._health.forward():
                if job.state is None:
                    job.state = self._network.begin(job.prompt, job.sampling)
                token = self._network.step(job.state)
        except BaseException as error:
            if not (self._running and self._network.is_out_of_memory(error)):
                job.send(_told(error))
                return False
            token = _NO_ROOM
        # Not within `except`: the error would hold on to what it had in hand.
        if token == _NO_ROOM:
            self._step_back(job)
            return False
        if token is None:
            return True
        job.made += 1
        finish = "length" if job.made == job.sampling.max_tokens else None
        if token in self._network.stops:
            finish = "stop"
        job.send(Step([token], finish))
        if finish is not None:
            self._ended()
        return finish is None

    def _ended(self) -> None:
        """Its memory is free again: maybe for one more than there was room for."""
        self._most = min(self.max_running, self._most + 1)

    def _step_back(self, job: _Job) -> None:
        if job.state is not None:
            self._network.rewind(job.state)
        self._most = len(self._running)
        with self._changed:
            self._waiting.appendleft(job)


def _do(work: Callable[[], None], done: Future[None]) -> None:
    if not done.set_running_or_notify_cancel():
        return
    try:
        work()
    except BaseException as error:
        done.set_exception(_told(error))
    else:
        done.set_result(None)


def _told(error: BaseException) -> Exception:
    """What whoever waits is told.

    `sys.exit`, and what Rust calls a panic, would end the device's thread, and with it all answers.
    """
    if isinstance(error, Exception):
        return error
    told = RuntimeError(f"{type(error).__name__}: {error}")
    told.__cause__ = error
    return told
