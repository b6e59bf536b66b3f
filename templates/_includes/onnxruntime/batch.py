"""All that this project asks of ONNX Runtime. No other file imports it.

ONNX Runtime predicts; an LSTM in NumPy learns, and is exported as ONNX whenever its weights change.
A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import cProfile
import ctypes
import pstats
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from .config import Settings
from .data import Batch, Tokens
from .footprint import lstm
from .world import ALONE, World

NAME = "onnxruntime"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "bf16": "NumPy, which trains, has no numbers of that kind",
    "fp16": "NumPy, which trains, computes it in 32 bits: convert the exported model instead",
    "fused": "training is in NumPy, which has no fused LSTM; predictions have one",
    "layers": "this backend has one layer",
    "gradient_checkpointing": "this backend keeps all activations",
    "distributed": "this backend trains in one process",
}

footprint = lstm


{% include 'onnxruntime/device.py' %}


{% include 'device/profile.py' %}


{% include 'numpy/lstm.py' %}


{% include 'numpy/trainer.py' %}


def _graph(weights: Weights) -> bytes:
    """The network as ONNX, in a version that releases of the last years read."""
    hidden, labels = weights["linear"].shape
    bias = np.concatenate([weights["bias"], np.zeros(4 * hidden, np.float32)])
    constants = {
        "embed": weights["embed"],
        "input": weights["input"].T[None],
        "state": weights["state"].T[None],
        "bias": bias[None],
        "linear": weights["linear"],
        "shift": weights["shift"],
        "first": np.array([0]),
    }
    nodes = [
        helper.make_node("Gather", ["embed", "tokens"], ["words"]),
        helper.make_node("Transpose", ["words"], ["by_time"], perm=[1, 0, 2]),
        helper.make_node(
            "LSTM", ["by_time", "input", "state", "bias"], ["", "ends"], hidden_size=hidden
        ),
        helper.make_node("Squeeze", ["ends", "first"], ["end"]),
        helper.make_node("Gemm", ["end", "linear", "shift"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["scores"], axis=1),
    ]
    graph = helper.make_graph(
        nodes,
        "reviews",
        [helper.make_tensor_value_info("tokens", TensorProto.INT32, ["texts", "words"])],
        [helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["texts", labels])],
        [numpy_helper.from_array(np.ascontiguousarray(it), name) for name, it in constants.items()],
    )
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


class Learner(Trainer):
    """The same, and predictions by ONNX Runtime."""

    _session: onnxruntime.InferenceSession | None = None
    _exported: Array | None = None

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        """Probabilities, one row for each text; returns when the device has really finished."""
        # Whatever changes the weights puts new arrays in the place of old ones.
        if self._session is None or self._exported is not self._weights["embed"]:
            self._session = start_session(_graph(self._weights), self.device)
            self._exported = self._weights["embed"]
        scores: Array = self._session.run(["scores"], {"tokens": tokens})[0]
        return scores

    def artefacts(self) -> dict[str, bytes]:
        """The model for ONNX Runtime, wherever else it is to run."""
        return {"model.onnx": _graph(self._weights)}
