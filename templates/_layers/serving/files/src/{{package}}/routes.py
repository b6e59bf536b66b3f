"""Routes: one that spends no time on what it does not need, probes, and a page about the API."""

from __future__ import annotations

import html
from collections.abc import Callable, Coroutine
from typing import Any, Protocol, get_type_hints

from fastapi import FastAPI
from fastapi.routing import APIRoute
from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import BaseModel, ValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from .health import Health
from .metrics import Metrics
from .problems import SHORT, has_more_values, invalid


def check_values(text: bytes, request: Request) -> None:
    """Raises 413 where there are more values than may be."""
    if len(text) > SHORT:
        most = request.app.state.settings.max_values
        if has_more_values(text, most):
            raise HTTPException(413, f"more than {most} values")


class PlainRoute(APIRoute):
    """A route whose endpoint takes the request as it is and makes the response itself."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What is called for each request."""
        endpoint: Callable[[Request], Coroutine[Any, Any, Response]] = self.endpoint
        return endpoint


class JsonRoute(APIRoute):
    """A route whose endpoint takes `body`, a model, and the request, and returns a model.

    FastAPI documents it like any other. The body is read as JSON whatever it says that it is, and
    checked and written by pydantic alone, which takes a tenth of the time. What the endpoint makes
    itself, any other response, is sent as it is.
    """

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """What is called for each request."""
        endpoint: Callable[..., Any] = self.endpoint
        model: type[BaseModel] = get_type_hints(endpoint)["body"]

        async def handle(request: Request) -> Response:
            text = await request.body()
            check_values(text, request)
            try:
                body = model.model_validate_json(text)
            except ValidationError as error:
                return self.refuse(error)
            answer = await endpoint(body, request)
            if isinstance(answer, Response):
                return answer
            return Response(answer.model_dump_json(), media_type="application/json")

        return handle

    def refuse(self, error: ValidationError) -> Response:
        """The answer to a body that is not valid."""
        return JSONResponse({"detail": invalid(error)}, 422)


class Status(BaseModel):
    """The answer of a probe."""

    state: str
    reason: str = ""


class Probed(Protocol):
    """What a service says of itself."""

    health: Health
    metrics: Metrics

    def live(self) -> str:
        """Why this process should be replaced, or nothing."""

    async def ready(self) -> str:
        """Why requests should go elsewhere, or nothing."""


def add_probes(app: FastAPI, service: Probed) -> None:
    """Adds what Kubernetes and Prometheus ask."""

    def answer(reason: str) -> JSONResponse:
        status = Status(state=service.health.state.value, reason=reason)
        return JSONResponse(status.model_dump(), 503 if reason else 200)

    @app.get("/livez", response_model=Status)
    async def livez() -> Response:
        """Whether this process should go on."""
        return answer(service.live())

    @app.get("/readyz", response_model=Status)
    async def readyz() -> Response:
        """Whether requests should come here: the device has just worked."""
        return answer(await service.ready())

    @app.get("/startupz", response_model=Status)
    async def startupz() -> Response:
        """Whether the model is loaded and warm."""
        return answer("" if service.health.started else service.health.reason or "starting")

    @app.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        """For Prometheus."""
        return Response(service.metrics.text(), media_type=CONTENT_TYPE_LATEST)


def add_page(app: FastAPI) -> None:
    """Adds /docs. FastAPI's own page takes its scripts from a public server: closed networks."""

    @app.get("/docs", include_in_schema=False)
    async def docs(request: Request) -> Response:
        """The routes, and where to find all about them."""
        top = request.scope.get("root_path", "")
        rows = "".join(
            f"<li><code>{method.upper()} {html.escape(path)}</code> "
            f"{html.escape(about.get('description', ''))}</li>"
            for path, methods in app.openapi()["paths"].items()
            for method, about in methods.items()
        )
        title, about = html.escape(app.title), html.escape(app.description)
        return HTMLResponse(
            f"<!doctype html><title>{title}</title><h1>{title}</h1><p>{about}<ul>{rows}</ul>"
            f'<p>All about them, for any OpenAPI viewer: <a href="{html.escape(top)}/openapi.json">'
            "openapi.json</a>"
        )
