"""The Open Inference Protocol (KServe, Triton): the same service under the names of others.

With Triton's extension for binary tensors, in requests and answers. Errors are `{"error": ...}`.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Annotated, Any

import numpy as np
from fastapi import FastAPI
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, FailFast, Field, ValidationError
from pydantic_core import to_json
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from . import __version__, schemas
from .config import Settings
from .problems import invalid
from .routes import PlainRoute, check_values
from .service import Service

# What an array holds, and what JSON may hold for it.
DTYPES: dict[str, tuple[str, set[type]]] = {
    "BOOL": ("?", {bool}),
    **{f"UINT{8 * size}": (f"<u{size}", {int}) for size in (1, 2, 4, 8)},
    **{f"INT{8 * size}": (f"<i{size}", {int}) for size in (1, 2, 4, 8)},
    **{f"FP{8 * size}": (f"<f{size}", {int, float}) for size in (2, 4, 8)},
    "BYTES": ("O", {str}),
}
# How long the JSON is that binary tensors follow.
HEAD = "Inference-Header-Content-Length"
# No model has more tensors, nor a tensor more dimensions.
TENSORS = 256
DIMENSIONS = 32


class Parameters(BaseModel):
    """Of all that may be said of a request or a tensor, what is heeded."""

    binary_data: bool = False
    binary_data_size: int | None = Field(default=None, ge=0)
    binary_data_output: bool = False


class Input(BaseModel):
    """A tensor: its values here, flat or nested, or after the JSON."""

    name: str
    shape: Annotated[list[int], FailFast()] = Field(max_length=DIMENSIONS)
    datatype: str
    parameters: Parameters = Parameters()
    data: list[Any] | None = None


class Output(BaseModel):
    """A tensor that is asked for."""

    name: str
    parameters: Parameters = Parameters()


class InferRequest(BaseModel):
    """What is asked, with a name that the answer will have too. Without outputs all are meant."""

    model_config = ConfigDict(protected_namespaces=())

    id: str | None = None
    parameters: Parameters = Parameters()
    inputs: Annotated[list[Input], FailFast()] = Field(max_length=TENSORS)
    outputs: Annotated[list[Output], FailFast()] = Field(default_factory=list, max_length=TENSORS)


class Wrong(ValueError):
    """What is wrong with a request."""


MODEL = "/v2/models/{model}"
VERSION = MODEL + "/versions/{version}"


def add_routes(app: FastAPI, service: Service, name: str) -> None:
    """Adds /v2 and what is below it; `name` is the model's."""
    it = _Endpoints(service, name)
    for method, endpoint, paths in (
        ("GET", it.server, ["/v2"]),
        ("GET", it.live, ["/v2/health/live"]),
        ("GET", it.server_ready, ["/v2/health/ready"]),
        ("GET", it.metadata, [MODEL, VERSION]),
        ("GET", it.ready, [MODEL + "/ready", VERSION + "/ready"]),
        ("POST", it.infer, [MODEL + "/infer", VERSION + "/infer"]),
    ):
        for path in paths:
            app.router.add_api_route(
                path,
                endpoint,
                methods=[method],
                include_in_schema=False,
                route_class_override=PlainRoute,
            )


