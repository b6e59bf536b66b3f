"""The model: put your own in its place. It takes and answers what schemas.py says.

`Network` needs `fit` only where this project trains it, and `predict`, `save` and `load` always;
tests/test_backend.py says what they promise. What devices are there is in devices.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import xgboost
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from . import features, labels
from .schemas import Instance, Prediction, Target

# What it can compute in, and how far its answers may then be from those where it was trained.
PRECISIONS = {"float32": 1e-3}
# What `load` looks for, and `import` too.
FILES = ("model.ubj", "model.json")


def _matrix(texts: Sequence[Instance], numbers: Sequence[int] | None = None) -> xgboost.DMatrix:
    rows = [features.extract(text) for text in texts]
    starts = np.cumsum([0, *map(len, rows)])
    flat = np.array([feature for row in rows for feature in row], dtype=np.int32)
    ones = np.ones(len(flat), np.float32)
    counts = csr_matrix((ones, flat, starts), (len(rows), features.BUCKETS))
    counts.sum_duplicates()
    return xgboost.DMatrix(counts, label=numbers)


class Network:
    """A text classifier: boosted trees on hashed features."""

    def __init__(
        self,
        device: str,
        precision: str = "float32",  # noqa: ARG002
    ) -> None:
        self.device = device
        self._labels: list[str] = []
        self._booster = xgboost.Booster()

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Grows three trees for each epoch, from all instances; returns the last mean loss."""
        self._labels = labels.find(targets)
        matrix = _matrix(instances, [self._labels.index(target) for target in targets])
        parameters = {
            "objective": "multi:softprob",
            "num_class": len(self._labels),
            "device": self.device,
            "tree_method": "hist",
            "learning_rate": 0.3,
            "max_depth": 8,
            "min_child_weight": 0.1,
            "subsample": 0.9,
            "seed": 0,
            "eval_metric": "mlogloss",
        }
        losses: dict[str, dict[str, list[float]]] = {}
        self._booster = xgboost.train(
            parameters,
            matrix,
            epochs * 3,
            evals=[(matrix, "train")],
            evals_result=losses,
            verbose_eval=False,
        )
        return float(losses["train"]["mlogloss"][-1])

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance; returns when the device has really finished."""
        rows = self._booster.predict(_matrix(instances)).tolist()
        return [Prediction.of(self._labels, row) for row in rows]

    def save(self, folder: Path) -> None:
        """Writes the trees as universal binary JSON: no code."""
        self._booster.save_model(folder / FILES[0])
        labels.save(self._labels, folder)

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        file = next(file for file in FILES if (folder / file).exists())
        self._booster = xgboost.Booster(model_file=folder / file)
        self._booster.set_param({"device": self.device})
        self._labels = labels.load(folder)
