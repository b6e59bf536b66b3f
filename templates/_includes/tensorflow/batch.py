"""All that this project asks of TensorFlow and Keras. No other file imports them.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import ctypes
import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .config import Settings
from .data import Batch, Tokens
from .footprint import lstm
from .world import ALONE, World

{% include 'tensorflow/env.py' %}

import keras  # type: ignore[import-untyped]
import tensorflow as tf  # type: ignore[import-untyped]

NAME = "tensorflow"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "fp16": "its gradients vanish without loss scaling, which this backend has not: use bf16",
    "gradient_checkpointing": "Keras recomputes whole layers (keras.RematScope), and this is one",
    "distributed": "one process drives all GPUs in TensorFlow: docs/scaling.md says how",
}

footprint = lstm


{% include 'tensorflow/device.py' %}


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


class Learner:
    """A network, its optimizer, and steps of training that are the same bits when repeated."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, device: str, world: World = ALONE
    ) -> None:
        assert world.size == 1
        self._settings, self.device, self._steps = settings, device, 0
        self.precision = settings.precision
        if self.precision == "auto":
            self.precision = "fp32" if device == "cpu" else "bf16"
        seed(settings.seed, settings.deterministic)
        policy = "mixed_bfloat16" if self.precision == "bf16" else "float32"
        cudnn = {"on": True, "off": False, "auto": "auto"}[settings.fused]
        layers = keras.layers
        with tf.device(_tf_device(device)):
            self._embed = layers.Embedding(vocabulary, settings.embedding, dtype=policy)
            self._lstms = [
                layers.LSTM(
                    settings.hidden,
                    return_sequences=number + 1 < settings.layers,
                    use_cudnn=cudnn if device != "cpu" else False,
                    dtype=policy,
                )
                for number in range(settings.layers)
            ]
            self._linear = layers.Dense(labels, dtype="float32")
            self._logits(tf.zeros((1, settings.length), tf.int32), None)
            self._variables = [
                it
                for layer in (self._embed, *self._lstms, self._linear)
                for it in layer.trainable_variables
            ]
            self._optimizer = keras.optimizers.Adam(settings.learning_rate, epsilon=1e-8)
            self._optimizer.build(self._variables)
        tokens = tf.TensorSpec((None, settings.length), tf.int32)
        several = tf.TensorSpec((None,), tf.int32)
        one = tf.TensorSpec((), tf.float32)
        given = [tokens, several, several, one]
        self._slopes = tf.function(self._find_slopes, input_signature=given)
        slopes = [tf.TensorSpec(it.shape, tf.float32) for it in self._variables]
        self._update = tf.function(self._apply, input_signature=[slopes])
        self._scores = tf.function(
            lambda tokens: tf.nn.softmax(self._logits(tokens, None)), input_signature=[tokens]
        )
        self._loss = self._norm = tf.zeros(())

    def _logits(self, tokens: tf.Tensor, seeds: tf.Tensor | None) -> tf.Tensor:
        x = self._embed(tokens)
        x = self._drop(x * tf.cast(tokens[:, :, None] > 0, x.dtype), seeds, 0)  # padding is nothing
        for layer in self._lstms:
            x = layer(x)
        return self._linear(self._drop(x, seeds, 1))

    def _drop(self, x: tf.Tensor, seeds: tf.Tensor | None, number: int) -> tf.Tensor:
        rate = self._settings.dropout
        if seeds is None or not rate:
            return x
        return tf.nn.experimental.stateless_dropout(x, rate, seeds + number)

    def _find_slopes(
        self, tokens: tf.Tensor, labels: tf.Tensor, seeds: tf.Tensor, count: tf.Tensor
    ) -> tuple[tf.Tensor, list[tf.Tensor]]:
        with tf.GradientTape() as tape:
            logits = self._logits(tokens, seeds)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_sum(losses) / count
        values = [it.value for it in self._variables]
        slopes = tape.gradient(loss, values)
        return loss, [tf.convert_to_tensor(it) for it in slopes]

    def _apply(self, slopes: list[tf.Tensor]) -> tf.Tensor:
        norm = tf.linalg.global_norm(slopes)
        if self._settings.clip_norm:
            slopes, _ = tf.clip_by_global_norm(slopes, self._settings.clip_norm, norm)
        self._optimizer.apply(slopes, self._variables)
        return norm

    def stage(self, batch: Batch) -> tuple[tf.Tensor, tf.Tensor]:
        """Brings the batch to the device."""
        with tf.device(_tf_device(self.device)):
            return tf.constant(batch.tokens), tf.constant(batch.labels)

    def step(self, parts: Sequence[tuple[tf.Tensor, tf.Tensor]]) -> None:
        """One update from the mean loss over all examples of all parts."""
        count = np.float32(sum(len(labels) for _, labels in parts))
        with tf.device(_tf_device(self.device)):
            found = []
            for number, (tokens, labels) in enumerate(parts):
                # What dropout draws depends on nothing but the seed, the step and the part.
                seeds = np.array([self._settings.seed, self._steps * 4096 + 2 * number], np.int32)
                found.append(self._slopes(tokens, labels, seeds, count))
            losses, slopes = zip(*found, strict=True)
            self._loss = tf.add_n(losses)
            self._norm = self._update([tf.add_n(its) for its in zip(*slopes, strict=True)])
        self._steps += 1

    def measured(self) -> dict[str, float]:
        """Loss and size of the gradients in the last step; waits for the device."""
        return {"loss": float(self._loss), "grad_norm": float(self._norm)}

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        """Probabilities, one row for each text; returns when the device has really finished."""
        with tf.device(_tf_device(self.device)):
            scores: NDArray[np.float32] = self._scores(tokens).numpy()
        return scores

    def agree(self, wanted: bool) -> bool:
        """Whether any process of this run wants it: there is this one only."""
        return wanted

    def weights(self) -> dict[str, NDArray[Any]]:
        """What prediction needs."""
        return _arrays("weights", self._variables)

    def load_weights(self, weights: dict[str, NDArray[Any]]) -> None:
        """Takes what `weights` gave."""
        _assign("weights", self._variables, weights)

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next step depends on."""
        adam = _arrays("adam", self._optimizer.variables)
        return self.weights() | adam | {"steps": np.array(self._steps)}

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Takes what `state` gave."""
        self.load_weights(state)
        _assign("adam", self._optimizer.variables, state)
        self._steps = int(state["steps"])

    def artefacts(self) -> dict[str, bytes]:
        """Files in the framework's own format that belong beside the weights: none."""
        return {}

    def close(self) -> None:
        """Nothing is open."""


def _arrays(kind: str, variables: list[Any]) -> dict[str, NDArray[Any]]:
    return {f"{kind}/{i}": it.numpy().copy() for i, it in enumerate(variables)}


def _assign(kind: str, variables: list[Any], arrays: dict[str, NDArray[Any]]) -> None:
    for i, it in enumerate(variables):
        it.assign(arrays[f"{kind}/{i}"])
