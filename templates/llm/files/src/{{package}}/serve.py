"""The process around the service: threads, the model, the server."""

from __future__ import annotations

from dataclasses import replace
from importlib.metadata import metadata
from pathlib import Path

from . import cpus, store, tracing
from .app import create_app
from .config import Settings
from .engine import Engine
from .errors import explain
from .files import is_url
from .middleware import Busy
from .server import Server
from .service import Service


def run(settings: Settings) -> int:
    """Serves until told to stop. Status 0 after a clean end, 1 after a failure."""
    # One CPU is for the event loop. Before the framework is imported, in `load`.
    cpus.use(settings.threads, spare=1)

    def load() -> Engine:
        from .engines import load

        return load(replace(settings, model_dir=str(fetched(settings))))

    traces = None
    if settings.tracing:
        traces = tracing.Tracing(tracing.exporter(metadata(__package__)["Name"]))
    service = Service(settings, load, lambda: server.fail(), traces)
    app = create_app(service)
    busy = Busy(app.routes, service.metrics, service.is_full, explain)
    server = Server(app, settings, service.health, busy)
    return server.run_to_end()


def fetched(settings: Settings) -> Path:
    """The folder of the model. One that is here is hashed only where a version is asked for."""
    if not (is_url(settings.model_dir) or settings.model_version):
        return Path(settings.model_dir)
    cache = Path(settings.model_cache).expanduser()
    version, keep = settings.model_version, settings.model_cache_keep
    return store.find(settings.model_dir, cache, version, keep)[0]
