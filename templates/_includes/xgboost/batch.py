"""All that this project asks of XGBoost. No other file imports it.

A step is a round of boosting on all examples. Trees see words by pairs: which word comes before
which other one nearby. A backend for another framework has the same names; tests/test_backend.py
says what they promise.
"""

from __future__ import annotations

import cProfile
import ctypes
import gc
import pstats
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import xgboost
from numpy.typing import NDArray
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from .config import Settings
from .data import Batch, Tokens
from .footprint import Footprint
from .world import ALONE, World

NAME = "xgboost"

_NO_NETWORK = "trees are no network"
# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "bf16": "trees are grown from whole numbers and 32-bit sums",
    "fp16": "trees are grown from whole numbers and 32-bit sums",
    "fused": _NO_NETWORK,
    "unfused": _NO_NETWORK,
    "embedding": _NO_NETWORK,
    "hidden": _NO_NETWORK,
    "layers": _NO_NETWORK,
    "gradient_checkpointing": _NO_NETWORK,
    "clip_norm": "a tree is no step along a gradient",
    "dropout": "XGBoost's own sampling cannot be taken up where it was stopped",
    "minibatch": "a round needs all examples: batch must be 0",
    "accumulate": "a round needs all examples at once",
    "memory_fraction": "XGBoost has no memory cap: share the GPU by MIG or MPS",
    "distributed": "this backend is one process: docs/scaling.md says what there is",
    "shrink": "trees are no matrices: lower max_depth or epochs instead",
}

BUCKETS = 4096
NEAR = 6  # words
DEPTH = 6


{% include 'xgboost/device.py' %}


{% include 'device/profile.py' %}


def available(device: str) -> int | None:  # noqa: ARG001
    """Bytes of the GPU that nobody holds; None where it cannot be asked."""
    return None


def footprint(
    settings: Settings,
    vocabulary: int,  # noqa: ARG001
    labels: int,
    examples: int,
) -> Footprint:
    """Estimated: trees that are full, a byte for each feature of each text, sums for histograms."""
    trees = settings.epochs * labels * 2 ** (DEPTH + 1) * 32
    sums = 2**DEPTH * BUCKETS * 2 * 16
    return Footprint(trees, 8 * examples * labels, sums, examples * BUCKETS)


def _features(tokens: Tokens) -> csr_matrix:
    """How often each pair of words, in this order and near one another, is in each text."""
    rows, columns = [], []
    wide = tokens.astype(np.int64)
    for distance in range(1, min(NEAR, tokens.shape[1])):
        before, after = wide[:, :-distance], wide[:, distance:]
        row, column = np.nonzero((before > 0) & (after > 0))
        pairs = before[row, column] * 1_000_003 + after[row, column]
        rows.append(row)
        columns.append(pairs * 2_654_435_761 % 2**32 % BUCKETS)
    row, column = np.concatenate(rows), np.concatenate(columns)
    ones = np.ones(len(row), np.float32)
    return csr_matrix((ones, (row, column)), (len(tokens), BUCKETS))


class Learner:
    """Boosted trees, and rounds that grow the same trees when repeated."""

    def __init__(
        self,
        settings: Settings,
        vocabulary: int,  # noqa: ARG002
        labels: int,
        device: str,
        world: World = ALONE,
    ) -> None:
        assert world.size == 1
        self.device, self._labels, self._steps = device, labels, 0
        self._parameters = {
            "objective": "multi:softprob",
            "num_class": labels,
            "device": device,
            "tree_method": "hist",
            "learning_rate": settings.learning_rate,
            "max_depth": DEPTH,
            "seed": settings.seed,
            "eval_metric": "mlogloss",
        }
        # None: no tree yet.
        self._booster: xgboost.Booster | None = None
        self._staged: tuple[Tokens, xgboost.DMatrix] | None = None

    def stage(self, batch: Batch) -> xgboost.DMatrix:
        """The features of all examples, made once."""
        if self._staged is None or not _same_memory(self._staged[0], batch.tokens):
            matrix = xgboost.DMatrix(_features(batch.tokens), label=batch.labels)
            self._staged = batch.tokens, matrix
        return self._staged[1]

    def step(self, parts: Sequence[xgboost.DMatrix]) -> None:
        """One round: a tree for each label."""
        if self._booster is None:
            self._booster = xgboost.Booster(self._parameters, [parts[0]])
        self._booster.update(parts[0], self._steps)
        self._steps += 1
        self._last = parts[0]

    def measured(self) -> dict[str, float]:
        """Loss on all examples after the last step."""
        assert self._booster is not None
        return {"loss": float(str(self._booster.eval(self._last)).rpartition(":")[2])}

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        """Probabilities, one row for each text; returns when the device has really finished."""
        if self._booster is None:
            return np.full((len(tokens), self._labels), 1 / self._labels, np.float32)
        scores: NDArray[np.float32] = self._booster.predict(xgboost.DMatrix(_features(tokens)))
        return scores

    def agree(self, wanted: bool) -> bool:
        """Whether any process of this run wants it: there is this one only."""
        return wanted

    def weights(self) -> dict[str, NDArray[Any]]:
        """What prediction needs: the trees as universal binary JSON."""
        return {"trees": np.frombuffer(self._raw(), np.uint8).copy()}

    def _raw(self) -> bytes:
        return b"" if self._booster is None else bytes(self._booster.save_raw("ubj"))

    def load_weights(self, weights: dict[str, NDArray[Any]]) -> None:
        """Takes what `weights` gave."""
        self._booster = None
        if weights["trees"].size:
            raw = bytearray(weights["trees"].tobytes())
            self._booster = xgboost.Booster(self._parameters, model_file=raw)
        # With what the old trees say of it.
        self._staged = None

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next step depends on."""
        return self.weights() | {"steps": np.array(self._steps)}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Takes what `state` gave."""
        self.load_weights(state)
        self._steps = int(state["steps"])

    def artefacts(self) -> dict[str, bytes]:
        """The model for XGBoost, wherever else it is to run."""
        return {"model.ubj": self._raw()}

    def close(self) -> None:
        """Nothing is open."""


def _same_memory(one: Tokens, other: Tokens) -> bool:
    where = one.__array_interface__["data"], one.shape
    return where == (other.__array_interface__["data"], other.shape)
