"""Around every request: its id, its time, its line in the log, and a limit on its body."""

from __future__ import annotations

import logging
import re
import time
import uuid

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .metrics import Metrics

log = logging.getLogger(__name__)

_ID = re.compile(r"[\w.:-]{1,128}")


class Observe:
    """An ASGI middleware."""

    def __init__(self, app: ASGIApp, metrics: Metrics, max_body_bytes: int) -> None:
        self._app = app
        self._metrics = metrics
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        identity = given if _ID.fullmatch(given) else uuid.uuid4().hex
        began = time.perf_counter()
        status = 500

        async def send_observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = identity
            await send(message)

        try:
            if int(headers.get("content-length") or 0) > self._max_body_bytes:
                refusal = JSONResponse({"detail": "the body is too large"}, 413)
                await refusal(scope, receive, send_observed)
            else:
                await self._app(scope, self._counted(receive), send_observed)
        finally:
            self._record(scope, identity, status, time.perf_counter() - began)

    def _counted(self, receive: Receive) -> Receive:
        """For bodies that do not say their length."""
        received = 0

        async def receive_counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_body_bytes:
                raise HTTPException(413, "the body is too large")
            return message

        return receive_counted

    def _record(self, scope: Scope, identity: str, status: int, seconds: float) -> None:
        # The route, not the path: what strangers ask for must not become labels without end.
        route = getattr(scope.get("route"), "path", "none")
        self._metrics.requests.labels(route, str(status)).inc()
        self._metrics.latency.labels(route).observe(seconds)
        quiet = status < 400 and route != "/v1/predict"
        log.log(
            logging.DEBUG if quiet else logging.INFO,
            "request",
            extra={"id": identity, "route": route, "status": status, "seconds": round(seconds, 6)},
        )