class _Endpoints:
    def __init__(self, service: Service, name: str) -> None:
        self._service = service
        self._name = name

    async def server(self, _: Request) -> Response:
        more = ["binary_tensor_data"]
        return JSONResponse({"name": self._name, "version": __version__, "extensions": more})

    async def live(self, _: Request) -> Response:
        return _health("live", self._service.live())

    async def server_ready(self, _: Request) -> Response:
        return _health("ready", await self._service.ready())

    async def metadata(self, request: Request) -> Response:
        self._check(request)
        return JSONResponse(
            {
                "name": self._name,
                "versions": [self._service.version],
                "platform": self._service.framework,
                "inputs": [tensor._asdict() for tensor in schemas.INPUTS],
                "outputs": [tensor._asdict() for tensor in schemas.OUTPUTS],
            }
        )

    async def ready(self, request: Request) -> Response:
        self._check(request)
        return _health("ready", await self._service.ready(), name=self._name)

    async def infer(self, request: Request) -> Response:
        self._check(request)
        try:
            asked, binary = _read(await request.body(), request)
            outputs = _outputs(asked)
            instances = _instances(asked, binary, self._service.settings)
        except Wrong as error:
            raise HTTPException(400, str(error)) from error
        tensors = schemas.to_tensors(await self._service.predict(instances))
        about = {"model_name": self._name, "model_version": self._service.version}
        if asked.id is not None:
            about["id"] = asked.id
        return _answer(about, tensors, outputs)

    def _check(self, request: Request) -> None:
        """Raises 404 unless it is this model, in this version, that is meant."""
        model, version = request.path_params["model"], request.path_params.get("version")
        if model != self._name:
            raise HTTPException(404, f"no model '{model[:64]}', only '{self._name}'")
        if version not in (None, self._service.version):
            text = f"no version '{str(version)[:64]}', only '{self._service.version}'"
            raise HTTPException(404, text)


def _health(word: str, reason: str, **more: str) -> Response:
    return JSONResponse({**more, word: not reason, "reason": reason}, 503 if reason else 200)


def _read(body: bytes, request: Request) -> tuple[InferRequest, bytes]:
    """The request, and what follows its JSON."""
    head = request.headers.get(HEAD, str(len(body)))
    if not head.isdecimal() or len(head) > 9 or int(head) > len(body):
        raise Wrong(f"{HEAD}: '{head[:32]}' is not a number of at most {len(body)}")
    size = int(head)
    text = body[:size]
    check_values(text, request)
    try:
        return InferRequest.model_validate_json(text), body[size:]
    except ValidationError as error:
        raise Wrong(_first(error)) from error


def _first(error: ValidationError) -> str:
    first = invalid(error)[0]
    return f"{'.'.join(str(part) for part in first['loc']) or 'body'}: {first['msg']}"


def _outputs(asked: InferRequest) -> dict[str, bool]:
    """Names of the outputs that are asked for, and whether they are binary in the answer."""
    known = [output.name for output in schemas.OUTPUTS]
    if not asked.outputs:
        return dict.fromkeys(known, asked.parameters.binary_data_output)
    for output in asked.outputs:
        if output.name not in known:
            raise Wrong(f"no output '{output.name[:64]}', only: {', '.join(known)}")
    return {output.name: output.parameters.binary_data for output in asked.outputs}


def _instances(asked: InferRequest, binary: bytes, settings: Settings) -> list[schemas.Instance]:
    """What is asked; raises Wrong with what is wrong with it."""
    names = [tensor.name for tensor in asked.inputs]
    known = {tensor.name: tensor for tensor in schemas.INPUTS}
    if sorted(names) != sorted(known):
        raise Wrong(f"the inputs are: {', '.join(known)}")
    arrays = {}
    for tensor in asked.inputs:
        size = tensor.parameters.binary_data_size or 0
        array = _array(known[tensor.name], tensor, binary[:size], settings)
        arrays[tensor.name] = array
        binary = binary[size:]
    try:
        found = schemas.from_tensors(arrays)
        if len(found) > settings.max_instances:
            raise Wrong(f"more than {settings.max_instances} instances")
        return schemas.PredictRequest(instances=found).instances
    except ValidationError as error:
        raise Wrong(_first(error)) from error
    except (TypeError, ValueError, LookupError) as error:
        raise Wrong(str(error)) from error


