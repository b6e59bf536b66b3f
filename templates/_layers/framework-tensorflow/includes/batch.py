"""All that this project asks of TensorFlow and Keras. Only network.py imports them too.

What a backend for another framework has to have, learner.py and tests/test_backend.py say.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checkpoint import Arrays
from .config import Settings
from .data import Batch, Tokens
from .devices import pick
from .driver import device_index, total_memory
from .errors import DeviceError
from .footprint import lstm
from .learner import Base, of_kind, under
from .world import ALONE, World

{% include 'framework-tensorflow/env.py' %}

import keras  # type: ignore[import-untyped]
import tensorflow as tf  # type: ignore[import-untyped]

from .network import Network

NAME = "tensorflow"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "fp16": "its gradients vanish without loss scaling, which this backend has not: use bf16",
    "gradient_checkpointing": "Keras recomputes whole layers (keras.RematScope), and this is one",
    "distributed": "one process drives all GPUs in TensorFlow: docs/scaling.md says how",
}

footprint = lstm


{% include 'framework-tensorflow/device.py' %}


def available(device: str) -> int | None:  # noqa: ARG001
    """Bytes of the GPU that nobody holds; TensorFlow cannot say."""
    return None


@contextmanager
def profiler(out: Path) -> Iterator[None]:
    """Writes what the block did, for XProf (TensorBoard's profile page)."""
    tf.profiler.experimental.start(str(out))
    try:
        yield
    finally:
        tf.profiler.experimental.stop()


class Learner(Base):
    """The network with Keras's Adam, each step compiled."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, device: str, world: World = ALONE
    ) -> None:
        super().__init__(settings, device, world, auto="fp32" if device == "cpu" else "bf16")
        seed(settings.seed, settings.deterministic)
        with tf.device(_tf_device(device)):
            self.network = Network(settings, vocabulary, labels, self.precision, device)
            self._optimizer = keras.optimizers.Adam(settings.learning_rate, epsilon=1e-8)
            self._optimizer.build(self.network.variables)
        tokens = tf.TensorSpec((None, settings.length), tf.int32)
        several, one = tf.TensorSpec((None,), tf.int32), tf.TensorSpec((), tf.float32)
        given = [tokens, several, several, one]
        slopes = [tf.TensorSpec(it.shape, tf.float32) for it in self.network.variables]
        self._slopes = tf.function(self.network.slopes, input_signature=given)
        self._update = tf.function(self._apply, input_signature=[slopes])
        self._scores = tf.function(self.network.scores, input_signature=[tokens])

    def _apply(self, slopes: list[tf.Tensor]) -> tf.Tensor:
        norm = tf.linalg.global_norm(slopes)
        if self.settings.clip_norm:
            slopes, _ = tf.clip_by_global_norm(slopes, self.settings.clip_norm, norm)
        self._optimizer.apply(slopes, self.network.variables)
        return norm

    def stage(self, batch: Batch) -> tuple[tf.Tensor, tf.Tensor]:
        with tf.device(_tf_device(self.device)):
            return tf.constant(batch.tokens), tf.constant(batch.labels)

    def step(self, parts: Sequence[tuple[tf.Tensor, tf.Tensor]]) -> None:
        count = np.float32(sum(len(labels) for _, labels in parts))
        with tf.device(_tf_device(self.device)):
            found = []
            for number, (tokens, labels) in enumerate(parts):
                # What dropout draws depends on nothing but the seed, the step and the part.
                seeds = np.array([self.settings.seed, self.steps * 4096 + 2 * number], np.int32)
                found.append(self._slopes(tokens, labels, seeds, count))
            losses, slopes = zip(*found, strict=True)
            self.loss = tf.add_n(losses)
            self.norm = self._update([tf.add_n(its) for its in zip(*slopes, strict=True)])
        self.steps += 1

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        with tf.device(_tf_device(self.device)):
            return np.asarray(self._scores(tokens).numpy())

    def weights(self) -> Arrays:
        return under("weights", _arrays(self.network.variables))

    def load_weights(self, weights: Arrays) -> None:
        _assign(self.network.variables, of_kind("weights", weights))

    def state(self) -> Arrays:
        adam = under("adam", _arrays(self._optimizer.variables))
        return self.weights() | adam | {"steps": np.array(self.steps)}

    def load_state(self, state: Arrays) -> None:
        self.load_weights(state)
        _assign(self._optimizer.variables, of_kind("adam", state))
        self.steps = int(state["steps"])


def _arrays(variables: list[Any]) -> Arrays:
    return {str(number): it.numpy().copy() for number, it in enumerate(variables)}


def _assign(variables: list[Any], arrays: Arrays) -> None:
    for number, it in enumerate(variables):
        it.assign(arrays[str(number)])
