"""All that this project asks of XGBoost. No other file imports it.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xgboost
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from . import features

NAME = "xgboost"
PRECISIONS = ("float32",)
FILE = "model.ubj"


{% include 'framework-xgboost/device.py' %}


class Network:
    """A text classifier: boosted trees on hashed features."""

    def __init__(
        self,
        labels: int,
        device: str,
        seed: int = 0,
        precision: str = "float32",  # noqa: ARG002
    ) -> None:
        self.device = device
        self._labels = labels
        self._seed = seed
        self._booster = xgboost.Booster()

    def _matrix(
        self, texts: Sequence[str], targets: Sequence[int] | None = None
    ) -> xgboost.DMatrix:
        rows = [features.extract(text) for text in texts]
        starts = np.cumsum([0, *map(len, rows)])
        flat = np.array([feature for row in rows for feature in row], dtype=np.int32)
        counts = csr_matrix(
            (np.ones(len(flat), np.float32), flat, starts), (len(rows), features.BUCKETS)
        )
        counts.sum_duplicates()
        return xgboost.DMatrix(counts, label=targets)

    def fit(
        self, texts: Sequence[str], targets: Sequence[int], epochs: int, batch: int = 32
    ) -> float:
        """Grows three trees for each epoch, from all texts at once; returns the last mean loss."""
        parameters = {
            "objective": "multi:softprob",
            "num_class": self._labels,
            "device": self.device,
            "tree_method": "hist",
            "learning_rate": 0.3,
            "max_depth": 8,
            "min_child_weight": 0.1,
            "subsample": 1 if batch >= len(texts) else 0.9,
            "seed": self._seed,
            "eval_metric": "mlogloss",
        }
        losses: dict[str, dict[str, list[float]]] = {}
        matrix = self._matrix(texts, targets)
        self._booster = xgboost.train(
            parameters,
            matrix,
            epochs * 3,
            evals=[(matrix, "train")],
            evals_result=losses,
            verbose_eval=False,
        )
        return float(losses["train"]["mlogloss"][-1])

    def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities, one list for each text; returns when the device has really finished."""
        scores: list[list[float]] = self._booster.predict(self._matrix(texts)).tolist()
        return scores

    def save(self, folder: Path) -> None:
        """Writes the trees as universal binary JSON: no code."""
        self._booster.save_model(folder / FILE)

    def load(self, folder: Path) -> None:
        """Reads trees that `save` wrote for as many labels."""
        self._booster = xgboost.Booster(model_file=folder / FILE)
        self._booster.set_param({"device": self.device})