def _array(
    wanted: schemas.Tensor, tensor: Input, binary: bytes, settings: Settings
) -> NDArray[Any]:
    name, shape = wanted.name, list(tensor.shape)
    if tensor.datatype != wanted.datatype:
        raise Wrong(f"'{name}' is of type {wanted.datatype}, not {tensor.datatype[:64]}")
    # A column is as good as a row.
    while len(shape) > len(wanted.shape) and shape[-1] == 1:
        shape.pop()
    fits = len(shape) == len(wanted.shape) and all(
        given == size or (size == -1 and given >= 0)
        for given, size in zip(shape, wanted.shape, strict=True)
    )
    if not fits:
        raise Wrong(f"'{name}' is of shape {wanted.shape}, not {tensor.shape[:8]}")
    if tensor.parameters.binary_data_size is None:
        array = _from_list(wanted, tensor.data or [])
    else:
        size = tensor.parameters.binary_data_size
        array = _from_bytes(wanted, binary, size, settings.max_values)
    if array.size != math.prod(shape):
        raise Wrong(f"'{name}' has {array.size} values, which is not the shape {tensor.shape[:8]}")
    # Rows without values would be as many as a client says.
    if not array.size and max(shape) > settings.max_instances:
        raise Wrong(f"'{name}' has no values, and more than {settings.max_instances} rows")
    return array.reshape(shape)


def _from_list(wanted: schemas.Tensor, data: list[Any]) -> NDArray[Any]:
    dtype, types = DTYPES[wanted.datatype]
    try:
        # Never an array of numpy's own strings: each of them is as long as the longest.
        array = np.array(data, object)
        if not types.issuperset(map(type, array.flat)):
            raise Wrong(f"'{wanted.name}' has values that are not {wanted.datatype}")
        return array.astype(dtype)
    except (OverflowError, TypeError, ValueError) as error:
        raise Wrong(f"'{wanted.name}': {error}") from error


def _from_bytes(wanted: schemas.Tensor, binary: bytes, size: int, most: int) -> NDArray[Any]:
    dtype = np.dtype(DTYPES[wanted.datatype][0])
    if len(binary) < size:
        raise Wrong(f"'{wanted.name}' has {len(binary)} of {size} bytes")
    if dtype.kind == "O":
        found = list(islice(_strings(wanted, binary), most + 1))
        if len(found) > most:
            raise Wrong(f"'{wanted.name}' has more than {most} strings")
        return np.array(found, object)
    if size % dtype.itemsize:
        raise Wrong(f"'{wanted.name}': {size} bytes are no whole number of {wanted.datatype}")
    return np.frombuffer(binary, dtype)


def _strings(wanted: schemas.Tensor, binary: bytes) -> Iterator[bytes]:
    """Each has its length before it."""
    place = 0
    while place < len(binary):
        start = place + 4
        size = int.from_bytes(binary[place:start], "little")
        place = start + size
        if place > len(binary):
            raise Wrong(f"'{wanted.name}' ends within a string")
        yield binary[start:place]


def _answer(
    about: dict[str, Any], tensors: Mapping[str, NDArray[Any]], outputs: Mapping[str, bool]
) -> Response:
    """The outputs, those that are to be binary after the JSON."""
    types = {tensor.name: tensor.datatype for tensor in schemas.OUTPUTS}
    about["outputs"], tail = [], b""
    for name, is_binary in outputs.items():
        array = tensors[name].astype(DTYPES[types[name]][0], copy=False)
        output: dict[str, Any] = {"name": name, "datatype": types[name]}
        output["shape"] = list(array.shape)
        if is_binary:
            encoded = _to_bytes(array)
            output["parameters"] = {"binary_data_size": len(encoded)}
            tail += encoded
        else:
            output["data"] = array.reshape(-1).tolist()
        about["outputs"].append(output)
    head = to_json(about)
    if not any(outputs.values()):
        return Response(head, media_type="application/json")
    return Response(
        head + tail, headers={HEAD: str(len(head))}, media_type="application/octet-stream"
    )


def _to_bytes(array: NDArray[Any]) -> bytes:
    if array.dtype.kind != "O":
        return array.tobytes()
    encoded = (it if isinstance(it, bytes) else str(it).encode() for it in array.reshape(-1))
    return b"".join(struct.pack("<I", len(it)) + it for it in encoded)
