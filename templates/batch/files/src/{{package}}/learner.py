"""What every backend's `Learner` is: what all of them have, and what each must bring."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .batches import Batch
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .errors import InputError
from .world import World


class Base(ABC):
    """A network, its optimizer, and steps of training that are the same bits when repeated.

    `auto` is the precision that the backend takes when the settings leave it the choice.
    """

    def __init__(
        self, settings: Settings, encoder: Encoder, device: str, world: World, auto: str = "fp32"
    ) -> None:
        self.settings, self.encoder, self.device, self.world = settings, encoder, device, world
        self.precision = auto if settings.precision == "auto" else settings.precision
        if self.precision == "fp16" and device == "cpu":
            raise InputError("fp16: needs a GPU; a CPU has bf16")
        self.steps = 0
        # Of the next step: whoever asks for it says how fast it learns.
        self.rate = settings.learning_rate
        # Of the last step: numbers, or what the device is still computing.
        self.loss: Any = 0.0
        self.norm: Any = 0.0

    @abstractmethod
    def stage(self, batch: Batch) -> Any:
        """Starts the batch's way to the device; returns it as `step` wants it."""

    @abstractmethod
    def step(self, parts: Sequence[Any]) -> None:
        """One update from the mean loss over all examples of all parts; sets `loss` and `norm`."""

    def measured(self) -> dict[str, float]:
        """Loss and size of the gradients in the last step; waits for the device."""
        return {"loss": float(self.loss), "grad_norm": float(self.norm)}

    @abstractmethod
    def predict(self, inputs: Arrays) -> NDArray[np.float32]:
        """A row for each item: probabilities of labels, or numbers; waits for the device."""

    def agree(self, wanted: bool) -> bool:
        """Whether any process of this run wants it: there is this one only."""
        return wanted

    @abstractmethod
    def weights(self) -> Arrays:
        """What prediction needs; of several processes all must ask."""

    @abstractmethod
    def load_weights(self, weights: Arrays) -> None:
        """Takes what `weights` gave."""

    @abstractmethod
    def state(self) -> Arrays:
        """All that the next step depends on; of several processes all must ask."""

    @abstractmethod
    def load_state(self, state: Arrays) -> None:
        """Takes what `state` gave."""

    def artefacts(self) -> dict[str, bytes]:
        """Files in the framework's own format that belong beside the weights: none."""
        return {}

    def close(self) -> None:  # noqa: B027
        """Gives back what is held beyond memory: nothing."""


def under(kind: str, arrays: Arrays) -> Arrays:
    """The arrays, each named KIND/NAME: a state holds those of several kinds."""
    return {f"{kind}/{name}": array for name, array in arrays.items()}


def of_kind(kind: str, state: Arrays) -> Arrays:
    """What `under` was given."""
    start = f"{kind}/"
    return {name[len(start) :]: it for name, it in state.items() if name.startswith(start)}
