"""A training run: where it is, how good it has become, and how it is saved and taken up again."""

from __future__ import annotations

import fcntl
import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from . import backend, batches, checkpoint, files, model, schedules, streams, tasks
from .checkpoint import Checkpoint
from .config import Settings, changed, fingerprint
from .errors import InputError
from .world import ALONE, World

log = logging.getLogger(__name__)

# What may be changed to save a run that went wrong.
REMEDIES = frozenset(["learning_rate", "clip_norm", "precision", "warmup"])


def all_finite(arrays: checkpoint.Arrays) -> bool:
    """Whether all of them are numbers."""
    return all(np.isfinite(it).all() for it in arrays.values() if it.dtype.kind == "f")


@dataclass
class Scores:
    """How good the model has been; what early stopping looks at."""

    best: float = 1e300
    values: dict[str, float] = field(default_factory=dict)  # of the best epoch
    stale: int = 0  # epochs in a row that were no better

    def add(self, values: dict[str, float]) -> bool:
        """Takes in an epoch's scores; whether it was the best."""
        if values["loss"] < self.best - abs(self.best) * 1e-6:  # less is rounding
            self.best, self.values, self.stale = values["loss"], values, 0
            return True
        self.stale += 1
        return False


@dataclass
class Run:
    """One training run."""

    settings: Settings
    task: tasks.Task
    learner: backend.Learner
    order: batches.Order | streams.Stream
    world: World = ALONE
    step: int = 0
    epochs: int = 0  # those that are complete
    between: bool = False  # whether an epoch has just ended
    scores: Scores = field(default_factory=Scores)
    loss: float = math.inf  # of the epoch that ended last, on validation data

    @property
    def out(self) -> Path:
        """Where the run keeps everything."""
        return Path(self.settings.out)

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to learn."""
        patience = self.settings.patience
        tired = patience > 0 and self.scores.stale >= patience
        return self.between and (tired or self.epochs >= self.settings.epochs)

    @property
    def rate(self) -> float:
        """The learning rate of the next step."""
        it = self.settings
        steps = it.epochs * self.order.steps_per_epoch
        return schedules.rate(it.learning_rate, it.schedule, it.warmup, self.step, steps)

    def count(self, order: dict[str, Any], ended: bool) -> None:
        """A step was made on the batch after which the data's order is in this state."""
        self.step += 1
        self.epochs, self.between = order["epoch"] + ended, ended

    def resume(self) -> None:
        """Takes up the newest checkpoint, where there is one."""
        found = checkpoint.load(self.out / "checkpoints", self.settings.restart)
        if found is None:
            return
        other = changed(found.progress["settings"], self._fingerprint)
        if set(other) - (REMEDIES if self._diverged.exists() else set()):
            raise InputError(
                f"{self.out} holds a run with other settings ({', '.join(other)}): "
                "give these back, or another --out"
            )
        self.order.load(found.progress["order"])
        self.learner.load_state(found.arrays)
        self.step, self.scores = found.step, Scores(**found.progress["scores"])
        self.between = self.order.ended_epoch
        self.epochs = self.order.epoch + self.between
        log.info("resumed after step %d%s", self.step, f", changed: {other}" if other else "")

    @cached_property
    def _fingerprint(self) -> dict[str, Any]:
        """All that decides what the run computes."""
        return fingerprint(self.settings) | self.task.checksums

    def save(self, order: dict[str, Any]) -> None:
        """Writes a checkpoint, unless what was learnt is no number any more."""
        self.measure()
        arrays = self.learner.state()
        if self.learner.agree(not all_finite(arrays)):
            raise self._no_number("what was learnt")
        if self.world.first:
            progress = {
                "order": order,
                "scores": asdict(self.scores),
                "settings": self._fingerprint,
            }
            found = Checkpoint(self.step, arrays, progress)
            checkpoint.save(self.out / "checkpoints", found, self.settings.keep)
            self._diverged.unlink(missing_ok=True)

    def measure(self) -> dict[str, float]:
        """Loss and gradients of the last step."""
        measured = self.learner.measured()
        for name, value in measured.items():
            if not math.isfinite(value):
                raise self._no_number(name)
        return measured

    @property
    def _diverged(self) -> Path:
        """Is there while the newest checkpoint is one from which the run went wrong."""
        return self.out / "diverged"

    def _no_number(self, what: str) -> InputError:
        text = f"{what} is no number at step {self.step}"
        if self.world.first:
            files.write(self._diverged, f"{text}\n".encode())
        return InputError(
            f"{text}: lower learning_rate and run it again: it goes on from its last checkpoint, "
            "which was good"
        )

    def end_epoch(self) -> dict[str, float]:
        """Scores the model on the validation data; keeps it when it is the best so far."""
        values = tasks.evaluate(self.learner, self.task.validation)
        self.loss = values["loss"]
        if self.scores.add(values):
            it = model.Model(self.learner, self.task.encoder)
            model.save(self.out / "model", it, self.settings, values)
        return {f"validation_{name}": value for name, value in values.items()}


@contextmanager
def only_one(out: Path, world: World) -> Iterator[None]:
    """Two runs must not write to one folder."""
    if not world.first:
        yield
        return
    out.mkdir(parents=True, exist_ok=True)
    with (out / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{out}: another run is writing here") from None
        yield
