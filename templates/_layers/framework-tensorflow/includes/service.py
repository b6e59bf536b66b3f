"""The model: put your own in its place. It takes and answers what schemas.py says.

`Network` needs `fit` only where this project trains it, and `predict`, `save` and `load` always;
tests/test_backend.py says what they promise. What devices are there is in devices.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import keras  # type: ignore[import-untyped]
import numpy as np
import tensorflow as tf  # type: ignore[import-untyped]

from . import features, labels
from .devices import tf_device
from .schemas import Instance, Prediction, Target

# What it can compute in, and how far its answers may then be from those where it was trained.
PRECISIONS = {"float32": 1e-3, "bfloat16": 5e-2}
# What `load` looks for, and `import` too.
FILES = ("model.keras",)
BATCH = 32
WIDTH = 16


class Network:
    """A text classifier: embeddings of hashed features, their mean, one linear layer."""

    def __init__(self, device: str, precision: str = "float32") -> None:
        self.device = device
        self._policy = "mixed_bfloat16" if precision == "bfloat16" else "float32"
        self._labels: list[str] = []

    def _build(self, names: list[str]) -> None:
        self._labels = names
        # Nearly nothing: what was never seen must not speak.
        small = keras.initializers.RandomNormal(stddev=0.01, seed=0)
        layers = [
            keras.layers.Dense(
                WIDTH, use_bias=False, kernel_initializer=small, dtype=self._policy, name="embed"
            ),
            keras.layers.Dense(len(names), dtype=self._policy, name="linear"),
            keras.layers.Softmax(dtype="float32"),
        ]
        with tf.device(tf_device(self.device)):
            self._model = keras.Sequential([keras.Input((features.BUCKETS,)), *layers])
        # One graph for batches of all sizes.
        rows = tf.TensorSpec((None, features.BUCKETS), tf.float32)
        model = self._model
        self._scores = tf.function(lambda bags: model(bags, training=False), input_signature=[rows])

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Trains on all instances `epochs` times in a fixed order; returns the last mean loss."""
        keras.utils.set_random_seed(0)
        self._build(labels.find(targets))
        numbers = np.array([self._labels.index(target) for target in targets])
        with tf.device(tf_device(self.device)):
            self._model.compile(keras.optimizers.Adam(0.02), "sparse_categorical_crossentropy")
            history = self._model.fit(
                features.bags(instances), numbers, batch_size=BATCH, epochs=epochs, verbose=0
            )
        return float(history.history["loss"][-1])

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance; returns when the device has really finished."""
        with tf.device(tf_device(self.device)):
            rows = self._scores(features.bags(instances)).numpy().tolist()
        return [Prediction.of(self._labels, row) for row in rows]

    def save(self, folder: Path) -> None:
        """Writes the layers and their weights, without the optimizer."""
        self._model.save(folder / FILES[0], include_optimizer=False)
        labels.save(self._labels, folder)

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        self._build(labels.load(folder))
        with tf.device(tf_device(self.device)):
            stored = keras.saving.load_model(folder / FILES[0], compile=False)
            self._model.set_weights(stored.get_weights())
