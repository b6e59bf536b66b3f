"""All that this project asks of ONNX Runtime. No other file imports it.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
Any ONNX graph can take the place of this one: `load` reads it, `predict` feeds it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from . import features

NAME = "onnxruntime"
PRECISIONS = ("float32",)  # another one is another graph
FILE = "model.onnx"


{% include 'framework-onnxruntime/device.py' %}


{% include 'numpy/softmax.py' %}


def _graph(weights: Array) -> bytes:
    """Softmax regression as ONNX, in a version that releases of the last years read."""
    rows = helper.make_tensor_value_info("bags", TensorProto.FLOAT, ["texts", weights.shape[0]])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["texts", weights.shape[1]])
    nodes = [
        helper.make_node("MatMul", ["bags", "weights"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["scores"], axis=1),
    ]
    initial = numpy_helper.from_array(weights, "weights")
    graph = helper.make_graph(nodes, "texts", [rows], [scores], [initial])
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


class Network:
    """A text classifier: softmax regression on hashed features, trained in NumPy, run as ONNX."""

    def __init__(
        self,
        labels: int,
        device: str,
        seed: int = 0,
        precision: str = "float32",  # noqa: ARG002
    ) -> None:
        self.device = device
        self._labels = labels
        random = np.random.default_rng(seed)
        # Nearly nothing: what was never seen must not speak.
        weights = random.normal(0, 0.01, (features.BUCKETS, labels)).astype(np.float32)
        self._model = _graph(weights)
        self._session: onnxruntime.InferenceSession | None = None
        self._run = onnxruntime.RunOptions()
        if device != "cpu":
            # What a pass took is given back after it.
            self._run.add_run_config_entry(
                "memory.enable_memory_arena_shrinkage", f"gpu:{device_index(device)}"
            )

    def fit(
        self, texts: Sequence[str], targets: Sequence[int], epochs: int, batch: int = 32
    ) -> float:
        """Trains on all texts `epochs` times in a fixed order; returns the last mean loss."""
        wanted = np.eye(self._labels, dtype=np.float32)[list(targets)]
        weights = np.zeros((features.BUCKETS, self._labels), np.float32)
        weights, loss = _train(weights, features.bags(texts), wanted, epochs, batch)
        self._model, self._session = _graph(weights), None
        return loss

    def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities, one list for each text; returns when the device has really finished."""
        if self._session is None:
            self._session = start_session(self._model, self.device)
        bags = features.bags(texts)
        scores: list[list[float]] = self._session.run(["scores"], {"bags": bags}, self._run)[
            0
        ].tolist()
        return scores

    def save(self, folder: Path) -> None:
        """Writes the graph with its weights."""
        (folder / FILE).write_bytes(self._model)

    def load(self, folder: Path) -> None:
        """Reads a graph that `save` wrote for as many labels."""
        self._model, self._session = (folder / FILE).read_bytes(), None
