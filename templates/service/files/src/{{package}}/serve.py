"""The process around the service: the model, and the server."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import metadata
from pathlib import Path

from . import tracing
from .app import STREAM, create_app
from .config import Settings
from .middleware import Busy
from .server import Server
from .service import Model, Service


def loader(settings: Settings) -> Callable[[], Model]:
    """What brings the model onto its device; the framework is imported when it is called."""

    def load() -> Model:
        from . import model, store

        cache = Path(settings.model_cache).expanduser()
        found, checked = store.find(
            settings.model_dir, cache, settings.model_version, settings.model_cache_keep
        )
        return model.load(
            found, settings.device, settings.memory_fraction, settings.precision, checked
        )

    return load


def run(settings: Settings) -> int:
    """Serves until told to stop. Status 0 after a clean end, 1 after a failure."""
    traces = None
    if settings.tracing:
        traces = tracing.Tracing(tracing.exporter(metadata(__package__)["Name"]))
    service = Service(settings, loader(settings), lambda: server.fail(), traces)
    app = create_app(service)
    own = {STREAM: service.streams_are_full}
    busy = Busy(app.routes, service.metrics, service.is_full, own=own)
    server = Server(app, settings, service.health, busy)
    return server.run_to_end()
