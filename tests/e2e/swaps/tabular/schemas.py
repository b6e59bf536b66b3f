"""Tabular: thirty measurements of a tumour, and how probably it is malignant."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, FailFast, Field, FiniteFloat

FEATURES = 30

Instance = Annotated[list[FiniteFloat], Field(min_length=FEATURES, max_length=FEATURES)]
Target = bool


class Prediction(BaseModel):
    """The more probable answer, and the probability that the tumour is malignant."""

    malignant: bool
    probability: float


EXAMPLES: list[Instance] = [
    [20.0] * FEATURES,
    [1.0] * FEATURES,
]
ANSWERS = [
    Prediction(malignant=True, probability=0.75),
    Prediction(malignant=False, probability=0.0),
]

MAX_INSTANCES = 1024


class PredictRequest(BaseModel):
    """The inputs of a request."""

    model_config = ConfigDict(extra="forbid")

    instances: Annotated[list[Instance], FailFast()] = Field(
        min_length=1, max_length=MAX_INSTANCES, examples=[EXAMPLES]
    )


class PredictResponse(BaseModel):
    """One prediction for each instance, in their order."""

    model: str = Field(description="which weights answered")
    predictions: list[Prediction] = Field(examples=[ANSWERS])


DATA = "data/tumours.csv"
GOALS = {"accuracy": 0.9}


def example(row: Mapping[str, Any]) -> tuple[Any, Any]:
    """The columns f0 to f29, and `malignant`."""
    return [row[f"f{number}"] for number in range(FEATURES)], row["malignant"]


def score(predictions: Sequence[Prediction], targets: Sequence[Target]) -> dict[str, float]:
    """How good the answers are."""
    pairs = zip(predictions, targets, strict=True)
    return {"accuracy": sum(it.malignant == target for it, target in pairs) / len(targets)}


class Tensor(NamedTuple):
    """The name, type and shape of an input or an output."""

    name: str
    datatype: str
    shape: list[int]


INPUTS = [Tensor("features", "FP64", [-1, FEATURES])]
OUTPUTS = [Tensor("malignant", "BOOL", [-1]), Tensor("probability", "FP64", [-1])]
EXAMPLE_TENSORS: dict[str, NDArray[Any]] = {"features": np.array(EXAMPLES)}


def from_tensors(tensors: Mapping[str, NDArray[Any]]) -> list[Any]:
    """The rows."""
    found: list[Any] = tensors["features"].tolist()
    return found


def to_tensors(predictions: Sequence[Prediction]) -> dict[str, NDArray[Any]]:
    """What is in the answers, by the names of OUTPUTS."""
    return {
        "malignant": np.array([it.malignant for it in predictions]),
        "probability": np.array([it.probability for it in predictions]),
    }
