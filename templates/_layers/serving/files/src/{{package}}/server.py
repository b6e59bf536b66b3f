"""The server process: start, drain, exit status."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import ExitStack
from types import FrameType
from typing import Any

import uvicorn

from . import threads
from .connections import LAST_CALL_S, Config
from .health import Health, State
from .settings import ServerSettings

log = logging.getLogger(__name__)

# For threads that are still at work when the server has ended.
LAST_THREADS_S = 1.0


class Server(uvicorn.Server):
    """uvicorn stops listening as soon as it is told to; load balancers need a moment more."""

    def __init__(
        self,
        app: Any,
        settings: ServerSettings,
        health: Health,
        refuse: Callable[[bytes, bytes], bytes | None],
    ) -> None:
        def refuse_early(method: bytes, path: bytes) -> bytes | None:
            # At the end each answer says that its connection ends, which only middleware.py does.
            return None if health.state is State.DRAINING else refuse(method, path)

        super().__init__(
            Config(
                app,
                settings,
                refuse_early,
                host=settings.host,
                port=settings.port,
                root_path=settings.root_path,
                log_config=None,
                access_log=False,
                server_header=False,
                ws="none",
                timeout_keep_alive=settings.keep_alive_s,
                timeout_graceful_shutdown=math.ceil(settings.drain_timeout_s),
            )
        )
        self._settings = settings
        self._health = health
        self._stop_at: float | None = None
        self._failed = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """SIGTERM: drain first. SIGINT, or a second signal: stop at once."""
        self._health.drain()
        if sig == signal.SIGTERM and self._stop_at is None:
            self._stop_at = time.monotonic() + self._settings.drain_delay_s
            return
        self.force_exit = self.should_exit
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second."""
        if self._stop_at is not None and time.monotonic() >= self._stop_at:
            self.should_exit = True
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Closes the port, once everybody is in who waits there: they would be reset."""
        if not self.force_exit:
            await self._let_in()
        await super().shutdown(sockets)

    async def _let_in(self) -> None:
        """The event loop takes one a turn. Who comes now finds no room, and later nobody."""
        waiting = select.poll()
        with ExitStack() as stack:
            for port in (port for server in self.servers for port in server.sockets):
                again = stack.enter_context(socket.socket(fileno=os.dup(port.fileno())))
                again.listen(0)
                waiting.register(again, select.POLLIN)
            end = time.monotonic() + LAST_CALL_S
            while time.monotonic() < end:
                if not waiting.poll(0):
                    return
                await asyncio.sleep(0)

    def fail(self) -> None:
        """Ends the process with status 1: another one must take its place."""
        self._failed = True
        self.should_exit = True

    def run_to_end(self) -> int:
        """Serves until told to stop. Status 0 after a clean end, 1 after a failure."""
        try:
            self.run()
        except SystemExit:  # uvicorn has logged why it cannot listen
            log.error("SERVE_PORT names another port, SERVE_HOST another address")
            raise
        status = 1 if self._failed else 0
        # They would keep the interpreter from ending, or abort it: threads.py.
        if self._health.busy_s() > 0 or not threads.have_ended(LAST_THREADS_S):
            logging.shutdown()
            os._exit(status)
        return status
