"""The Open Inference Protocol (KServe, Triton): the same service under the names of others."""

from __future__ import annotations

from fastapi import FastAPI
from fastapi.responses import JSONResponse, Response

from . import __version__
from .schemas import InferOutput, InferRequest, InferResponse
from .service import Service

INPUT = "text"


def add_routes(app: FastAPI, service: Service, name: str) -> None:
    """Adds /v2 and what is below it; `name` is the model's. Health is in app.py."""

    def unknown(model: str) -> Response | None:
        return None if model == name else _error(404, f"no model '{model}', only '{name}'")

    @app.get("/v2", include_in_schema=False)
    async def server() -> dict[str, object]:
        return {"name": name, "version": __version__, "extensions": []}

    @app.get("/v2/models/{model}", include_in_schema=False)
    async def metadata(model: str) -> Response:
        return unknown(model) or JSONResponse(_metadata(service, name))

    @app.get("/v2/models/{model}/ready", include_in_schema=False)
    async def ready(model: str) -> Response:
        reason = await service.ready()
        body = {"name": name, "ready": not reason}
        return unknown(model) or JSONResponse(body, 503 if reason else 200)

    @app.post("/v2/models/{model}/infer", response_model=InferResponse, include_in_schema=False)
    async def infer(model: str, request: InferRequest) -> Response | InferResponse:
        if wrong := unknown(model):
            return wrong
        texts, problem = _texts(service, request)
        if problem:
            return _error(400, problem)
        rows = await service.predict(texts)
        labels = [service.labels[row.index(max(row))] for row in rows]
        shape = [len(rows), len(service.labels)]
        flat = [score for row in rows for score in row]
        return InferResponse(
            id=request.id,
            model_name=name,
            model_version=service.version,
            outputs=[
                InferOutput(name="label", datatype="BYTES", shape=[len(rows)], data=labels),
                InferOutput(name="scores", datatype="FP32", shape=shape, data=flat),
            ],
        )


def _error(status: int, text: str) -> Response:
    return JSONResponse({"error": text}, status)


def _metadata(service: Service, name: str) -> dict[str, object]:
    return {
        "name": name,
        "versions": [service.version],
        "platform": service.framework,
        "inputs": [{"name": INPUT, "datatype": "BYTES", "shape": [-1]}],
        "outputs": [
            {"name": "label", "datatype": "BYTES", "shape": [-1]},
            {"name": "scores", "datatype": "FP32", "shape": [-1, len(service.labels)]},
        ],
    }


def _texts(service: Service, request: InferRequest) -> tuple[list[str], str]:
    """The texts of a request, or what is wrong with it."""
    if [tensor.name for tensor in request.inputs] != [INPUT]:
        return [], f"one input is wanted: '{INPUT}'"
    tensor = request.inputs[0]
    if tensor.datatype != "BYTES":
        return [], f"'{INPUT}' is of type BYTES, not {tensor.datatype}"
    if tensor.shape not in ([len(tensor.data)], [len(tensor.data), 1]):
        return [], f"the shape {tensor.shape} is not that of {len(tensor.data)} texts"
    return tensor.data, service.settings.problem_of(tensor.data)
