"""The model: put your own in its place. It takes and answers what schemas.py says.

`load` reads any ONNX graph, and `predict` feeds it.
`Network` needs `fit` only where this project trains it, and `predict`, `save` and `load` always;
tests/test_backend.py says what they promise. What devices are there is in devices.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from . import features, labels
from .devices import device_index, start_session
from .schemas import Instance, Prediction, Target

# What it can compute in, and how far its answers may then be from those where it was trained.
PRECISIONS = {"float32": 1e-3}  # another one is another graph
# What `load` looks for, and `import` too.
FILES = ("model.onnx",)
BATCH = 32


{% include 'numpy/softmax.py' %}


def _graph(weights: Array) -> bytes:
    """Softmax regression as ONNX, in a version that releases of the last years read."""
    rows = helper.make_tensor_value_info("bags", TensorProto.FLOAT, ["rows", weights.shape[0]])
    scores = helper.make_tensor_value_info("scores", TensorProto.FLOAT, ["rows", weights.shape[1]])
    nodes = [
        helper.make_node("MatMul", ["bags", "weights"], ["logits"]),
        helper.make_node("Softmax", ["logits"], ["scores"], axis=1),
    ]
    initial = numpy_helper.from_array(weights, "weights")
    graph = helper.make_graph(nodes, "classifier", [rows], [scores], [initial])
    opset = helper.make_opsetid("", 17)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    return bytes(model.SerializeToString())


class Network:
    """A text classifier: softmax regression on hashed features, trained in NumPy, run as ONNX."""

    def __init__(
        self,
        device: str,
        precision: str = "float32",  # noqa: ARG002
    ) -> None:
        self.device = device
        self._labels: list[str] = []
        self._model = b""
        self._session: onnxruntime.InferenceSession | None = None
        self._run = onnxruntime.RunOptions()
        if device != "cpu":
            # What a pass took is given back after it.
            self._run.add_run_config_entry(
                "memory.enable_memory_arena_shrinkage", f"gpu:{device_index(device)}"
            )

    def fit(self, instances: Sequence[Instance], targets: Sequence[Target], epochs: int) -> float:
        """Trains on all instances `epochs` times in a fixed order; returns the last mean loss."""
        self._labels = labels.find(targets)
        numbers = [self._labels.index(target) for target in targets]
        wanted = np.eye(len(self._labels), dtype=np.float32)[numbers]
        # Nothing: what was never seen must not speak.
        weights = np.zeros((features.BUCKETS, len(self._labels)), np.float32)
        weights, loss = _train(weights, features.bags(instances), wanted, epochs, BATCH)
        self._model, self._session = _graph(weights), None
        return loss

    def predict(self, instances: Sequence[Instance]) -> list[Prediction]:
        """One answer to each instance; returns when the device has really finished."""
        if self._session is None:
            self._session = start_session(self._model, self.device)
        bags = features.bags(instances)
        scores = self._session.run(["scores"], {"bags": bags}, self._run)[0]
        return [Prediction.of(self._labels, row) for row in scores.tolist()]

    def save(self, folder: Path) -> None:
        """Writes the graph with its weights."""
        (folder / FILES[0]).write_bytes(self._model)
        labels.save(self._labels, folder)

    def load(self, folder: Path) -> None:
        """Reads what `save` wrote."""
        self._model, self._session = (folder / FILES[0]).read_bytes(), None
        self._labels = labels.load(folder)
