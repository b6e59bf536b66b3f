"""The service as an application of Ray Serve: the same routes, in a process of Ray's."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from ray import serve

from .app import create_app
from .config import Settings
from .health import State
from .serve import loader
from .service import Service


class _Held:
    """The service of this process: the routes are built before the replica is."""

    service: Service | None = None


def build() -> FastAPI:
    """The application of one replica, made in its own process."""
    settings = Settings.from_environment()
    _Held.service = Service(settings, loader(settings))
    return create_app(_Held.service)


@serve.deployment(max_ongoing_requests=1000, graceful_shutdown_timeout_s=25)
@serve.ingress(build)
class Replica:
    """One model on one device."""

    def check_health(self) -> None:
        """Raises where the process must be replaced."""
        service = _Held.service
        if service is not None and service.health.state is State.FAILED:
            raise RuntimeError(service.health.reason)


application: Any = Replica.bind()
