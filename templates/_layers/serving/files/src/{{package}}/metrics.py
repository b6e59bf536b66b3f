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

# Before every name, so that others on the same Prometheus have a `ready` of their own. Dashboard
# and alerts have it too.
PREFIX = "inference_"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class Metrics:
    """What every server counts. Gauges read the server's state when they are asked."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        self._requests = self.counter("http_requests", "Requests answered", "route", "status")
        self._latency = self.histogram("http_request_seconds", "Time to answer", SECONDS, "route")
        self._known: dict[tuple[str, int], tuple[Counter, Histogram]] = {}
        self.model = Info(PREFIX + "model", "What runs where", registry=self.registry)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Counts one more request. `route` is a pattern, never what a stranger asked for."""
        known = self._known.get((route, status))
        if known is None:
            known = self._requests.labels(route, str(status)), self._latency.labels(route)
            self._known[route, status] = known
        known[0].inc()
        known[1].observe(seconds)

    def counter(self, name: str, text: str, *labels: str) -> Counter:
        """Adds what only grows."""
        return Counter(PREFIX + name, text, labels, registry=self.registry)

    def histogram(
        self, name: str, text: str, buckets: tuple[float, ...], *labels: str
    ) -> Histogram:
        """Adds a distribution."""
        return Histogram(PREFIX + name, text, labels, buckets=buckets, registry=self.registry)

    def gauge(self, name: str, text: str, read: Callable[[], float]) -> None:
        """Adds a gauge whose value is `read()` at the time of asking."""
        Gauge(PREFIX + name, text, registry=self.registry).set_function(read)

    def watch_gpu(self, device: str) -> None:
        """Adds the driver's own numbers, where the device is a GPU."""
        if device.startswith("cuda"):
            self.registry.register(GpuCollector(device, PREFIX))

    def text(self) -> bytes:
        """The exposition format."""
        return generate_latest(self.registry)
