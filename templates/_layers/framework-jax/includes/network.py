"""The network: an LSTM, its scores, its loss and how that slopes. Put your own in its place."""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import numpy as np
from jax import numpy as jnp
from numpy.typing import NDArray

from .config import Settings
from .data import Encoder

Weights = dict[str, jax.Array]
Inputs = dict[str, jax.Array]

# What `bench` measures: settings by name, each with each mode. The first is the one of tutorials,
# measured on the CPU too; the second fills a GPU.
BENCH: dict[str, dict[str, Any]] = {
    "tutorial": {"embedding": 128, "hidden": 128, "batch": 32, "length": 80, "examples": 25_000},
    "large": {"embedding": 512, "hidden": 1024, "batch": 512, "length": 256, "examples": 25_000},
}
MODES: dict[str, dict[str, Any]] = {"as it is": {}}


class Shape(NamedTuple):
    """What of the settings is compiled in."""

    layers: int
    dropout: float
    half: bool
    again: bool

    @classmethod
    def of(cls, settings: Settings, half: bool) -> Shape:
        """Those of a run; `half`: computed in bfloat16."""
        return cls(settings.layers, settings.dropout, half, settings.gradient_checkpointing)


def fresh(settings: Settings, encoder: Encoder) -> dict[str, NDArray[np.float32]]:
    """Weights that have learnt nothing yet."""
    source = np.random.default_rng(settings.seed)
    hidden, labels = settings.hidden, len(encoder.labels)

    def spread(*shape: int) -> NDArray[np.float32]:
        return source.uniform(-(hidden**-0.5), hidden**-0.5, shape).astype(np.float32)

    embed = source.normal(size=(encoder.size, settings.embedding)).astype(np.float32)
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


def _logits(w: Weights, inputs: Inputs, shape: Shape, key: jax.Array | None) -> jax.Array:
    tokens = inputs["tokens"]
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


def loss(
    w: Weights, inputs: Inputs, targets: jax.Array, seeds: jax.Array, shape: Shape
) -> jax.Array:
    """The sum over all items; dropout draws by these three numbers and nothing else."""
    key = jax.random.fold_in(jax.random.fold_in(jax.random.key(seeds[0]), seeds[1]), seeds[2])
    chances = jax.nn.log_softmax(_logits(w, inputs, shape, key))
    return -jnp.take_along_axis(chances, targets[:, None], axis=1).sum()


def predictions(w: Weights, inputs: Inputs, shape: Shape) -> jax.Array:
    """What data.py calls predictions: probabilities."""
    return jax.nn.softmax(_logits(w, inputs, shape, None))
