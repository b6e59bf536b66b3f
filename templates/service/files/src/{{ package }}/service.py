"""The service without HTTP: loads the model, batches work on it, knows whether it is well."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from .batcher import Batcher, Limits
from .config import Settings
from .health import Health, State
from .metrics import Metrics

log = logging.getLogger(__name__)


class Model(Protocol):
    """What a model must do; model.py has the real one."""

    labels: list[str]
    version: str

    def classify(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities of all labels, one list for each text."""

    def prove(self) -> None:
        """Raises unless the device answers rightly."""

    def warm_up(self, max_batch: int) -> int:
        """Does what is slow only the first time; returns how many texts fit into one pass."""

    def info(self) -> dict[str, str]:
        """What runs where."""

    def memory(self) -> tuple[int, int]:
        """Bytes held on the device, and the device's all."""

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether a smaller batch may succeed."""


class NotReady(Exception):
    """There is no model to ask yet, or no more."""


class OutOfMemory(Exception):
    """Not even one text fits."""


class Service:
    """One model on one device. `on_failure` is called once, when the process must be replaced."""

    def __init__(
        self,
        settings: Settings,
        load: Callable[[], Model],
        on_failure: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = settings
        self.health = Health()
        self.metrics = Metrics()
        self._load = load
        self._on_failure = on_failure
        self._model: Model | None = None
        self._proof: asyncio.Task[None] | None = None
        self._loading: asyncio.Task[None] | None = None
        self._batcher = Batcher(
            self._forward,
            Limits(
                settings.max_batch,
                settings.max_wait_ms / 1000,
                settings.queue_size,
                settings.recover_s,
            ),
            lambda error: self._model is not None and self._model.is_out_of_memory(error),
            self.metrics.queue.observe,
        )
        # When the known text did not fit, since something last did.
        self._starved: deque[float] = deque()
        self._add_gauges()

    def _add_gauges(self) -> None:
        self.metrics.gauge("queue_texts", "Texts that wait", lambda: self._batcher.depth)
        self.metrics.gauge(
            "batch_limit_texts", "Texts in a full batch now", lambda: self._batcher.ceiling.now()
        )
        self.metrics.gauge(
            "ready", "1 when requests are welcome", lambda: self.health.state is State.READY
        )
        self.metrics.gauge("device_memory_bytes", "Held on the device", lambda: self._memory()[0])
        self.metrics.gauge("device_memory_total_bytes", "Of the device", lambda: self._memory()[1])

    def _memory(self) -> tuple[int, int]:
        return (0, 0) if self._model is None else self._model.memory()

    def start(self) -> None:
        """Begins to load in the background, so that probes are answered meanwhile."""
        self._batcher.start()
        self._loading = asyncio.get_running_loop().create_task(self._load_model())

    async def stop(self) -> None:
        """Ends all background work."""
        for task in (self._loading, self._proof):
            if task is not None:
                task.cancel()
        await self._batcher.stop()

    async def _load_model(self) -> None:
        try:
            await self._batcher.run(self._load_on_device)
        except Exception as error:
            self._fail(f"the model cannot be loaded: {error}", error)

    def _load_on_device(self) -> None:
        model = self._load()
        self.health.warming()
        with self.health.forward():
            fits = model.warm_up(self.settings.max_batch)
        self._batcher.ceiling.most(fits)
        self.metrics.model.info(model.info())
        self.metrics.watch_gpu(model.info().get("device", "cpu"))
        log.info("ready", extra={"model": model.info(), "max_batch": fits})
        self._model = model
        self.health.loaded()

    async def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Scores of all texts; raises NotReady, Overloaded, Expired, OutOfMemory."""
        if self._model is None or self.health.state is State.FAILED:
            raise NotReady(self.health.reason or self.health.state.value)
        try:
            return await self._batcher.submit(texts, self.settings.timeout_s)
        except Exception as error:
            if self._model.is_out_of_memory(error):
                raise OutOfMemory from error
            raise

    @property
    def labels(self) -> list[str]:
        """What scores are for, in their order."""
        return [] if self._model is None else self._model.labels

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
                run = self._batcher.run(self._prove)
                self._proof = asyncio.get_running_loop().create_task(run)
            await asyncio.wait({self._proof}, timeout=self.settings.probe_timeout_s)
            if not self._proof.done():
                return f"the device did not answer in {self.settings.probe_timeout_s} s"
        if self.health.state is State.READY:
            return "out of device memory" if self._starved else ""
        return self.health.reason or self.health.state.value

    def _is_unproved(self) -> bool:
        return self.health.unproved_s() >= self.settings.probe_interval_s

    def _forward(self, texts: list[str]) -> list[list[float]]:
        """On the device's thread."""
        assert self._model is not None
        self.metrics.batch_texts.observe(len(texts))
        try:
            with self.health.forward(), self.metrics.forward.time():
                scores = self._model.classify(texts)
        except Exception as error:
            if self._model.is_out_of_memory(error):
                self.metrics.out_of_memory.inc()
                log.warning("%d texts do not fit into the device's memory", len(texts))
                if len(texts) == 1:
                    self._prove()
            else:
                log.exception("a pass failed")
                self._prove()
            raise
        self._starved.clear()
        return scores

    def _prove(self) -> None:
        """On the device's thread: a known text, or the end where even that fails."""
        assert self._model is not None
        try:
            with self.health.forward():
                self._model.prove()
        except Exception as error:
            if not self._model.is_out_of_memory(error) or self._is_starved():
                self._fail(f"the device is not usable: {error}", error)
        else:
            self._starved.clear()

    def _is_starved(self) -> bool:
        """Counts one more known text that did not fit; whether there were too many of late."""
        now = time.monotonic()
        self._starved.append(now)
        while self._starved[0] < now - self.settings.oom_window_s:
            self._starved.popleft()
        return len(self._starved) >= self.settings.oom_limit

    def _fail(self, reason: str, error: Exception) -> None:
        log.error(reason, exc_info=error)
        self.health.fail(reason)
        self._on_failure()
