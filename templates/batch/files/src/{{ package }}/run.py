"""A training run: where it is, how good it has become, and how it is saved and taken up again."""

from __future__ import annotations

import fcntl
import logging
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from . import backend, checkpoint, data, model, tasks
from .checkpoint import Checkpoint
from .config import Settings, fingerprint
from .errors import InputError
from .world import ALONE, World

log = logging.getLogger(__name__)


@dataclass
class Scores:
    """How good the model has been; what early stopping looks at."""

    best: float = 1e300
    accuracy: float = 0.0
    stale: int = 0  # epochs in a row that were no better

    def add(self, loss: float, accuracy: float) -> bool:
        """Takes in an epoch's scores; whether it was the best."""
        if loss < self.best * (1 - 1e-6):  # less is rounding
            self.best, self.accuracy, self.stale = loss, accuracy, 0
            return True
        self.stale += 1
        return False


@dataclass
class Run:
    """One training run."""

    settings: Settings
    task: tasks.Task
    learner: backend.Learner
    order: data.Order
    world: World = ALONE
    step: int = 0
    epochs: int = 0  # those that are complete
    between: bool = False  # whether an epoch has just ended
    scores: Scores = field(default_factory=Scores)

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

    def count(self, order: dict[str, Any], ended: bool) -> None:
        """A step was made on the batch after which the data's order is in this state."""
        self.step += 1
        self.epochs, self.between = order["epoch"] + ended, ended

    def resume(self) -> None:
        """Takes up the newest checkpoint, where there is one."""
        found = checkpoint.load(self.out / "checkpoints")
        if found is None:
            return
        wanted, there = fingerprint(self.settings), found.progress["settings"]
        other = [name for name in wanted if there.get(name) != wanted[name]]
        if other:
            raise InputError(
                f"{self.out} holds a run with other settings ({', '.join(other)}): "
                "give these back, or another --out"
            )
        self.order.load(found.progress["order"])
        self.learner.load_state(found.arrays)
        self.step, self.scores = found.step, Scores(**found.progress["scores"])
        self.between = self.order.ended_epoch
        self.epochs = self.order.epoch + self.between
        log.info("resumed after step %d", self.step)

    def save(self, order: dict[str, Any]) -> None:
        """Writes a checkpoint, unless what was learnt is no number any more."""
        self.measure()
        if self.world.first:
            progress = {
                "order": order,
                "scores": asdict(self.scores),
                "settings": fingerprint(self.settings),
            }
            found = Checkpoint(self.step, self.learner.state(), progress)
            checkpoint.save(self.out / "checkpoints", found, self.settings.keep)

    def measure(self) -> dict[str, float]:
        """Loss and gradients of the last step."""
        measured = self.learner.measured()
        if not math.isfinite(measured["loss"]):
            raise InputError(f"the loss is no number at step {self.step}: lower learning_rate")
        return measured

    def end_epoch(self) -> dict[str, float]:
        """Tests the model; keeps it when it is the best so far."""
        loss, accuracy = tasks.evaluate(self.learner, self.task.test)
        if self.scores.add(loss, accuracy) and self.world.first:
            found = model.Model(self.learner, self.task.vocabulary, self.task.labels)
            model.save(self.out / "model", found, self.settings, accuracy)
        return {"test_loss": loss, "test_accuracy": accuracy}


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
