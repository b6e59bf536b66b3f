"""The service without HTTP: loads the model, batches work on it, knows whether it is well."""

from __future__ import annotations

import asyncio
import gc
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

from .batcher import Batcher, Expired, Limits, Overloaded
from .config import Settings
from .health import Health, State
from .metrics import SECONDS, Metrics
from .schemas import Instance, Prediction
from .tracing import Tracing

log = logging.getLogger(__name__)

SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Model(Protocol):
    """What a model must do; model.py has the real one."""

    version: str
    # The pieces of an answer as they come, where the model can.
    stream: Callable[[Instance], Iterator[Prediction]] | None

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance."""

    def prove(self) -> None:
        """Raises unless the device answers rightly."""

    def warm_up(self, max_batch: int, worked: Callable[[], None]) -> int:
        """Does what is slow only the first time; returns how many instances fit into one pass.

        Calls `worked` after each pass.
        """

    def info(self) -> dict[str, str]:
        """What runs where."""

    def memory(self) -> tuple[int, int]:
        """Bytes held on the device, and the device's all."""

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether a smaller batch may succeed."""


class NotReady(Exception):
    """There is no model to ask yet, or no more."""


class OutOfMemory(Exception):
    """Not even one instance fits."""


class Service:
    """One model on one device. `on_failure` is called once, when the process must be replaced."""

    def __init__(
        self,
        settings: Settings,
        load: Callable[[], Model],
        on_failure: Callable[[], None] = lambda: None,
        tracing: Tracing | None = None,
    ) -> None:
        self.settings = settings
        self.health = Health()
        self.metrics = Metrics()
        self.tracing = tracing
        self._load = load
        self._on_failure = on_failure
        self._model: Model | None = None
        self._proof: asyncio.Future[None] | None = None
        self._loading: asyncio.Task[None] | None = None
        self._add_metrics()
        self._batcher: Batcher[Instance, Prediction] = Batcher(
            self._forward,
            Limits(
                settings.max_batch,
                settings.max_wait_ms / 1000,
                settings.queue_size,
                settings.queue_ms / 1000,
                settings.recover_s,
            ),
            lambda error: self._model is not None and self._model.is_out_of_memory(error),
            self._waited.observe,
            tracing.passed if tracing else None,
        )
        # Answers that are being streamed.
        self._streams = 0
        # When the known instance did not fit, since something last did.
        self._starved: deque[float] = deque()

    def _add_metrics(self) -> None:
        it = self.metrics
        self._waited = it.histogram("queue_seconds", "Time that a request waited", SECONDS)
        self._sizes = it.histogram("batch_instances", "Instances in a pass", SIZES)
        self._passes = it.histogram("forward_seconds", "Time of a pass on the device", SECONDS)
        self._did_not_fit = it.counter("out_of_memory", "Passes that did not fit")
        self._first = it.histogram("stream_first_seconds", "Time to the first piece", SECONDS)
        self._pieces = it.counter("stream_pieces", "Pieces of answers that were streamed")
        self._broken = it.counter("stream_errors", "Streams that ended with an error")
        it.gauge("streams", "Answers that are being streamed", lambda: self._streams)
        it.gauge("queue_instances", "Instances that wait", lambda: self._batcher.depth)
        it.gauge(
            "batch_limit_instances", "Of a full batch now", lambda: self._batcher.ceiling.now()
        )
        it.gauge("ready", "1 when requests are welcome", lambda: self.health.state is State.READY)
        it.gauge("device_memory_bytes", "Held on the device", lambda: self._memory()[0])
        it.gauge("device_memory_total_bytes", "Of the device", lambda: self._memory()[1])

    def _memory(self) -> tuple[int, int]:
        return (0, 0) if self._model is None else self._model.memory()

    def start(self, on_model: Callable[[bool], None] = lambda _: None) -> None:
        """Begins to load in the background, so that probes are answered meanwhile.

        `on_model` is called before the service is ready, and told whether its model can stream.
        """
        self._batcher.start()
        self._loading = asyncio.get_running_loop().create_task(self._load_model(on_model))

    async def stop(self) -> None:
        """Ends all background work."""
        for task in (self._loading, self._proof):
            if task is not None:
                task.cancel()
        await self._batcher.stop()
        if self.tracing:
            self.tracing.stop()

    async def _load_model(self, on_model: Callable[[bool], None]) -> None:
        try:
            await self._batcher.run(self._load_on_device)
        except Exception as error:
            self._fail(f"the model cannot be loaded: {error}", error)
            return
        assert self._model is not None
        on_model(self._model.stream is not None)
        self.health.loaded()

    def _load_on_device(self) -> None:
        model = self._load()
        self.health.warming()
        with self.health.forward():
            fits = model.warm_up(self.settings.max_batch, self.health.worked)
        self._batcher.ceiling.most(fits)
        self.metrics.model.info(model.info())
        self.metrics.watch_gpu(model.info().get("device", "cpu"))
        log.info("ready", extra={"model": model.info(), "max_batch": fits})
        # What is there now stays: the collector need not look at it again and again, which takes a
        # tenth of a second each time with a framework's hundreds of thousands of objects.
        gc.collect()
        gc.freeze()
        self._model = model

    def _usable(self) -> Model:
        """The model; raises NotReady."""
        if self._model is None or self.health.state is State.FAILED:
            raise NotReady(self.health.reason or self.health.state.value)
        return self._model

    async def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance; raises NotReady, Overloaded, Expired, OutOfMemory."""
        model = self._usable()
        try:
            return await self._batcher.submit(instances, self.settings.timeout_s)
        except Exception as error:
            if model.is_out_of_memory(error):
                raise OutOfMemory from error
            raise

    async def stream(self, instance: Instance) -> AsyncGenerator[Prediction, None]:
        """The pieces of an answer as they come; raises what `predict` does.

        Each is a turn of its own on the device's thread, one ahead of the reader. Closing the
        generator ends the work.
        """
        model = self._usable()
        assert model.stream is not None
        if self.streams_are_full():
            raise Overloaded
        pieces = _Pieces(model.stream, instance, self._watched)
        arrived = time.monotonic()
        is_first = True
        self._streams += 1
        coming = self._batcher.run(pieces.next)
        try:
            while await _ends(coming, self.settings.timeout_s):
                piece = coming.result()
                if piece is None:
                    break
                if is_first:
                    self._first.observe(time.monotonic() - arrived)
                    is_first = False
                self._pieces.inc()
                coming = self._batcher.run(pieces.next)
                yield piece
            else:
                raise Expired
            if self.tracing:
                self.tracing.passed(arrived, pieces.began, time.monotonic())
        except Exception as error:
            self._broken.inc()
            if model.is_out_of_memory(error):
                raise OutOfMemory from error
            raise
        finally:
            self._streams -= 1
            coming.cancel()
            self._batcher.run(pieces.close)

    def streams_are_full(self) -> bool:
        """Whether one more answer that is streamed would be refused."""
        return self._streams >= self.settings.max_streams

    def is_full(self) -> bool:
        """Whether one more request would be refused: known before it is read."""
        return self._batcher.is_full()

    @property
    def version(self) -> str:
        """Which weights answer."""
        return "" if self._model is None else self._model.version

    @property
    def framework(self) -> str:
        """What computes."""
        return "" if self._model is None else self._model.info().get("framework", "")

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
                self._proof = self._batcher.run(self._prove)
            await asyncio.wait({self._proof}, timeout=self.settings.probe_timeout_s)
            if not self._proof.done():
                return f"the device did not answer in {self.settings.probe_timeout_s} s"
        if self.health.state is State.READY:
            return "out of device memory" if self._starved else ""
        return self.health.reason or self.health.state.value

    def _is_unproved(self) -> bool:
        return self.health.unproved_s() >= self.settings.probe_interval_s

    def _forward(self, instances: list[Instance]) -> list[Prediction]:
        """On the device's thread."""
        assert self._model is not None
        self._sizes.observe(len(instances))
        with self._watched(len(instances)), self._passes.time():
            return self._model.predict(instances)

    @contextmanager
    def _watched(self, instances: int = 1) -> Iterator[None]:
        """On the device's thread, around work for so many: what fails there is looked into."""
        assert self._model is not None
        try:
            with self.health.forward():
                yield
        except BaseException as error:
            if self._model.is_out_of_memory(error):
                self._did_not_fit.inc()
                log.warning("%d instances do not fit into the device's memory", instances)
                if instances == 1:
                    self._prove()
            else:
                log.exception("a pass failed")
                self._prove()
            raise
        self._starved.clear()

    def _prove(self) -> None:
        """On the device's thread: a known instance, or the end where even that fails."""
        assert self._model is not None
        try:
            with self.health.forward():
                self._model.prove()
        except BaseException as error:
            if not self._model.is_out_of_memory(error) or self._is_starved():
                self._fail(f"the device is not usable: {error}", error)
        else:
            self._starved.clear()

    def _is_starved(self) -> bool:
        """Counts one more known instance that did not fit; whether there were too many of late."""
        now = time.monotonic()
        self._starved.append(now)
        while self._starved[0] < now - self.settings.oom_window_s:
            self._starved.popleft()
        return len(self._starved) >= self.settings.oom_limit

    def _fail(self, reason: str, error: BaseException) -> None:
        log.error(reason, exc_info=error)
        self.health.fail(reason)
        self._on_failure()


class _Pieces:
    """The pieces of one answer: what the model gives, taken on the device's thread alone."""

    def __init__(
        self,
        stream: Callable[[Instance], Iterator[Prediction]],
        instance: Instance,
        watched: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._stream = stream
        self._instance = instance
        self._watched = watched
        self._given: Iterator[Prediction] | None = None
        # When the device began.
        self.began = 0.0

    def next(self) -> Prediction | None:
        """The next one; None after the last."""
        with self._watched():
            if self._given is None:
                self.began = time.monotonic()
                self._given = iter(self._stream(self._instance))
            return next(self._given, None)

    def close(self) -> None:
        """Frees what the model holds for it."""
        if isinstance(self._given, Generator):
            self._given.close()
        self._given = None


async def _ends(future: asyncio.Future[Any], seconds: float) -> bool:
    """Whether it is done in time. It is left as it is."""
    return bool((await asyncio.wait({future}, timeout=seconds))[0])
