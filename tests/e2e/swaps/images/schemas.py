"""Images: PNG bytes in base64, and which digit each shows."""

from __future__ import annotations

import base64
import binascii
import io
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    PlainSerializer,
    PlainValidator,
    TypeAdapter,
)

SIZE = 8
CLASSES = 10


def decode(value: object) -> bytes:
    """From base64, as JSON has it, or the bytes of a PNG as they are."""
    if isinstance(value, bytes) and value.startswith(b"\x89PNG"):
        return value
    try:
        return base64.b64decode(value if isinstance(value, bytes) else str(value), validate=True)
    except binascii.Error as error:
        raise ValueError(f"not base64: {error}") from error


def check(png: bytes) -> bytes:
    """Refuses what is not an image of the right size."""
    try:
        with Image.open(io.BytesIO(png), formats=["PNG"]) as image:
            if image.size != (SIZE, SIZE):
                raise ValueError(f"the image is {image.size}, not {SIZE} by {SIZE}")
            image.verify()
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise ValueError("not a PNG image") from error
    return png


Instance = Annotated[
    bytes,
    PlainValidator(decode, json_schema_input_type=str),
    AfterValidator(check),
    PlainSerializer(lambda png: base64.b64encode(png).decode(), return_type=str, when_used="json"),
]
Target = Annotated[int, Field(ge=0, lt=CLASSES)]


def pixels(png: bytes) -> NDArray[np.float32]:
    """Grey values from 0 to 1."""
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("L"), np.float32) / np.float32(255)


class Prediction(BaseModel):
    """The most probable digit, and the probability of each."""

    digit: int
    scores: list[float]


def _square(grey: int) -> bytes:
    file = io.BytesIO()
    Image.new("L", (SIZE, SIZE), grey).save(file, "PNG")
    return file.getvalue()


EXAMPLES: list[Instance] = [_square(0), _square(255)]
ANSWERS = [
    Prediction(digit=digit, scores=[float(number == digit) for number in range(CLASSES)])
    for digit in (1, 8)
]

MAX_INSTANCES = 256


class PredictRequest(BaseModel):
    """The inputs of a request."""

    model_config = ConfigDict(extra="forbid")

    instances: Annotated[list[Instance], FailFast()] = Field(
        min_length=1,
        max_length=MAX_INSTANCES,
        examples=[TypeAdapter(list[Instance]).dump_python(EXAMPLES, mode="json")],
    )


class PredictResponse(BaseModel):
    """One prediction for each instance, in their order."""

    model: str = Field(description="which weights answered")
    predictions: list[Prediction] = Field(examples=[ANSWERS])


DATA = "data/digits.jsonl"
GOALS = {"accuracy": 0.9}


def example(row: Mapping[str, Any]) -> tuple[Any, Any]:
    """A PNG in base64, and what it shows."""
    return row["png"], row["digit"]


def score(predictions: Sequence[Prediction], targets: Sequence[Target]) -> dict[str, float]:
    """How good the answers are."""
    pairs = zip(predictions, targets, strict=True)
    return {"accuracy": sum(it.digit == target for it, target in pairs) / len(targets)}


class Tensor(NamedTuple):
    """The name, type and shape of an input or an output."""

    name: str
    datatype: str
    shape: list[int]


INPUTS = [Tensor("png", "BYTES", [-1])]
OUTPUTS = [Tensor("digit", "INT64", [-1]), Tensor("scores", "FP32", [-1, CLASSES])]
EXAMPLE_TENSORS: dict[str, NDArray[Any]] = {
    "png": np.array([base64.b64encode(png).decode() for png in EXAMPLES], object)
}


def from_tensors(tensors: Mapping[str, NDArray[Any]]) -> list[Any]:
    """PNG in base64 where the client spoke JSON, as it is where it sent bytes."""
    found: list[Any] = tensors["png"].reshape(-1).tolist()
    return found


def to_tensors(predictions: Sequence[Prediction]) -> dict[str, NDArray[Any]]:
    """What is in the answers, by the names of OUTPUTS."""
    return {
        "digit": np.array([it.digit for it in predictions], np.int64),
        "scores": np.array([it.scores for it in predictions], np.float32),
    }
