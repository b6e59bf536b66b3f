"""All that this project asks of JAX. No other file imports it.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import gc
import importlib.util
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .config import Settings
from .data import Batch, Tokens
from .footprint import lstm
from .world import ALONE, World

{% include 'jax/env.py' %}

import jax
from jax import numpy as jnp
from jax.extend.backend import clear_backends

NAME = "jax"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "fp16": "its gradients vanish without loss scaling, which this backend has not: use bf16",
    "fused": "XLA compiles the scan over the words whole; cuDNN's LSTM is not used",
    "distributed": "one process drives all GPUs in JAX: docs/scaling.md says how",
}

footprint = lstm

Weights = dict[str, jax.Array]
State = tuple[Weights, Weights, Weights]


class Shape(NamedTuple):
    """What of the settings is compiled in."""

    layers: int
    dropout: float
    half: bool
    again: bool
    clip_norm: float
    learning_rate: float


{% include 'jax/device.py' %}


def available(device: str) -> int | None:
    """Bytes of the GPU that this process may still take; None where it cannot be asked."""
    held, limit = memory(device)
    return limit - held if limit else None


@contextmanager
def profiler(out: Path) -> Iterator[None]:
    """Writes what the block did, for XProf (TensorBoard's profile page) and Perfetto."""
    with jax.profiler.trace(out, create_perfetto_trace=True):
        yield


def _fresh(settings: Settings, vocabulary: int, labels: int) -> dict[str, NDArray[np.float32]]:
    source = np.random.default_rng(settings.seed)
    hidden = settings.hidden

    def spread(*shape: int) -> NDArray[np.float32]:
        return source.uniform(-(hidden**-0.5), hidden**-0.5, shape).astype(np.float32)

    embed = source.normal(size=(vocabulary, settings.embedding)).astype(np.float32)
    found = {"embed": embed, "linear": spread(hidden, labels), "shift": spread(labels)}
    for layer in range(settings.layers):
        width = hidden if layer else settings.embedding
        found[f"input{layer}"] = spread(width, 4 * hidden)
        found[f"state{layer}"] = spread(hidden, 4 * hidden)
        found[f"bias{layer}"] = spread(4 * hidden)
    return found


def _drop(x: jax.Array, rate: float, key: jax.Array) -> jax.Array:
    kept = jax.random.bernoulli(key, 1 - rate, x.shape)
    return jnp.where(kept, x / (1 - rate), jnp.zeros((), x.dtype))


def _logits(w: Weights, tokens: jax.Array, shape: Shape, key: jax.Array | None) -> jax.Array:
    if shape.half:
        w = {name: it.astype(jnp.bfloat16) for name, it in w.items()}
    # By time, then text. Padding is nothing.
    x = w["embed"][tokens.T] * (tokens.T > 0)[:, :, None].astype(w["embed"].dtype)
    keys = None if key is None or not shape.dropout else jax.random.split(key)
    if keys is not None:
        x = _drop(x, shape.dropout, keys[0])
    for layer in range(shape.layers):

        def cell(
            carry: tuple[jax.Array, jax.Array], gates: jax.Array, layer: int = layer
        ) -> tuple[tuple[jax.Array, jax.Array], jax.Array]:
            h, c = carry
            enter, leave, forget, new = jnp.split(gates + h @ w[f"state{layer}"], 4, axis=1)
            c = jax.nn.sigmoid(forget) * c + jax.nn.sigmoid(enter) * jnp.tanh(new)
            h = jax.nn.sigmoid(leave) * jnp.tanh(c)
            return (h, c), h

        zero = jnp.zeros((x.shape[1], len(w[f"state{layer}"])), x.dtype)
        step = jax.checkpoint(cell) if shape.again else cell
        _, x = jax.lax.scan(step, (zero, zero), x @ w[f"input{layer}"] + w[f"bias{layer}"])
    last = x[-1] if keys is None else _drop(x[-1], shape.dropout, keys[1])
    return (last @ w["linear"] + w["shift"]).astype(jnp.float32)


@partial(jax.jit, static_argnames="shape")
def _slopes(
    w: Weights, tokens: jax.Array, labels: jax.Array, seeds: jax.Array, count: int, shape: Shape
) -> tuple[jax.Array, Weights]:
    key = jax.random.fold_in(jax.random.fold_in(jax.random.key(seeds[0]), seeds[1]), seeds[2])

    def loss(w: Weights) -> jax.Array:
        chances = jax.nn.log_softmax(_logits(w, tokens, shape, key))
        return -jnp.take_along_axis(chances, labels[:, None], axis=1).sum() / count

    return jax.value_and_grad(loss)(w)


@partial(jax.jit, static_argnames="shape", donate_argnums=0)
def _adam(state: State, slopes: Weights, step: jax.Array, shape: Shape) -> tuple[State, jax.Array]:
    norm = jnp.sqrt(sum(jnp.square(it).sum() for it in jax.tree.leaves(slopes)))
    if shape.clip_norm:
        scale = jnp.minimum(1.0, shape.clip_norm / jnp.maximum(norm, 1e-30))
        slopes = jax.tree.map(lambda it: it * scale, slopes)
    weights, mean, square = state
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, slopes)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, square, slopes)
    rate = shape.learning_rate * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    weights = jax.tree.map(
        lambda w, m, s: w - rate * m / (jnp.sqrt(s) + 1e-8), weights, mean, square
    )
    return (weights, mean, square), norm


