"""HTTP: routes, and what becomes of errors. What the routes do is in service.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import metadata

from fastapi import FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from prometheus_client import CONTENT_TYPE_LATEST

from . import __version__, open_inference
from .batcher import Expired, Overloaded
from .middleware import Observe
from .schemas import Prediction, PredictRequest, PredictResponse, Status
from .service import NotReady, OutOfMemory, Service

# Errors that a client may meet in a service that works: status, and seconds to wait before again.
ERRORS: dict[type[Exception], tuple[int, str, int]] = {
    NotReady: (503, "not ready", 1),
    Overloaded: (503, "busy", 1),
    OutOfMemory: (503, "out of device memory", 5),
    Expired: (504, "no answer in time", 1),
}


def create_app(service: Service) -> FastAPI:
    """The application around `service`, which it starts and stops."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.start()
        yield
        await service.stop()

    about = metadata(__name__.partition(".")[0])
    app = FastAPI(
        title=about["Name"],
        description=about["Summary"],
        version=__version__,
        lifespan=lifespan,
    )
    app.add_middleware(
        Observe, metrics=service.metrics, max_body_bytes=service.settings.max_body_bytes
    )
    for kind in ERRORS:
        app.add_exception_handler(kind, _explain)
    _add_predict(app, service)
    _add_probes(app, service)
    open_inference.add_routes(app, service, about["Name"])
    return app


def _explain(_: Request, error: Exception) -> Response:
    status, text, seconds = ERRORS[type(error)]
    return JSONResponse({"detail": text}, status, {"Retry-After": str(seconds)})


def _add_predict(app: FastAPI, service: Service) -> None:
    @app.post("/v1/predict")
    async def predict(request: PredictRequest) -> PredictResponse:
        """Classifies texts."""
        if problem := service.settings.problem_of(request.texts):
            raise HTTPException(422, problem)
        rows = await service.predict(request.texts)
        return PredictResponse(
            model=service.version,
            predictions=[_prediction(service.labels, row) for row in rows],
        )


def _prediction(labels: list[str], row: list[float]) -> Prediction:
    best = max(row)
    return Prediction(
        label=labels[row.index(best)], score=best, scores=dict(zip(labels, row, strict=True))
    )


def _add_probes(app: FastAPI, service: Service) -> None:
    def answer(reason: str) -> JSONResponse:
        status = Status(state=service.health.state.value, reason=reason)
        return JSONResponse(status.model_dump(), 503 if reason else 200)

    # The second names are those of the Open Inference Protocol (KServe, Triton).
    @app.get("/livez", response_model=Status)
    @app.get("/v2/health/live", response_model=Status, include_in_schema=False)
    async def livez() -> Response:
        """Whether this process should go on."""
        return answer(service.live())

    @app.get("/readyz", response_model=Status)
    @app.get("/v2/health/ready", response_model=Status, include_in_schema=False)
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
