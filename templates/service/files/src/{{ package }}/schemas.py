"""What goes over the wire."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class PredictRequest(BaseModel):
    """Texts to classify."""

    model_config = ConfigDict(extra="forbid")

    texts: list[str] = Field(min_length=1, examples=[["not good at all", "what a lovely film"]])


class Prediction(BaseModel):
    """The most probable label of one text, and how probable each is."""

    label: str
    score: float
    scores: dict[str, float]


class PredictResponse(BaseModel):
    """One prediction for each text, in their order."""

    model: str = Field(description="which weights answered")
    predictions: list[Prediction]


class Status(BaseModel):
    """The answer of a probe."""

    state: str
    reason: str = ""


# The Open Inference Protocol: only what open_inference.py serves of it.


class InferInput(BaseModel):
    """A tensor of texts."""

    name: str
    shape: list[int]
    datatype: str
    data: list[str] = Field(min_length=1)


class InferRequest(BaseModel):
    """What is asked, with a name that the answer will have too."""

    id: str | None = None
    inputs: list[InferInput]


class InferOutput(BaseModel):
    """A tensor, its numbers in one row after another."""

    name: str
    datatype: str
    shape: list[int]
    data: list[str] | list[float]


class InferResponse(BaseModel):
    """Labels and scores."""

    model_config = ConfigDict(protected_namespaces=())

    id: str | None
    model_name: str
    model_version: str
    outputs: list[InferOutput]
