"""Tokens: numbers of the pieces of words, by one's own tokenizer, and whether they praise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, FailFast, Field, StringConstraints

VOCABULARY = 500
LONGEST = 128
PADDING = 0

Token = Annotated[int, Field(gt=PADDING, lt=VOCABULARY)]
Instance = Annotated[list[Token], Field(min_length=1, max_length=LONGEST)]
Target = Annotated[str, StringConstraints(min_length=1)]


class Prediction(BaseModel):
    """The most probable label, and its probability."""

    label: str
    score: float


EXAMPLES: list[Instance] = [[1, 2, 3], [499, 7, 7, 7, 250, 11]]
ANSWERS = [Prediction(label="negative", score=0.5), Prediction(label="positive", score=1.0)]

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


DATA = "data/tokens.jsonl"
GOALS = {"accuracy": 0.9}


def example(row: Mapping[str, Any]) -> tuple[Any, Any]:
    """A sequence of tokens, and its label."""
    return row["tokens"], row["label"]


def score(predictions: Sequence[Prediction], targets: Sequence[Target]) -> dict[str, float]:
    """How good the answers are."""
    pairs = zip(predictions, targets, strict=True)
    return {"accuracy": sum(it.label == target for it, target in pairs) / len(targets)}


class Tensor(NamedTuple):
    """The name, type and shape of an input or an output."""

    name: str
    datatype: str
    shape: list[int]


def padded(instances: Sequence[Instance]) -> NDArray[np.int64]:
    """One row for each sequence, filled up to the longest."""
    rows = np.full((len(instances), max(map(len, instances))), PADDING, np.int64)
    for row, tokens in zip(rows, instances, strict=True):
        row[: len(tokens)] = tokens
    return rows


INPUTS = [Tensor("tokens", "INT64", [-1, -1])]
OUTPUTS = [Tensor("label", "BYTES", [-1]), Tensor("score", "FP64", [-1])]
EXAMPLE_TENSORS: dict[str, NDArray[Any]] = {"tokens": padded(EXAMPLES)}


def from_tensors(tensors: Mapping[str, NDArray[Any]]) -> list[Any]:
    """The sequences without what fills them up."""
    return [row[row != PADDING].tolist() for row in tensors["tokens"]]


def to_tensors(predictions: Sequence[Prediction]) -> dict[str, NDArray[Any]]:
    """What is in the answers, by the names of OUTPUTS."""
    return {
        "label": np.array([it.label for it in predictions], object),
        "score": np.array([it.score for it in predictions]),
    }
