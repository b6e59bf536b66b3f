"""HTTP: what is where, and what becomes of errors. What is asked for is in openai.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import metadata

from fastapi import FastAPI, Request, Response, Security
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware

from . import __version__, openai
from .auth import Keys
from .errors import ApiError, explain
from .middleware import Observe
from .problems import Problem
from .routes import add_page, add_probes
from .service import Service
from .settings import listed


def create_app(service: Service) -> FastAPI:
    """The application around `service`, which it starts and stops."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        yield
        await service.stop()

    about = metadata(__name__.partition(".")[0])
    settings = service.settings
    keys = Keys(settings)
    app = FastAPI(
        title=about["Name"],
        description=about["Summary"],
        version=__version__,
        lifespan=lifespan,
        root_path=settings.root_path,
        docs_url=None,
        redoc_url=None,
    )
    app.add_middleware(
        Observe,
        settings=settings,
        keys=keys,
        metrics=service.metrics,
        health=service.health,
        tracing=service.tracing,
        explain=explain,
    )
    app.state.settings = settings
    if origins := listed(settings.cors_origins):
        app.add_middleware(
            CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["*"]
        )
    for kind in (*openai.ERRORS, ApiError, HTTPException, Exception):
        app.add_exception_handler(kind, _explain)
    # For the documentation: keys are looked at in middleware.py.
    lock = [Security(HTTPBearer(auto_error=False))] if keys else []
    openai.Api(service, about["Name"]).add_routes(app.router, lock)
    add_probes(app, service)
    add_page(app)
    return app


def _explain(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        headers = tuple((error.headers or {}).items())
        return explain(Problem(error.status_code, str(error.detail), headers), request.scope)
    return openai.as_api_error(error).response()
