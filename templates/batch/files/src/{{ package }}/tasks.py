"""What there is to learn, on which device, and how well a model has learnt it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import backend, data, footprint
from .config import Settings
from .errors import InputError
from .world import World


@dataclass(frozen=True)
class Task:
    """Encoded examples, and the words and labels that they have."""

    train: data.Batch
    test: data.Batch
    vocabulary: data.Vocabulary
    labels: list[str]


def load(settings: Settings) -> Task:
    """Reads or makes the examples."""
    train, test = data.split(data.examples(settings))
    labels = sorted({example.label for example in [*train, *test]})
    if not test or len(train) < max(settings.batch, 1):
        raise InputError(f"{len(train)} texts to train on and {len(test)} to test: too few")
    words = data.Vocabulary.of((it.text for it in train), settings.vocabulary, settings.length)
    return Task(data.encode(train, words, labels), data.encode(test, words, labels), words, labels)


def learner(settings: Settings, task: Task, device: str, world: World) -> backend.Learner:
    """A fresh network for the task."""
    return backend.Learner(settings, len(task.vocabulary), len(task.labels), device, world)


def pick_device(settings: Settings, world: World) -> str:
    """The device of this process, its memory capped."""
    # First of all: some frameworks read what this sets only when they start.
    backend.seed(settings.seed, settings.deterministic)
    device = backend.pick_device(settings.device)
    if world.size > 1 and device != "cpu" and settings.device in ("auto", "cuda"):
        device = backend.pick_device(f"cuda:{world.local}")
    backend.limit_memory(device, settings.memory_fraction)
    return device


def estimate(settings: Settings, task: Task, device: str) -> tuple[footprint.Footprint, int | None]:
    """What a run will take of the device's memory, and what it may."""
    needed = backend.footprint(settings, len(task.vocabulary), len(task.labels), len(task.train))
    free = footprint.host_memory() if device == "cpu" else backend.available(device)
    return needed, footprint.allowed(free, backend.memory(device)[1], settings.memory_fraction)


def evaluate(it: backend.Learner, batch: data.Batch, size: int = 512) -> tuple[float, float]:
    """Mean loss and accuracy."""
    loss, right = 0.0, 0
    for part in batch.parts(-(-len(batch) // size)):
        scores = it.predict(part.tokens)
        of_label = scores[np.arange(len(part)), part.labels].astype(np.float64)
        loss -= float(np.log(np.maximum(of_label, 1e-12)).sum())
        right += int((scores.argmax(axis=1) == part.labels).sum())
    return loss / len(batch), right / len(batch)
