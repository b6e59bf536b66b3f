"""All that this project asks of TensorFlow and Keras. No other file imports them.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from . import features

{% include 'framework-tensorflow/env.py' %}

import keras  # type: ignore[import-untyped]
import tensorflow as tf  # type: ignore[import-untyped]

NAME = "tensorflow"
PRECISIONS = ("float32", "bfloat16")
WIDTH = 16
FILE = "model.keras"


{% include 'framework-tensorflow/device.py' %}


class Network:
    """A text classifier: embeddings of hashed features, their mean, one linear layer."""

    def __init__(self, labels: int, device: str, seed: int = 0, precision: str = "float32") -> None:
        self.device = device
        self._policy = "mixed_bfloat16" if precision == "bfloat16" else "float32"
        keras.utils.set_random_seed(seed)
        # Nearly nothing: what was never seen must not speak.
        small = keras.initializers.RandomNormal(stddev=0.01, seed=seed)
        layers = [
            keras.layers.Dense(
                WIDTH, use_bias=False, kernel_initializer=small, dtype=self._policy, name="embed"
            ),
            keras.layers.Dense(labels, dtype=self._policy, name="linear"),
            keras.layers.Softmax(dtype="float32"),
        ]
        with tf.device(_tf_device(device)):
            self._model = keras.Sequential([keras.Input((features.BUCKETS,)), *layers])
        self._compile()

    def _compile(self) -> None:
        """One graph for batches of all sizes."""
        rows = tf.TensorSpec((None, features.BUCKETS), tf.float32)
        model = self._model
        self._scores = tf.function(lambda bags: model(bags, training=False), input_signature=[rows])

    def fit(
        self, texts: Sequence[str], targets: Sequence[int], epochs: int, batch: int = 32
    ) -> float:
        """Trains on all texts `epochs` times in a fixed order; returns the last mean loss."""
        keras.utils.set_random_seed(0)
        with tf.device(_tf_device(self.device)):
            self._model.compile(keras.optimizers.Adam(0.02), "sparse_categorical_crossentropy")
            history = self._model.fit(
                features.bags(texts),
                np.array(targets),
                batch_size=batch,
                epochs=epochs,
                verbose=0,
            )
        return float(history.history["loss"][-1])

    def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities, one list for each text; returns when the device has really finished."""
        with tf.device(_tf_device(self.device)):
            scores: list[list[float]] = self._scores(features.bags(texts)).numpy().tolist()
        return scores

    def save(self, folder: Path) -> None:
        """Writes the layers and their weights, without the optimizer."""
        self._model.save(folder / FILE, include_optimizer=False)

    def load(self, folder: Path) -> None:
        """Reads weights that `save` wrote for as many labels."""
        with tf.device(_tf_device(self.device)):
            stored = keras.saving.load_model(folder / FILE, compile=False)
            self._model.set_weights(stored.get_weights())
