"""The server process: start, drain, exit status."""

from __future__ import annotations

import logging
import math
import os
import signal
import time
from types import FrameType

import uvicorn

from .app import create_app
from .config import Settings
from .service import Model, Service

log = logging.getLogger(__name__)


class Server(uvicorn.Server):
    """uvicorn stops listening as soon as it is told to; load balancers need a moment more."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self._service = service
        self._stop_at: float | None = None

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """SIGTERM: drain first. SIGINT, or a second signal: stop at once."""
        self._service.health.drain()
        if sig == signal.SIGTERM and self._stop_at is None:
            self._stop_at = time.monotonic() + self._service.settings.drain_delay_s
            return
        self.force_exit = self.should_exit
        self.should_exit = True

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second."""
        if self._stop_at is not None and time.monotonic() >= self._stop_at:
            self.should_exit = True
        return await super().on_tick(counter)


def run(settings: Settings) -> int:
    """Serves until told to stop. Status 0 after a clean end, 1 after a failure."""
    failed = False

    def fail() -> None:
        nonlocal failed
        failed = True
        server.should_exit = True

    def load() -> Model:
        from .model import load

        return load(
            settings.model_dir, settings.device, settings.memory_fraction, settings.precision
        )

    service = Service(settings, load, fail)
    config = uvicorn.Config(
        create_app(service),
        host=settings.host,
        port=settings.port,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=math.ceil(settings.drain_timeout_s),
    )
    server = Server(config, service)
    server.run()
    status = 1 if failed else 0
    if service.health.busy_s() > 0:
        # A pass that never ends would keep the interpreter from ending.
        logging.shutdown()
        os._exit(status)
    return status
