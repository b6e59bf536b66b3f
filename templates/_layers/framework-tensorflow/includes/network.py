"""The network: LSTMs of Keras. Put your own in its place; backend.py trains it, whatever it is."""

from __future__ import annotations

import keras  # type: ignore[import-untyped]
import tensorflow as tf  # type: ignore[import-untyped]

from .config import Settings


class Network:
    """Embeddings, LSTMs, and a linear layer on the last state."""

    def __init__(
        self, settings: Settings, vocabulary: int, labels: int, precision: str, device: str
    ) -> None:
        policy = "mixed_bfloat16" if precision == "bf16" else "float32"
        cudnn = {"on": True, "off": False, "auto": "auto"}[settings.fused]
        self._dropout = settings.dropout
        self._embed = keras.layers.Embedding(vocabulary, settings.embedding, dtype=policy)
        self._lstms = [
            keras.layers.LSTM(
                settings.hidden,
                return_sequences=number + 1 < settings.layers,
                use_cudnn=cudnn if device != "cpu" else False,
                dtype=policy,
            )
            for number in range(settings.layers)
        ]
        self._linear = keras.layers.Dense(labels, dtype="float32")
        self.logits(tf.zeros((1, settings.length), tf.int32), None)
        layers = (self._embed, *self._lstms, self._linear)
        self.variables = [it for layer in layers for it in layer.trainable_variables]

    def logits(self, tokens: tf.Tensor, seeds: tf.Tensor | None) -> tf.Tensor:
        """Scores of all labels; with dropout where there are seeds for it."""
        x = self._embed(tokens)
        x = self._drop(x * tf.cast(tokens[:, :, None] > 0, x.dtype), seeds, 0)  # padding is nothing
        for layer in self._lstms:
            x = layer(x)
        return self._linear(self._drop(x, seeds, 1))

    def _drop(self, x: tf.Tensor, seeds: tf.Tensor | None, number: int) -> tf.Tensor:
        if seeds is None or not self._dropout:
            return x
        return tf.nn.experimental.stateless_dropout(x, self._dropout, seeds + number)

    def scores(self, tokens: tf.Tensor) -> tf.Tensor:
        """Probabilities."""
        return tf.nn.softmax(self.logits(tokens, None))

    def slopes(
        self, tokens: tf.Tensor, labels: tf.Tensor, seeds: tf.Tensor, count: tf.Tensor
    ) -> tuple[tf.Tensor, list[tf.Tensor]]:
        """What these texts add to the mean loss over `count`, and how it slopes."""
        with tf.GradientTape() as tape:
            logits = self.logits(tokens, seeds)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
            loss = tf.reduce_sum(losses) / count
        found = tape.gradient(loss, [it.value for it in self.variables])
        return loss, [tf.convert_to_tensor(it) for it in found]
