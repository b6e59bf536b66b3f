"""The network: an LSTM in NumPy, how it learns, and how it is told to ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from .batches import Batch
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .learner import Base, of_kind, under
from .world import ALONE, World

{% include 'numpy/lstm.py' %}


{% include 'numpy/trainer.py' %}


def graph(weights: Weights) -> bytes:
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
