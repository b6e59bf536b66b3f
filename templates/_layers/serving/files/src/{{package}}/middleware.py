"""Around every request: its id, its time, its line in the log, and who may not pass.

What can be refused is refused before the body is read.
"""

from __future__ import annotations

import itertools
import logging
import re
import time
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from typing import Any

from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from . import logs
from .auth import Keys
from .health import Health, State
from .metrics import Metrics
from .problems import Problem, problem
from .settings import ServerSettings
from .tracing import Tracing, trace_id

log = logging.getLogger(__name__)

_ID = re.compile(rb"[\w.:-]{1,128}")

TOO_LARGE = Problem(413, "the body is too large")
NO_KEY = Problem(401, "no valid API key", (("WWW-Authenticate", "Bearer"),))
BUSY = Problem(503, "busy", (("Retry-After", "1"),))


class Observe:
    """An ASGI middleware. `explain` makes an answer of a refusal."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: ServerSettings,
        keys: Keys,
        metrics: Metrics,
        health: Health,
        tracing: Tracing | None = None,
        explain: Callable[[Problem, Scope], ASGIApp] = problem,
    ) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._health = health
        self._tracing = tracing
        self._explain = explain
        self._keys = keys
        # Ids of requests that bring none: cheaper than one that is random each time.
        self._process = uuid.uuid4().hex[:16]
        self._numbers = itertools.count(1)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        identity = self._identity(headers)
        began = time.perf_counter()
        status = 500

        async def send_observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                added = [(b"x-request-id", identity)]
                if self._health.state is State.DRAINING:
                    # Others serve already: whoever keeps this connection would lose a request.
                    added.append((b"connection", b"close"))
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        try:
            with self._traced(scope, headers, identity) as span:
                if refusal := self._refusal(scope, headers):
                    await self._explain(refusal, scope)(scope, receive, send_observed)
                else:
                    await self._app(scope, self._limited(headers, receive), send_observed)
                if span:
                    span.end(_route(scope), status)
        finally:
            self._record(scope, status, time.perf_counter() - began)

    def _identity(self, headers: Mapping[bytes, bytes]) -> bytes:
        given = headers.get(b"x-request-id", b"")
        if _ID.fullmatch(given):
            return given
        return f"{self._process}-{next(self._numbers):x}".encode()

    def _traced(self, scope: Scope, headers: Mapping[bytes, bytes], identity: bytes) -> Any:
        """The span of a request, if there are any; what its lines in the log say of it."""
        about = {"id": identity.decode()}
        span = self._tracing.request(scope["method"], headers) if self._tracing else None
        if trace := span.trace_id if span else trace_id(headers):
            about["trace_id"] = trace
        logs.request.set(about)
        return span or nullcontext()

    def _refusal(self, scope: Scope, headers: Mapping[bytes, bytes]) -> Problem | None:
        if int(headers.get(b"content-length") or 0) > self._settings.max_body_bytes:
            return TOO_LARGE
        if self._keys:
            path = scope["path"].removeprefix(scope.get("root_path", ""))
            if not self._keys.allow(path, headers):
                return NO_KEY
        return None

    def _limited(self, headers: Mapping[bytes, bytes], receive: Receive) -> Receive:
        """For bodies that do not say their length."""
        if b"content-length" in headers:
            return receive
        received = 0

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._settings.max_body_bytes:
                raise HTTPException(TOO_LARGE.status, TOO_LARGE.text)
            return message

        return receive_counted

    def _record(self, scope: Scope, status: int, seconds: float) -> None:
        route = _route(scope)
        self._metrics.answered(route, status, seconds)
        level = logging.INFO if status >= 400 or self._settings.access_log else logging.DEBUG
        if log.isEnabledFor(level):
            about = {"route": route, "status": status, "seconds": round(seconds, 6)}
            log.log(level, "request", extra=about)


def _route(scope: Scope) -> str:
    """The route, not the path: what strangers ask for must not become labels without end."""
    path: str = getattr(scope.get("route"), "path", "none")
    return path


class Busy:
    """Refuses requests while the queue is full, when there is no more of them than the head.

    `own` are the paths that have a measure of their own. Routes may be added later.
    """

    def __init__(
        self,
        routes: Iterable[BaseRoute],
        metrics: Metrics,
        is_full: Callable[[], bool],
        explain: Callable[[Problem, Scope], Response] = problem,
        own: Mapping[str, Callable[[], bool]] | None = None,
    ) -> None:
        self._metrics = metrics
        self._is_full = is_full
        self._own = own or {}
        self._routes = routes
        self._explain = explain
        self._answers: dict[str, bytes] = {}

    def __call__(self, method: bytes, path: bytes) -> bytes | None:
        """The answer, if it is one that must not wait."""
        if method != b"POST":
            return None
        text = path.decode("latin-1")
        if not self._own.get(text, self._is_full)():
            return None
        for route in self._routes:
            if (
                isinstance(route, Route)
                and "POST" in (route.methods or ())
                and route.path_regex.match(text)
            ):
                self._metrics.answered(route.path, BUSY.status, 0.0)
                return self._answers.get(route.path) or self._answer(route.path)
        return None

    def _answer(self, path: str) -> bytes:
        answer = self._explain(BUSY, {"path": path})
        headers = b"".join(b"%s: %s\r\n" % header for header in answer.raw_headers)
        text = b"HTTP/1.1 503 Service Unavailable\r\n" + headers + b"\r\n" + bytes(answer.body)
        self._answers[path] = text
        return text
