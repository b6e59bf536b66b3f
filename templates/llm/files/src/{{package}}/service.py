"""The service without HTTP: loads the model, answers prompts, knows whether it is well."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from dataclasses import dataclass

from . import threads
from .config import Settings
from .engine import Engine, Sampling
from .health import Health, State
from .metrics import SECONDS, Metrics
from .text import Writer
from .tracing import Tracing

log = logging.getLogger(__name__)


class NotReady(Exception):
    """There is no model to ask yet, or no more."""


class Overloaded(Exception):
    """As many requests wait as may."""


class Expired(Exception):
    """The first token did not come in time."""


class OutOfMemory(Exception):
    """Not even one request alone fits."""


@dataclass(frozen=True)
class Piece:
    """A piece of an answer, how many tokens there are so far, and in the last one why it ended."""

    text: str
    tokens: int
    finish: str | None = None


class Service:
    """One model. `on_failure` is called once, when the process must be replaced."""

    def __init__(
        self,
        settings: Settings,
        load: Callable[[], Engine],
        on_failure: Callable[[], None] = lambda: None,
        tracing: Tracing | None = None,
    ) -> None:
        self.settings = settings
        self.health = Health()
        self.metrics = Metrics()
        self.tracing = tracing
        self.engine: Engine | None = None
        self.started_at = int(time.time())
        # Requests that are here, running or waiting.
        self.active = 0
        self._load = load
        self._on_failure = on_failure
        self._proof: asyncio.Task[None] | None = None
        self._loading: asyncio.Task[None] | None = None
        self._add_metrics()

    def _add_metrics(self) -> None:
        it = self.metrics
        self._read = it.counter("prompt_tokens", "Tokens of prompts")
        self._written = it.counter("answer_tokens", "Tokens of answers")
        self._first = it.histogram("first_token_seconds", "Time to the first token", SECONDS)
        self._next = it.histogram("next_token_seconds", "Time to each other token", SECONDS)
        self._did_not_fit = it.counter("out_of_memory", "Requests that did not fit")
        it.gauge("requests_running", "Requests that are worked on", self._running)
        it.gauge("requests_waiting", "Requests that wait", lambda: self.active - self._running())
        it.gauge("ready", "1 when requests are welcome", lambda: self.health.state is State.READY)
        it.gauge("device_memory_bytes", "Held on the device", lambda: self._memory()[0])
        it.gauge("device_memory_total_bytes", "Of the device", lambda: self._memory()[1])

    def _running(self) -> int:
        return 0 if self.engine is None else min(self.active, self.engine.max_running)

    def _memory(self) -> tuple[int, int]:
        return (0, 0) if self.engine is None else self.engine.memory()

    def start(self) -> None:
        """Begins to load in the background, so that probes are answered meanwhile."""
        self._loading = asyncio.get_running_loop().create_task(self._load_model())

    async def stop(self) -> None:
        """Ends all background work."""
        for task in (self._loading, self._proof):
            if task is not None:
                task.cancel()
        if self.engine is not None:
            self.engine.close()
        if self.tracing:
            self.tracing.stop()

    async def _load_model(self) -> None:
        try:
            engine = await _apart(self._load)
            self.health.warming()
            engine.start(self.health)
            await engine.prove()
        except Exception as error:
            self._fail(f"the model cannot be loaded: {error}", error)
            return
        info = engine.info()
        self.metrics.model.info(info)
        self.metrics.watch_gpu(info.get("device", "cpu"))
        # What is there now stays: the collector need not look at it again and again, which takes
        # tenths of a second each time with a framework's hundreds of thousands of objects.
        gc.collect()
        gc.freeze()
        self.engine = engine
        self.health.loaded()
        log.info("ready", extra={"model": info, "context": engine.context})

    def is_full(self) -> bool:
        """Whether one more request would be refused."""
        if self.engine is None:
            return False
        return self.active >= self.engine.max_running + self.settings.queue_size

    def usable(self) -> Engine:
        """The engine; raises NotReady."""
        if self.engine is None or self.health.state is State.FAILED:
            raise NotReady(self.health.reason or self.health.state.value)
        return self.engine

    async def generate(
        self, prompt: Sequence[int], sampling: Sampling, stops: Sequence[str] = ()
    ) -> AsyncGenerator[Piece]:
        """The answer as it comes; raises NotReady, Overloaded, Expired, OutOfMemory."""
        engine = self.usable()
        if self.is_full():
            raise Overloaded
        self.active += 1
        self._read.inc(len(prompt))
        try:
            async with aclosing(self._write(engine, prompt, sampling, stops)) as pieces:
                async for piece in pieces:
                    yield piece
        except Exception as error:
            await self._look_into(engine, error)
            if engine.is_out_of_memory(error):
                raise OutOfMemory from error
            raise
        finally:
            self.active -= 1

    async def _write(
        self, engine: Engine, prompt: Sequence[int], sampling: Sampling, stops: Sequence[str]
    ) -> AsyncGenerator[Piece]:
        """Tokens to text: a stop string that is found ends the answer."""
        writer = Writer(engine.tokenizer.decode, stops)
        made = 0
        began = first = last = time.monotonic()
        async with aclosing(engine.generate(prompt, sampling)) as steps:
            while True:
                wait = None if made else self.settings.first_token_s
                try:
                    step = await asyncio.wait_for(anext(steps), wait)
                except TimeoutError:
                    raise Expired from None
                now = time.monotonic()
                if made == 0:
                    first = now
                self._count(len(step.tokens), made == 0, now - last)
                made, last = made + len(step.tokens), now
                # A token that stops is no part of the text.
                text = writer.add(step.tokens[:-1] if step.finish == "stop" else step.tokens)
                if step.finish is not None:
                    text += writer.end()
                finish = "stop" if writer.stopped else step.finish
                if text or finish:
                    yield Piece(text, made, finish)
                if finish:
                    if self.tracing:
                        self.tracing.passed(began, first, now)
                    return

    def _count(self, tokens: int, is_first: bool, seconds: float) -> None:
        """Takes note of tokens that came together, `seconds` after those before them."""
        self._written.inc(tokens)
        if is_first:
            self._first.observe(seconds)
        elif tokens:
            self._next.observe(seconds / tokens)

    async def _look_into(self, engine: Engine, error: Exception) -> None:
        """Finds out whether a failure is the request's own, or the device's."""
        if isinstance(error, Expired):
            return
        if engine.is_out_of_memory(error):
            self._did_not_fit.inc()
            log.warning("a request does not fit into the device's memory")
        else:
            log.error("a request failed", exc_info=error)
        await self._prove(engine)

    def live(self) -> str:
        """Why this process should be replaced, or nothing."""
        if self.health.state is State.FAILED:
            return self.health.reason
        busy = self.health.busy_s()
        if busy > self.settings.stuck_after_s:
            return f"a pass on the device has taken {busy:.0f} s"
        return ""

    async def ready(self) -> str:
        """Why requests should go elsewhere, or nothing. Idle for long, the device is tried."""
        if self.health.state is State.READY and self._is_unproved():
            if self._proof is None or self._proof.done():
                assert self.engine is not None
                run = self._prove(self.engine)
                self._proof = asyncio.get_running_loop().create_task(run)
            await asyncio.wait({self._proof}, timeout=self.settings.probe_timeout_s)
            if not self._proof.done():
                return f"the device did not answer in {self.settings.probe_timeout_s} s"
        if self.health.state is State.READY:
            return ""
        return self.health.reason or self.health.state.value

    def _is_unproved(self) -> bool:
        return self.health.unproved_s() >= self.settings.probe_interval_s

    async def _prove(self, engine: Engine) -> None:
        """A known prompt, or the end where even that fails."""
        try:
            await engine.prove()
        except Exception as error:
            if not engine.is_out_of_memory(error):
                self._fail(f"the device is not usable: {error}", error)

    def _fail(self, reason: str, error: Exception) -> None:
        if self.health.state is State.FAILED:
            return
        log.error(reason, exc_info=error)
        self.health.fail(reason)
        self._on_failure()


def _apart(load: Callable[[], Engine]) -> asyncio.Future[Engine]:
    """Loads in a thread of its own, for which the end of the process does not wait."""
    done: Future[Engine] = Future()
    done.set_running_or_notify_cancel()

    def work() -> None:
        try:
            done.set_result(load())
        except BaseException as error:
            known = isinstance(error, Exception)
            done.set_exception(error if known else RuntimeError(repr(error)))

    threads.start(work, "load")
    return asyncio.wrap_future(done)
