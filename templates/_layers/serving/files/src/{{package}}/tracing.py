"""Traces by OpenTelemetry, where SERVE_TRACING is on. Where it is off nothing of it is imported.

Each request is a span, within that of the client (W3C `traceparent`); so are its wait in the queue
and its time on the device. OpenTelemetry's own variables, OTEL_..., say where they are sent.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any

from .settings import SettingsError

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider

_PARENT = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")


def trace_id(headers: Mapping[bytes, bytes]) -> str:
    """The trace that a client says its request belongs to, or nothing."""
    found = _PARENT.match(headers.get(b"traceparent", b""))
    return found[1].decode() if found else ""


def exporter(name: str) -> TracerProvider:
    """Sends spans by OTLP over HTTP, in the name of this service."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import SERVICE_NAME, Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise SettingsError(
            f"SERVE_TRACING: {error}: install opentelemetry-sdk and "
            "opentelemetry-exporter-otlp-proto-http (the extra `tracing`)"
        ) from error
    # OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES win.
    named = Resource({SERVICE_NAME: name}).merge(Resource.create())
    provider = TracerProvider(resource=named)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider


class Tracing:
    """Spans of one service."""

    def __init__(self, provider: TracerProvider) -> None:
        from opentelemetry import trace
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        self._provider = provider
        self._tracer = provider.get_tracer(__name__)
        self._context = TraceContextTextMapPropagator()
        self._kind = trace.SpanKind.SERVER
        # From the clock that the batcher has to that of spans.
        self._offset = time.time_ns() - time.monotonic_ns()

    def request(self, method: str, headers: Mapping[bytes, bytes]) -> RequestSpan:
        """A span that begins now; current while it is entered."""
        given = ((key, headers.get(key.encode(), b"")) for key in ("traceparent", "tracestate"))
        carrier = {key: value.decode("latin-1") for key, value in given if value}
        parent = self._context.extract(carrier)
        return RequestSpan(self._tracer, method, parent, self._kind)

    def passed(self, arrived: float, began: float, ended: float) -> None:
        """A request waited, then was on the device: spans within the current one."""
        for name, start, end in (("queue", arrived, began), ("device", began, ended)):
            span = self._tracer.start_span(name, start_time=self._nanoseconds(start))
            span.end(self._nanoseconds(end))

    def stop(self) -> None:
        """Sends what has not been sent."""
        self._provider.shutdown()

    def _nanoseconds(self, seconds: float) -> int:
        return int(seconds * 1e9) + self._offset


class RequestSpan:
    """The span of one request."""

    def __init__(self, tracer: Any, method: str, parent: Any, kind: Any) -> None:
        self._span = tracer.start_span(
            method, parent, kind, attributes={"http.request.method": method}
        )
        self.trace_id = f"{self._span.get_span_context().trace_id:032x}"
        self._method = method
        self._current: Any = None

    def __enter__(self) -> RequestSpan:
        from opentelemetry import trace

        self._current = trace.use_span(self._span, end_on_exit=True)
        self._current.__enter__()
        return self

    def end(self, route: str, status: int) -> None:
        """What became of the request."""
        from opentelemetry.trace import StatusCode

        self._span.update_name(f"{self._method} {route}")
        self._span.set_attributes({"http.route": route, "http.response.status_code": status})
        if status >= 500:
            self._span.set_status(StatusCode.ERROR)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._current.__exit__(kind, error, trace)
