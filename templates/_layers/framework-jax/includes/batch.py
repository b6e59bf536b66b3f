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

from .batches import Batch
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .devices import pick
from .footprint import Footprint, of_parameters, part_size
from .learner import Base, of_kind, under
from .world import ALONE, World

{% include 'framework-jax/env.py' %}

import jax
from jax import numpy as jnp

from . import network
from .network import Shape, Weights

NAME = "jax"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "fp16": "its gradients vanish without loss scaling, which this backend has not: use bf16",
    "compile": "each step is compiled already, by XLA",
    "distributed": "one process drives all GPUs in JAX: docs/scaling.md says how",
}

BENCH, MODES = network.BENCH, network.MODES


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


@partial(jax.jit, static_argnames=("limit", "decay"), donate_argnums=0)
def _adamw(
    state: State, slopes: Weights, step: jax.Array, rate: jax.Array, limit: float, decay: float
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
        lambda w, m, s: (1 - rate * decay) * w - now * m / (jnp.sqrt(s) + 1e-8),
        weights,
        mean,
        square,
    )
    return (weights, mean, square), norm


@partial(jax.jit, static_argnames="shape")
def _slopes(
    w: Weights,
    inputs: network.Inputs,
    targets: jax.Array,
    seeds: jax.Array,
    count: int,
    shape: Shape,
) -> tuple[jax.Array, Weights]:
    """What these items add to the mean loss over `count`, and how it slopes."""
    return jax.value_and_grad(lambda w: network.loss(w, inputs, targets, seeds, shape) / count)(w)


_predictions = jax.jit(network.predictions, static_argnames="shape")


def footprint(settings: Settings, encoder: Encoder, examples: int) -> Footprint:
    """Of any network: its weights, and what one more item leaves behind for the way back."""
    weights = network.fresh(settings, encoder)
    one, two = (_kept(settings, encoder, weights, count) for count in (1, 2))
    size = sum(it.nbytes for it in weights.values())
    return of_parameters(size, (two - one) * part_size(settings, examples))


def _kept(settings: Settings, encoder: Encoder, weights: Any, count: int) -> int:
    """By shapes alone: nothing is computed."""

    def some(array: NDArray[Any]) -> Any:
        return np.zeros((count, *array.shape[1:]), array.dtype)

    inputs = {name: some(it) for name, it in encoder.inputs([]).items()}
    targets, seeds = some(encoder.targets([])), jnp.zeros(3, np.uint32)
    shape = Shape.of(settings, settings.precision == "bf16")

    def forth(w: Weights) -> Any:
        return jax.vjp(lambda w: network.loss(w, inputs, targets, seeds, shape), w)[1]

    left = jax.tree.leaves(jax.eval_shape(forth, weights))
    return sum(it.size * it.dtype.itemsize for it in left)


Staged = tuple[network.Inputs, jax.Array]


class Learner(Base):
    """The network with AdamW, each step compiled."""

    def __init__(
        self, settings: Settings, encoder: Encoder, device: str, world: World = ALONE
    ) -> None:
        auto = "fp32" if device == "cpu" else "bf16"
        super().__init__(settings, encoder, device, world, auto)
        self._shape = Shape.of(settings, self.precision == "bf16")
        weights = network.fresh(settings, encoder)
        zeros = {name: np.zeros_like(it) for name, it in weights.items()}
        self._state: State = self._put((weights, zeros, zeros))

    def _put(self, tree: Any) -> Any:
        # A copy: on the CPU, JAX may otherwise use the memory of NumPy's array.
        there = jax_device(self.device)
        return jax.tree.map(lambda it: jax.device_put(np.array(it), there), tree)

    def stage(self, batch: Batch) -> Staged:
        """Starts the batch's way to the device: JAX does not wait."""
        inputs, targets = jax.device_put((batch.inputs, batch.targets), jax_device(self.device))
        return inputs, targets

    def step(self, parts: Sequence[Staged]) -> None:
        count = sum(len(targets) for _, targets in parts)
        found = []
        for number, (inputs, targets) in enumerate(parts):
            seeds = np.array([self.settings.seed, self.steps, number], np.uint32)
            found.append(_slopes(self._state[0], inputs, targets, seeds, count, self._shape))
        losses, each = zip(*found, strict=True)
        total = each[0] if len(each) == 1 else jax.tree.map(lambda *its: sum(its), *each)
        self.steps += 1
        steps, rate = np.float32(self.steps), np.float32(self.rate)
        limit, decay = self.settings.clip_norm, self.settings.weight_decay
        self._state, self.norm = _adamw(self._state, total, steps, rate, limit, decay)
        self.loss = sum(losses[1:], losses[0])

    def predict(self, inputs: Arrays) -> NDArray[np.float32]:
        count = len(next(iter(inputs.values())))
        # Sizes are powers of two: each is compiled once.
        size = 1 << (count - 1).bit_length()
        rows = {name: np.resize(it, (size, *it.shape[1:])) for name, it in inputs.items()}
        there = jax.device_put(rows, jax_device(self.device))
        return np.asarray(_predictions(self._state[0], there, shape=self._shape))[:count]

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
