"""What the model takes and answers. This file and backend.py are yours: the rest follows them.

The bundled example takes texts and answers labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    FailFast,
    Field,
    StringConstraints,
    TypeAdapter,
)

# One input, one answer, and what the model learns to answer. Any type that pydantic can check.
Instance = Annotated[str, StringConstraints(min_length=1, max_length=10_000)]
Target = Annotated[str, StringConstraints(min_length=1)]


class Prediction(BaseModel):
    """The most probable label of an instance, and how probable each is."""

    label: str
    score: float
    scores: dict[str, float]

    @classmethod
    def of(cls, labels: Sequence[str], row: Sequence[float]) -> Prediction:
        """From the probabilities of all labels."""
        best = max(row)
        scores = dict(zip(labels, row, strict=True))
        return cls(label=labels[row.index(best)], score=best, scores=scores)


# At least two different inputs, and what a model may answer them: for the documentation of the API,
# the load test and all tests.
EXAMPLES: list[Instance] = ["not good at all", "what a lovely film"]
ANSWERS = [
    Prediction(label="negative", score=0.75, scores={"negative": 0.75, "positive": 0.25}),
    Prediction(label="positive", score=1.0, scores={"negative": 0.0, "positive": 1.0}),
]

# More in one request is refused as it is read, whatever SERVE_MAX_INSTANCES says.
MAX_INSTANCES = 1024


class PredictRequest(BaseModel):
    """The inputs of a request."""

    model_config = ConfigDict(extra="forbid")

    instances: Annotated[list[Instance], FailFast()] = Field(
        min_length=1,
        max_length=MAX_INSTANCES,
        examples=[TypeAdapter(list[Instance]).dump_python(EXAMPLES, mode="json")],
        # What clients of this service said before.
        validation_alias=AliasChoices("instances", "texts"),
    )


class PredictResponse(BaseModel):
    """One prediction for each instance, in their order."""

    model: str = Field(description="which weights answered", examples=["5d41402abc4b"])
    predictions: list[Prediction] = Field(examples=[ANSWERS])


# Training: where the data is, what a row of it holds, and how good the answers are.

DATA = "data/reviews.csv"
# What answers to rows that the model was not trained on reach at least.
GOALS = {"accuracy": 0.85}


def example(row: Mapping[str, Any]) -> tuple[Any, Any]:
    """The instance and the target of a row of CSV or JSON; both are checked against their types."""
    return row["text"], row["label"]


def score(predictions: Sequence[Prediction], targets: Sequence[Target]) -> dict[str, float]:
    """How good the answers are."""
    pairs = zip(predictions, targets, strict=True)
    return {"accuracy": sum(it.label == target for it, target in pairs) / len(targets)}


# The Open Inference Protocol (KServe, Triton): the same as tensors. -1 is any number.


class Tensor(NamedTuple):
    """The name, type and shape of an input or an output."""

    name: str
    datatype: str
    shape: list[int]


INPUTS = [Tensor("text", "BYTES", [-1])]
OUTPUTS = [Tensor("label", "BYTES", [-1]), Tensor("scores", "FP32", [-1, -1])]
EXAMPLE_TENSORS: dict[str, NDArray[Any]] = {"text": np.array(EXAMPLES, object)}


def from_tensors(tensors: Mapping[str, NDArray[Any]]) -> list[Any]:
    """The instances; they are checked against their type. BYTES are objects: str or bytes."""
    found: list[Any] = tensors["text"].reshape(-1).tolist()
    return found


def to_tensors(predictions: Sequence[Prediction]) -> dict[str, NDArray[Any]]:
    """What is in the answers, by the names of OUTPUTS."""
    return {
        "label": np.array([it.label for it in predictions], object),
        "scores": np.array([list(it.scores.values()) for it in predictions], np.float32),
    }
