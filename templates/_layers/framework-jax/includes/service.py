"""The model: put your own in its place. It takes and answers what schemas.py says.

`Network` needs `fit` only where this project trains it, and `predict`, `save` and `load` always;
tests/test_backend.py says what they promise. What devices are there is in devices.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import jax
import numpy as np
from jax import numpy as jnp
from safetensors.numpy import load_file, save_file

from . import features, labels
from .devices import jax_device
from .schemas import Instance, Prediction, Target

# What it can compute in, and how far its answers may then be from those where it was trained.
PRECISIONS = {"float32": 1e-3, "bfloat16": 5e-2}
# What `load` looks for, and `import` too.
FILES = ("weights.safetensors",)
BATCH = 32
WIDTH = 16

Weights = dict[str, jax.Array]


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

    def __init__(self, device: str, precision: str = "float32") -> None:
        self.device = device
        self._half = precision == "bfloat16"
        self._labels: list[str] = []
        self._weights: Weights = {}

    def _put(self, weights: Weights) -> Weights:
        put: Weights = jax.device_put(weights, jax_device(self.device))
        return put

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Trains on all instances `epochs` times in a fixed order; returns the last mean loss."""
        self._labels = labels.find(targets)
        first, second = jax.random.split(jax.random.key(0))
        fresh = {
            # Nearly nothing: what was never seen must not speak.
            "embed": 0.01 * jax.random.normal(first, (features.BUCKETS, WIDTH)),
            "linear": jax.random.normal(second, (WIDTH, len(self._labels))) / WIDTH**0.5,
            "bias": jnp.zeros(len(self._labels)),
        }
        order = np.random.default_rng(0)
        bags = features.bags(instances)
        wanted = np.array([self._labels.index(target) for target in targets], np.int32)
        weights = self._put(fresh)
        zeros = jax.tree.map(jnp.zeros_like, weights)
        state = (weights, zeros, zeros, jnp.zeros(()))
        total = 0.0
        for _ in range(epochs):
            total = 0.0
            shuffled = order.permutation(len(instances))
            for start in range(0, len(instances), BATCH):
                chosen = shuffled[start : start + BATCH]
                state, loss = _adam(state, bags[chosen], wanted[chosen])
                total += float(loss) * len(chosen)
        self._weights = state[0]
        return total / len(instances)

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance; returns when the device has really finished."""
        # Compiled once for each number of rows: so there are only few of them.
        size = 1 << (len(instances) - 1).bit_length()
        bags = np.zeros((size, features.BUCKETS), np.float32)
        bags[: len(instances)] = features.bags(instances)
        scores = _scores(self._weights, jax.device_put(bags, jax_device(self.device)), self._half)
        rows = np.asarray(scores)[: len(instances)].tolist()
        return [Prediction.of(self._labels, row) for row in rows]

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors: plain numbers, no code."""
        state = {key: np.array(value) for key, value in self._weights.items()}
        save_file(state, folder / FILES[0])
        labels.save(self._labels, folder)

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        state = load_file(folder / FILES[0])
        self._weights = self._put({key: jnp.asarray(value) for key, value in state.items()})
        self._labels = labels.load(folder)