@partial(jax.jit, static_argnames="shape")
def _scores(w: Weights, tokens: jax.Array, shape: Shape) -> jax.Array:
    return jax.nn.softmax(_logits(w, tokens, shape, None))


class Learner:
    """A network, its optimizer, and steps of training that are the same bits when repeated."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, device: str, world: World = ALONE
    ) -> None:
        assert world.size == 1
        self.device, self._seed, self._steps = device, settings.seed, 0
        self.precision = settings.precision
        if self.precision == "auto":
            self.precision = "fp32" if device == "cpu" else "bf16"
        self._shape = Shape(
            settings.layers,
            settings.dropout,
            self.precision == "bf16",
            settings.gradient_checkpointing,
            settings.clip_norm,
            settings.learning_rate,
        )
        weights = _fresh(settings, vocabulary, labels)
        zeros = {name: np.zeros_like(it) for name, it in weights.items()}
        self._state: State = self._put((weights, zeros, zeros))
        self._loss = self._norm = jnp.zeros(())

    def _put(self, tree: Any) -> Any:
        # A copy: on the CPU, JAX may otherwise use the memory of NumPy's array.
        there = _jax_device(self.device)
        return jax.tree.map(lambda it: jax.device_put(np.array(it), there), tree)

    def stage(self, batch: Batch) -> tuple[jax.Array, jax.Array]:
        """Starts the batch's way to the device: JAX does not wait."""
        there = _jax_device(self.device)
        return jax.device_put(batch.tokens, there), jax.device_put(batch.labels, there)

    def step(self, parts: Sequence[tuple[jax.Array, jax.Array]]) -> None:
        """One update from the mean loss over all examples of all parts."""
        count = sum(len(labels) for _, labels in parts)
        found = []
        for number, (tokens, labels) in enumerate(parts):
            seeds = np.array([self._seed, self._steps, number], np.uint32)
            found.append(_slopes(self._state[0], tokens, labels, seeds, count, self._shape))
        losses, slopes = zip(*found, strict=True)
        total = slopes[0] if len(slopes) == 1 else jax.tree.map(lambda *its: sum(its), *slopes)
        self._steps += 1
        self._state, self._norm = _adam(self._state, total, np.float32(self._steps), self._shape)
        self._loss = sum(losses[1:], losses[0])

    def measured(self) -> dict[str, float]:
        """Loss and size of the gradients in the last step; waits for the device."""
        return {"loss": float(self._loss), "grad_norm": float(self._norm)}

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        """Probabilities, one row for each text; returns when the device has really finished."""
        # Sizes are powers of two: each is compiled once.
        rows = np.zeros((1 << (len(tokens) - 1).bit_length(), tokens.shape[1]), np.int32)
        rows[: len(tokens)] = tokens
        there = jax.device_put(rows, _jax_device(self.device))
        return np.asarray(_scores(self._state[0], there, self._shape))[: len(tokens)]

    def agree(self, wanted: bool) -> bool:
        """Whether any process of this run wants it: there is this one only."""
        return wanted

    def weights(self) -> dict[str, NDArray[Any]]:
        """What prediction needs."""
        return {name: np.array(it) for name, it in self._state[0].items()}

    def load_weights(self, weights: dict[str, NDArray[Any]]) -> None:
        """Takes what `weights` gave."""
        self._state = (self._put(weights), *self._state[1:])

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next step depends on."""
        found: dict[str, NDArray[Any]] = {"steps": np.array(self._steps)}
        for kind, arrays in zip(("weights", "mean", "square"), self._state, strict=True):
            found |= {f"{kind}/{name}": np.array(it) for name, it in arrays.items()}
        return found

    def load_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Takes what `state` gave."""
        kinds = ("weights", "mean", "square")
        names = self._state[0]
        self._state = self._put(tuple({n: state[f"{kind}/{n}"] for n in names} for kind in kinds))
        self._steps = int(state["steps"])

    def artefacts(self) -> dict[str, bytes]:
        """Files in the framework's own format that belong beside the weights: none."""
        return {}

    def close(self) -> None:
        """Nothing is open."""
