"""Connections: how long a client may take, and how many of them there may be.

uvicorn waits for ever for a head or a body. Here who is silent is told to go, and where there are
too many connections the one that has asked nothing for longest makes room, so that probes get in.
What there is no room for in the queue is refused as soon as its head is there.
"""

from __future__ import annotations

import asyncio
import resource
from collections.abc import Callable
from enum import Enum
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .settings import ServerSettings

# Descriptors for all else: model files, logs, the GPU.
SPARE = 64
MAX_HEAD_BYTES = 65536
# How long a connection has at the end for a request that is on its way.
LAST_CALL_S = 1.0
MOMENT_S = 0.01
# How long nothing is read of a connection after a refusal: who asks again and again, whatever
# Retry-After says, must not take the time of those who are answered.
CALM_S = 0.02
# What is read of a connection at once is taken in before anybody else is answered: so many requests
# may be in it, and so many chunks of a body.
REQUESTS_AT_ONCE = 32
CHUNKS_AT_ONCE = 4096
TOO_SLOW = b"408 Request Timeout"
TOO_LONG = b"431 Request Header Fields Too Large"


class Config(uvicorn.Config):
    """uvicorn's, with our settings and those connections that wait for their client.

    `refuse` is asked for each request, by its method and path, and may answer at once.
    """

    def __init__(
        self,
        app: Any,
        settings: ServerSettings,
        refuse: Callable[[bytes, bytes], bytes | None],
        **more: Any,
    ) -> None:
        # As many may come at once as may be here, as they do when another server goes: who finds no
        # room at the port tries again a second later, or more.
        half = (_descriptors() - SPARE) // 2
        super().__init__(app, http=Connection, backlog=min(settings.max_connections, half), **more)
        self.settings = settings
        self.refuse = refuse
        self.max_connections = min(settings.max_connections, half)
        # In the order in which they began to: the values mean nothing.
        self.waiting: dict[Connection, None] = {}


def _descriptors() -> int:
    """How many files this process may have open, once it has asked for all that it can get."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = 1 << 20 if most == resource.RLIM_INFINITY else most
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return max(most, SPARE + 32)


class Phase(Enum):
    """What has come of a request."""

    NOTHING = "nothing"
    HEAD = "head"
    BODY = "body"
    ALL = "all"


class Connection(HttpToolsProtocol):
    """uvicorn's, with an end to its patience."""

    config: Config

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begins to wait for a request."""
        super().connection_made(transport)
        self._phase = Phase.NOTHING
        self._timed: Phase | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._calm: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._head = 0
        self._begun = 0
        self._chunks = 0
        self._refused = False
        self._waiting = self.config.waiting
        self._waiting[self] = None
        self._look()
        if len(self.connections) > self.config.max_connections:
            next(iter(self._waiting)).transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The end."""
        super().connection_lost(exc)
        self._waiting.pop(self, None)
        for timer in (self._timer, self._calm, self._stalled):
            if timer:
                timer.cancel()

    def data_received(self, data: bytes) -> None:
        """More of a request, or all of it, or several."""
        self._begun = self._chunks = 0
        idle = self.timeout_keep_alive_task
        super().data_received(data)
        if idle and not self._begun and not self.transport.is_closing():
            # Blank lines, which may come before a request, are none: its time is not theirs.
            self.timeout_keep_alive_task = self.loop.call_at(
                idle.when(), self.timeout_keep_alive_handler
            )
        if self._phase is Phase.HEAD:
            self._head += len(data)
            if self._head > MAX_HEAD_BYTES:
                self._give_up(TOO_LONG)
        if self._phase is not self._timed:
            self._look()

    def _look(self) -> None:
        """Sets the time that the rest of the request may take."""
        self._timed = self._phase
        if self._timer:
            self._timer.cancel()
            self._timer = None
        settings = self.config.settings
        if self._phase is not Phase.ALL:
            in_body = self._phase is Phase.BODY
            seconds = settings.body_timeout_s if in_body else settings.header_timeout_s
            self._timer = self.loop.call_later(seconds, self._give_up, TOO_SLOW)

    def _give_up(self, status: bytes) -> None:
        if self.transport.is_closing():
            return
        # There is no cycle before the first request.
        answered = self._refused or getattr(self.cycle, "response_started", False)
        if self._phase is Phase.HEAD or (self._phase is Phase.BODY and not answered):
            self.transport.write(
                b"HTTP/1.1 " + status + b"\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
            )
        self.transport.close()

    def on_message_begin(self) -> None:
        """Called by the parser."""
        self._phase = Phase.HEAD
        self._head = 0
        self._begun += 1
        if self._begun > REQUESTS_AT_ONCE:
            raise RuntimeError("too many requests at once")
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Called by the parser."""
        self._phase = Phase.BODY
        if getattr(self.cycle, "response_complete", True):
            path = self.url.partition(b"?")[0]
            if answer := self.config.refuse(self.parser.get_method(), path):
                self._refused = True
                self.transport.write(answer)
                return
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Called by the parser. What was refused is thrown away."""
        self._chunks += 1
        if self._chunks > CHUNKS_AT_ONCE:
            raise RuntimeError("too many chunks at once")
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        """Called by the parser: from now on it is us for whom the other waits."""
        self._phase = Phase.ALL
        self._waiting.pop(self, None)
        if not self._refused:
            super().on_message_complete()
            return
        self._refused = False
        if not self.parser.should_keep_alive():
            self.transport.close()
            return
        self.on_response_complete()
        self.flow.pause_reading()
        self._calm = self.loop.call_later(CALM_S, self.flow.resume_reading)

    def on_response_complete(self) -> None:
        """Called when all is sent."""
        if not self.pipeline and not self.transport.is_closing():
            self._waiting[self] = None
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Called when the client has not yet taken what was sent: it has as long as for a body."""
        super().pause_writing()
        self._stalled = self.loop.call_later(
            self.config.settings.body_timeout_s, self.transport.abort
        )

    def resume_writing(self) -> None:
        """Called when it has."""
        super().resume_writing()
        if self._stalled:
            self._stalled.cancel()

    def shutdown(self) -> None:
        """Called once the port is closed: who asks already, or is about to, is answered still."""
        if self._is_answering():
            super().shutdown()
        else:
            self.loop.call_later(LAST_CALL_S, self._last_call)

    def _last_call(self) -> None:
        """Where the machine is slow, what came in time may not have been read yet: once more."""
        self.loop.call_later(MOMENT_S, self._close_unless_asked)

    def _close_unless_asked(self) -> None:
        if self._phase is not Phase.BODY and not self._is_answering():
            self.transport.close()

    def _is_answering(self) -> bool:
        # There is no cycle where all requests were refused.
        return self._phase is Phase.ALL and not getattr(self.cycle, "response_complete", True)
