"""HTTP: routes, and what becomes of errors. What the routes do is in service.py."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from importlib.metadata import metadata

from fastapi import FastAPI, Request, Response, Security
from fastapi.params import Depends
from fastapi.security import HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.cors import CORSMiddleware
from starlette.routing import Route

from . import __version__, events, open_inference
from .auth import Keys
from .batcher import Expired, Overloaded
from .middleware import BUSY, Observe
from .problems import Problem, problem
from .routes import JsonRoute, add_page, add_probes
from .schemas import Instance, PredictRequest, PredictResponse
from .service import NotReady, OutOfMemory, Service
from .settings import listed

STREAM = "/v1/stream"
AGAIN = (("Retry-After", "1"),)
# Errors that a client may meet in a service that works.
ERRORS: dict[type[Exception], Problem] = {
    NotReady: Problem(503, "not ready", AGAIN),
    Overloaded: BUSY,
    OutOfMemory: Problem(503, "out of device memory", (("Retry-After", "5"),)),
    Expired: Problem(504, "no answer in time", AGAIN),
    events.Gone: Problem(499, "the client has gone"),
}


def create_app(service: Service) -> FastAPI:
    """The application around `service`, which it starts and stops."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        app.router.routes.append(loading)

        def on_model(can_stream: bool) -> None:
            app.router.routes.remove(loading)
            if can_stream:
                _add_stream(app, service, lock)

        service.start(on_model)
        yield
        await service.stop()

    # Whether there is such a route is not known before.
    loading = Route(STREAM, _not_ready, methods=["POST"], include_in_schema=False)
    about = metadata(__name__.partition(".")[0])
    settings = service.settings
    keys = Keys(settings)
    app = FastAPI(
        title=about["Name"],
        description=about["Summary"],
        version=__version__,
        lifespan=lifespan,
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
    )
    if origins := listed(settings.cors_origins):
        app.add_middleware(
            CORSMiddleware, allow_origins=origins, allow_methods=["*"], allow_headers=["*"]
        )
    app.state.service = service
    app.state.settings = settings
    for kind in (*ERRORS, HTTPException, Exception):
        app.add_exception_handler(kind, _explain)
    # For the documentation: keys are looked at in middleware.py.
    lock = [Security(HTTPBearer(auto_error=False))] if keys else []
    _add_predict(app, service, lock)
    add_probes(app, service)
    add_page(app)
    open_inference.add_routes(app, service, about["Name"])
    return app


def _explain(request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException):
        headers = tuple((error.headers or {}).items())
        return problem(Problem(error.status_code, str(error.detail), headers), request.scope)
    return problem(_known(error), request.scope)


def _known(error: Exception) -> Problem:
    return ERRORS.get(type(error), Problem(500, "internal error"))


def _add_predict(app: FastAPI, service: Service, lock: Sequence[Depends]) -> None:
    async def predict(body: PredictRequest, _: Request) -> PredictResponse:
        """One answer to each instance."""
        most = service.settings.max_instances
        if len(body.instances) > most:
            raise HTTPException(422, f"more than {most} instances")
        predictions = await service.predict(body.instances)
        return PredictResponse(model=service.version, predictions=predictions)

    app.router.add_api_route(
        "/v1/predict",
        predict,
        methods=["POST"],
        dependencies=lock,
        route_class_override=JsonRoute,
    )


async def _not_ready(_: Request) -> Response:
    raise NotReady


def _add_stream(app: FastAPI, service: Service, lock: Sequence[Depends]) -> None:
    async def stream(body: PredictRequest, request: Request) -> Response:
        """The answer to one instance in pieces, as they come.

        Server-sent events: each has an answer with one prediction, an error that comes later is
        `{"detail": ...}`, and without one the last event is `[DONE]`.
        """
        if len(body.instances) != 1:
            raise HTTPException(422, "a stream answers one instance")
        pieces = _events(service, body.instances[0])
        return await events.answer(request, pieces, lambda error: _told(_known(error)))

    app.router.add_api_route(
        STREAM,
        stream,
        methods=["POST"],
        dependencies=lock,
        status_code=200,
        response_class=events.Events,
        responses={200: {"model": PredictResponse, "description": "server-sent events"}},
        route_class_override=JsonRoute,
    )
    # What was asked for before is not all any more.
    app.openapi_schema = None


async def _events(service: Service, instance: Instance) -> AsyncGenerator[bytes, None]:
    async with aclosing(service.stream(instance)) as pieces:
        async for piece in pieces:
            whole = PredictResponse(model=service.version, predictions=[piece])
            yield events.event(whole.model_dump_json())


def _told(it: Problem) -> bytes:
    return events.event(json.dumps({"detail": it.text}))
