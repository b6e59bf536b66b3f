"""All that this project asks of XGBoost. No other file imports it.

A step is a round of boosting on all examples. What a backend for another framework has to have,
learner.py and tests/test_backend.py say.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Sequence
from typing import Any

import numpy as np
import xgboost
from numpy.typing import NDArray

from .batches import Batch
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .devices import pick
from .errors import DeviceError
from .features import BENCH as _BENCH
from .features import features
from .footprint import Footprint
from .learner import Base
from .profiles import functions
from .world import ALONE, World

NAME = "xgboost"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "bf16": "trees are grown from whole numbers and 32-bit sums",
    "fp16": "trees are grown from whole numbers and 32-bit sums",
    "weight_decay": "trees have no weights that could shrink",
    "compile": "XGBoost is compiled",
    "clip_norm": "a tree is no step along a gradient",
    "minibatch": "a round needs all examples: batch must be 0",
    "accumulate": "a round needs all examples at once",
    "memory_fraction": "XGBoost has no memory cap: share the GPU by MIG or MPS",
    "distributed": "this backend is one process: docs/scaling.md says what there is",
    "shrink": "trees are no matrices: lower max_depth or epochs instead",
}

DEPTH = 6
BINS = 256

BENCH: dict[str, dict[str, Any]] = _BENCH
MODES: dict[str, dict[str, Any]] = {"as it is": {}}

profiler = functions


{% include 'framework-xgboost/device.py' %}


def available(device: str) -> int | None:  # noqa: ARG001
    """Bytes of the GPU that nobody holds; None where it cannot be asked."""
    return None


def footprint(settings: Settings, encoder: Encoder, examples: int) -> Footprint:
    """Estimated: trees that are full, a byte for each feature of each item, sums for histograms."""
    width, scores = features(encoder.inputs([])).shape[1], max(len(encoder.labels), 1)
    trees = settings.epochs * scores * 2 ** (DEPTH + 1) * 32
    sums = 2**DEPTH * width * 2 * 16
    return Footprint(trees, 8 * examples * scores, sums, examples * width)


class Learner(Base):
    """Boosted trees, and rounds that grow the same trees when repeated."""

    def __init__(
        self, settings: Settings, encoder: Encoder, device: str, world: World = ALONE
    ) -> None:
        super().__init__(settings, encoder, device, world)
        labels = len(encoder.labels)
        self._parameters = {
            **({"objective": "multi:softprob", "num_class": labels} if labels else {}),
            "eval_metric": "mlogloss" if labels else "rmse",
            "device": device,
            "tree_method": "hist",
            "learning_rate": settings.learning_rate,
            "max_depth": DEPTH,
            "seed": settings.seed,
        }
        # None: no tree yet.
        self._booster: xgboost.Booster | None = None
        self._staged: dict[Any, tuple[xgboost.DMatrix, Batch]] = {}

    def stage(self, batch: Batch) -> xgboost.DMatrix:
        """The features of all examples, made once."""
        where = batch.targets.__array_interface__["data"], len(batch)
        if where not in self._staged:
            matrix = xgboost.DMatrix(features(batch.inputs), label=batch.targets)
            # With the batch, so that no other comes to lie there.
            self._staged = {where: (matrix, batch)}
        return self._staged[where][0]

    def step(self, parts: Sequence[xgboost.DMatrix]) -> None:
        if self._booster is None:
            self._booster = xgboost.Booster(self._parameters, [parts[0]])
        self._booster.set_param("learning_rate", str(self.rate))
        self._booster.update(parts[0], self.steps)
        self.steps += 1
        self._last = parts[0]

    def measured(self) -> dict[str, float]:
        """Loss on all examples after the last step."""
        assert self._booster is not None
        return {"loss": float(str(self._booster.eval(self._last)).rpartition(":")[2])}

    def predict(self, inputs: Arrays) -> NDArray[np.float32]:
        found, width = features(inputs), max(len(self.encoder.labels), 1)
        if self._booster is None:
            return np.full((found.shape[0], width), 1 / width, np.float32)
        scores: NDArray[np.float32] = self._booster.predict(xgboost.DMatrix(found))
        return scores.reshape(-1, width)

    def weights(self) -> Arrays:
        """What prediction needs: the trees as universal binary JSON."""
        return {"trees": np.frombuffer(self._raw(), np.uint8).copy()}

    def _raw(self) -> bytes:
        return b"" if self._booster is None else bytes(self._booster.save_raw("ubj"))

    def load_weights(self, weights: Arrays) -> None:
        self._booster = None
        if weights["trees"].size:
            raw = bytearray(weights["trees"].tobytes())
            self._booster = xgboost.Booster(self._parameters, model_file=raw)
        # With what the old trees say of it.
        self._staged = {}

    def state(self) -> Arrays:
        return self.weights() | {"steps": np.array(self.steps)}

    def load_state(self, state: Arrays) -> None:
        self.load_weights(state)
        self.steps = int(state["steps"])

    def artefacts(self) -> dict[str, bytes]:
        """The model for XGBoost, wherever else it is to run."""
        return {"model.ubj": self._raw()}
