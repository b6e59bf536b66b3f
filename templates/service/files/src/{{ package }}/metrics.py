"""What Prometheus can ask. One registry for each service, so that tests do not share counters."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    PlatformCollector,
    ProcessCollector,
    generate_latest,
)

from .nvml import GpuCollector

SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Metrics:
    """Counters of the service, and gauges that read its state when they are asked."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self.requests = Counter(
            "http_requests", "Requests answered", ("route", "status"), registry=self.registry
        )
        self.latency = self._histogram("http_request_seconds", "Time to answer", SECONDS, "route")
        self.queue = self._histogram("queue_seconds", "Time that a text waited", SECONDS)
        self.batch_texts = self._histogram("batch_texts", "Texts in a pass", SIZES)
        self.forward = self._histogram("forward_seconds", "Time of a pass on the device", SECONDS)
        self.out_of_memory = Counter(
            "out_of_memory", "Passes that did not fit", registry=self.registry
        )
        self.model = Info("model", "What runs where", registry=self.registry)

    def _histogram(
        self, name: str, text: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        return Histogram(name, text, labels, buckets=buckets, registry=self.registry)

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Adds a gauge whose value is `read()` at the time of asking."""
        Gauge(name, text, registry=self.registry).set_function(read)

    def watch_gpu(self, device: str) -> None:
        """Adds the driver's own numbers, where the device is a GPU."""
        if device.startswith("cuda"):
            self.registry.register(GpuCollector(device))

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)
