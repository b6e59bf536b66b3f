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

from .batches import Batch
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .devices import pick
from .driver import device_index, total_memory
from .errors import DeviceError
from .footprint import Footprint, of_parameters, part_size
from .learner import Base, of_kind, under
from .logs import without_native_noise
from .world import ALONE, World

{% include 'framework-tensorflow/env.py' %}

with without_native_noise():
    import keras  # type: ignore[import-untyped]
    import tensorflow as tf  # type: ignore[import-untyped]

    from . import network

NAME = "tensorflow"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "fp16": "its gradients vanish without loss scaling, which this backend has not: use bf16",
    "compile": "each step is compiled already, by tf.function",
    "distributed": "one process drives all GPUs in TensorFlow: docs/scaling.md says how",
}

BENCH, MODES = network.BENCH, network.MODES


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


def footprint(settings: Settings, encoder: Encoder, examples: int) -> Footprint:
    """The weights by counting them; the rest as the network says."""
    variables = network.Network(settings, encoder, "fp32", "cpu").variables
    each = network.activations(settings)
    weights = sum(it.numpy().nbytes for it in variables)
    return of_parameters(weights, each and each * part_size(settings, examples))


Staged = tuple[dict[str, tf.Tensor], tf.Tensor]


class Learner(Base):
    """The network with Keras's AdamW, each step compiled."""

    def __init__(
        self, settings: Settings, encoder: Encoder, device: str, world: World = ALONE
    ) -> None:
        auto = "fp32" if device == "cpu" else "bf16"
        super().__init__(settings, encoder, device, world, auto)
        seed(settings.seed, settings.deterministic)
        with tf.device(tf_device(device)):
            self.network = network.Network(settings, encoder, self.precision, device)
            self._optimizer = keras.optimizers.AdamW(
                settings.learning_rate, weight_decay=settings.weight_decay, epsilon=1e-8
            )
            self._optimizer.build(self.network.variables)
        inputs = {name: _any_number_of(it) for name, it in encoder.inputs([]).items()}
        seeds, one = tf.TensorSpec((None,), tf.int32), tf.TensorSpec((), tf.float32)
        given = [inputs, _any_number_of(encoder.targets([])), seeds, one]
        slopes = [tf.TensorSpec(it.shape, tf.float32) for it in self.network.variables]
        self._slopes = tf.function(self.network.slopes, input_signature=given)
        self._update = tf.function(self._apply, input_signature=[slopes])
        self._scores = tf.function(self.network.predictions, input_signature=[inputs])

    def _apply(self, slopes: list[tf.Tensor]) -> tf.Tensor:
        norm = tf.linalg.global_norm(slopes)
        if self.settings.clip_norm:
            slopes, _ = tf.clip_by_global_norm(slopes, self.settings.clip_norm, norm)
        self._optimizer.apply(slopes, self.network.variables)
        return norm

    def stage(self, batch: Batch) -> Staged:
        with tf.device(tf_device(self.device)):
            inputs = {name: tf.constant(it) for name, it in batch.inputs.items()}
            return inputs, tf.constant(batch.targets)

    def step(self, parts: Sequence[Staged]) -> None:
        count = np.float32(sum(len(targets) for _, targets in parts))
        with tf.device(tf_device(self.device)):
            found = []
            for number, (inputs, targets) in enumerate(parts):
                # What dropout draws depends on nothing but the seed, the step and the part.
                mixed = self.settings.seed, self.steps * 4096 + 2 * number
                seeds = np.array([it % 2**31 for it in mixed], np.int32)
                found.append(self._slopes(inputs, targets, seeds, count))
            losses, slopes = zip(*found, strict=True)
            self.loss = tf.add_n(losses)
            self._optimizer.learning_rate.assign(self.rate)
            self.norm = self._update([tf.add_n(its) for its in zip(*slopes, strict=True)])
        self.steps += 1

    def predict(self, inputs: Arrays) -> NDArray[np.float32]:
        with tf.device(tf_device(self.device)):
            return np.asarray(self._scores(inputs).numpy())

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


def _any_number_of(array: NDArray[Any]) -> tf.TensorSpec:
    return tf.TensorSpec((None, *array.shape[1:]), array.dtype)


def _arrays(variables: list[Any]) -> Arrays:
    return {str(number): it.numpy().copy() for number, it in enumerate(variables)}


def _assign(variables: list[Any], arrays: Arrays) -> None:
    for number, it in enumerate(variables):
        it.assign(arrays[str(number)])
