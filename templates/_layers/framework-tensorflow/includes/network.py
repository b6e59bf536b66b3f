"""The network: LSTMs of Keras. Put your own in its place; backend.py trains it, whatever it is."""

from __future__ import annotations

from typing import Any

import keras  # type: ignore[import-untyped]
import tensorflow as tf  # type: ignore[import-untyped]

from .config import Settings
from .data import Encoder

# What `bench` measures: settings by name, each with each mode. The first is the one of tutorials,
# measured on the CPU too; the second fills a GPU.
BENCH: dict[str, dict[str, Any]] = {
    "tutorial": {"embedding": 128, "hidden": 128, "batch": 32, "length": 80, "examples": 25_000},
    "large": {"embedding": 512, "hidden": 1024, "batch": 512, "length": 256, "examples": 25_000},
}
MODES: dict[str, dict[str, Any]] = {"step by step": {"fused": "off"}, "fused": {"fused": "on"}}


class Network:
    """Embeddings, LSTMs, and a linear layer on the last state."""

    def __init__(self, settings: Settings, encoder: Encoder, precision: str, device: str) -> None:
        policy = "mixed_bfloat16" if precision == "bf16" else "float32"
        cudnn = {"on": True, "off": False, "auto": "auto"}[settings.fused]
        self._dropout = settings.dropout
        self._embed = keras.layers.Embedding(
            encoder.size,
            settings.embedding,
            # Keras' own start, a twentieth of this, takes epochs to get away from.
            embeddings_initializer=keras.initializers.RandomNormal(stddev=1.0),
            dtype=policy,
        )
        self._lstms = [
            keras.layers.LSTM(
                settings.hidden,
                return_sequences=number + 1 < settings.layers,
                use_cudnn=cudnn if device != "cpu" else False,
                dtype=policy,
            )
            for number in range(settings.layers)
        ]
        self._linear = keras.layers.Dense(len(encoder.labels), dtype="float32")
        self.logits({"tokens": tf.zeros((1, settings.length), tf.int32)}, None)
        layers = (self._embed, *self._lstms, self._linear)
        self.variables = [it for layer in layers for it in layer.trainable_variables]

    def logits(self, inputs: dict[str, tf.Tensor], seeds: tf.Tensor | None) -> tf.Tensor:
        """Scores of all labels; with dropout where there are seeds for it."""
        tokens = inputs["tokens"]
        x = self._embed(tokens)
        x = self._drop(x * tf.cast(tokens[:, :, None] > 0, x.dtype), seeds, 0)  # padding is nothing
        for layer in self._lstms:
            x = layer(x)
        return self._linear(self._drop(x, seeds, 1))

    def _drop(self, x: tf.Tensor, seeds: tf.Tensor | None, number: int) -> tf.Tensor:
        if seeds is None or not self._dropout:
            return x
        return tf.nn.experimental.stateless_dropout(x, self._dropout, seeds + number)

    def predictions(self, inputs: dict[str, tf.Tensor]) -> tf.Tensor:
        """What data.py calls predictions: probabilities."""
        return tf.nn.softmax(self.logits(inputs, None))

    def slopes(
        self, inputs: dict[str, tf.Tensor], targets: tf.Tensor, seeds: tf.Tensor, count: tf.Tensor
    ) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """What these items add to the mean loss over `count`, and how it slopes."""
        with tf.GradientTape() as tape:
            logits = self.logits(inputs, seeds)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)
            loss = tf.reduce_sum(losses) / count
        found = tape.gradient(loss, [it.value for it in self.variables])
        return loss, [tf.convert_to_tensor(it) for it in found]


def activations(settings: Settings) -> int | None:
    """Bytes that an item leaves behind for the way back; None where nobody knows."""
    # Of each word and layer: four gates, the cell and its tanh, the state.
    size = 2 if settings.precision == "bf16" else 4
    return size * settings.length * (settings.embedding + settings.layers * 7 * settings.hidden)
