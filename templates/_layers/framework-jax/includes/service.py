"""All that this project asks of JAX. No other file imports it.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import gc
import importlib.util
import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file, save_file

from . import features

{% include 'framework-jax/env.py' %}

import jax
from jax import numpy as jnp
from jax.extend.backend import clear_backends

NAME = "jax"
PRECISIONS = ("float32", "bfloat16")
WIDTH = 16

Weights = dict[str, jax.Array]


{% include 'framework-jax/device.py' %}


def _logits(weights: Weights, bags: jax.Array) -> jax.Array:
    return bags @ weights["embed"] @ weights["linear"] + weights["bias"]


@partial(jax.jit, static_argnames="half")
def _scores(weights: Weights, bags: jax.Array, half: bool) -> jax.Array:
    if half:
        weights = {key: value.astype(jnp.bfloat16) for key, value in weights.items()}
        bags = bags.astype(jnp.bfloat16)
    return jax.nn.softmax(_logits(weights, bags).astype(jnp.float32))


def _loss(weights: Weights, bags: jax.Array, targets: jax.Array) -> jax.Array:
    chances = jax.nn.log_softmax(_logits(weights, bags))
    return -jnp.take_along_axis(chances, targets[:, None], axis=1).mean()


@jax.jit
def _adam(
    state: tuple[Weights, Weights, Weights, jax.Array], bags: jax.Array, targets: jax.Array
) -> tuple[tuple[Weights, Weights, Weights, jax.Array], jax.Array]:
    weights, mean, square, step = state
    loss, slope = jax.value_and_grad(_loss)(weights, bags, targets)
    step = step + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slope)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, slope)
    rate = 0.02 * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    weights = jax.tree.map(
        lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), weights, mean, square
    )
    return (weights, mean, square, step), loss


class Network:
    """A text classifier: embeddings of hashed features, their mean, one linear layer."""

    def __init__(self, labels: int, device: str, seed: int = 0, precision: str = "float32") -> None:
        self.device = device
        self._half = precision == "bfloat16"
        first, second = jax.random.split(jax.random.key(seed))
        # Nearly nothing: what was never seen must not speak.
        self._weights = self._put(
            {
                "embed": 0.01 * jax.random.normal(first, (features.BUCKETS, WIDTH)),
                "linear": jax.random.normal(second, (WIDTH, labels)) / WIDTH**0.5,
                "bias": jnp.zeros(labels),
            }
        )

    def _put(self, weights: Weights) -> Weights:
        put: Weights = jax.device_put(weights, _jax_device(self.device))
        return put

    def fit(
        self, texts: Sequence[str], targets: Sequence[int], epochs: int, batch: int = 32
    ) -> float:
        """Trains on all texts `epochs` times in a fixed order; returns the last mean loss."""
        order = np.random.default_rng(0)
        bags, wanted = features.bags(texts), np.array(targets, np.int32)
        zeros = jax.tree.map(jnp.zeros_like, self._weights)
        state = (self._weights, zeros, zeros, jnp.zeros(()))
        total = 0.0
        for _ in range(epochs):
            total = 0.0
            shuffled = order.permutation(len(texts))
            for start in range(0, len(texts), batch):
                chosen = shuffled[start : start + batch]
                state, loss = _adam(state, bags[chosen], wanted[chosen])
                total += float(loss) * len(chosen)
        self._weights = state[0]
        return total / max(len(texts), 1)

    def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities, one list for each text; returns when the device has really finished."""
        # Compiled once for each number of rows: so there are only few of them.
        rows = 1 << (len(texts) - 1).bit_length()
        bags = np.zeros((rows, features.BUCKETS), np.float32)
        bags[: len(texts)] = features.bags(texts)
        scores = _scores(self._weights, jax.device_put(bags, _jax_device(self.device)), self._half)
        found: list[list[float]] = np.asarray(scores)[: len(texts)].tolist()
        return found

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors: plain numbers, no code."""
        state = {key: np.array(value) for key, value in self._weights.items()}
        save_file(state, folder / "weights.safetensors")

    def load(self, folder: Path) -> None:
        """Reads weights that `save` wrote for as many labels."""
        state = load_file(folder / "weights.safetensors")
        self._weights = self._put({key: jnp.asarray(value) for key, value in state.items()})
