"""All that this project asks of JAX. Only network.py imports it too.

What a backend for another framework has to have, learner.py and tests/test_backend.py say.
"""

from __future__ import annotations

import gc
import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .checkpoint import Arrays
from .config import Settings
from .data import Batch, Tokens
from .devices import pick
from .footprint import lstm
from .learner import Base, of_kind, under
from .world import ALONE, World

{% include 'framework-jax/env.py' %}

import jax
from jax import numpy as jnp
from jax.extend.backend import clear_backends

from .network import Shape, Weights, fresh, scores, slopes

NAME = "jax"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "fp16": "its gradients vanish without loss scaling, which this backend has not: use bf16",
    "fused": "XLA compiles the scan over the words whole; cuDNN's LSTM is not used",
    "distributed": "one process drives all GPUs in JAX: docs/scaling.md says how",
}

footprint = lstm


{% include 'framework-jax/device.py' %}


def available(device: str) -> int | None:
    """Bytes of the GPU that this process may still take; None where it cannot be asked."""
    held, limit = memory(device)
    return limit - held if limit else None


@contextmanager
def profiler(out: Path) -> Iterator[None]:
    """Writes what the block did, for XProf (TensorBoard's profile page) and Perfetto."""
    with jax.profiler.trace(out, create_perfetto_trace=True):
        yield


KINDS = ("weights", "mean", "square")
State = tuple[Weights, Weights, Weights]


@partial(jax.jit, static_argnames=("limit", "rate"), donate_argnums=0)
def _adam(
    state: State, slopes: Weights, step: jax.Array, limit: float, rate: float
) -> tuple[State, jax.Array]:
    norm = jnp.sqrt(sum(jnp.square(it).sum() for it in jax.tree.leaves(slopes)))
    if limit:
        scale = jnp.minimum(1.0, limit / jnp.maximum(norm, 1e-30))
        slopes = jax.tree.map(lambda it: it * scale, slopes)
    weights, mean, square = state
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slopes)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, slopes)
    now = rate * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    weights = jax.tree.map(
        lambda w, m, s: w - now * m / (jnp.sqrt(s) + 1e-8), weights, mean, square
    )
    return (weights, mean, square), norm


class Learner(Base):
    """The network with Adam, each step compiled."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, device: str, world: World = ALONE
    ) -> None:
        super().__init__(settings, device, world, auto="fp32" if device == "cpu" else "bf16")
        half, again = self.precision == "bf16", settings.gradient_checkpointing
        self._shape = Shape(settings.layers, settings.dropout, half, again)
        weights = fresh(settings, vocabulary, labels)
        zeros = {name: np.zeros_like(it) for name, it in weights.items()}
        self._state: State = self._put((weights, zeros, zeros))

    def _put(self, tree: Any) -> Any:
        # A copy: on the CPU, JAX may otherwise use the memory of NumPy's array.
        there = _jax_device(self.device)
        return jax.tree.map(lambda it: jax.device_put(np.array(it), there), tree)

    def stage(self, batch: Batch) -> tuple[jax.Array, jax.Array]:
        """Starts the batch's way to the device: JAX does not wait."""
        there = _jax_device(self.device)
        return jax.device_put(batch.tokens, there), jax.device_put(batch.labels, there)

    def step(self, parts: Sequence[tuple[jax.Array, jax.Array]]) -> None:
        count = sum(len(labels) for _, labels in parts)
        found = []
        for number, (tokens, labels) in enumerate(parts):
            seeds = np.array([self.settings.seed, self.steps, number], np.uint32)
            found.append(slopes(self._state[0], tokens, labels, seeds, count, self._shape))
        losses, each = zip(*found, strict=True)
        total = each[0] if len(each) == 1 else jax.tree.map(lambda *its: sum(its), *each)
        self.steps += 1
        limit, rate = self.settings.clip_norm, self.settings.learning_rate
        self._state, self.norm = _adam(self._state, total, np.float32(self.steps), limit, rate)
        self.loss = sum(losses[1:], losses[0])

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        # Sizes are powers of two: each is compiled once.
        rows = np.zeros((1 << (len(tokens) - 1).bit_length(), tokens.shape[1]), np.int32)
        rows[: len(tokens)] = tokens
        there = jax.device_put(rows, _jax_device(self.device))
        return np.asarray(scores(self._state[0], there, self._shape))[: len(tokens)]

    def weights(self) -> Arrays:
        return {name: np.array(it) for name, it in self._state[0].items()}

    def load_weights(self, weights: Arrays) -> None:
        self._state = (self._put(weights), *self._state[1:])

    def state(self) -> Arrays:
        found: Arrays = {"steps": np.array(self.steps)}
        for kind, arrays in zip(KINDS, self._state, strict=True):
            found |= under(kind, {name: np.array(it) for name, it in arrays.items()})
        return found

    def load_state(self, state: Arrays) -> None:
        self._state = self._put(tuple(of_kind(kind, state) for kind in KINDS))
        self.steps = int(state["steps"])
