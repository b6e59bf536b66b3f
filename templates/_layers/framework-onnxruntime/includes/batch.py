"""All that this project asks of ONNX Runtime. No other file imports it.

ONNX Runtime predicts; the LSTM in NumPy of network.py learns, and is exported whenever its weights
change. What a backend for another framework has to have, learner.py and tests/test_backend.py say.
"""

from __future__ import annotations

import ctypes

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray

from . import network
from .data import Tokens
from .devices import pick
from .driver import device_index, total_memory
from .errors import DeviceError
from .footprint import lstm
from .profiles import functions

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
profiler = functions


{% include 'framework-onnxruntime/device.py' %}


def available(device: str) -> int | None:  # noqa: ARG001
    """Bytes of the GPU that nobody holds; None where it cannot be asked."""
    return None


class Learner(network.Learner):
    """Learns in NumPy, predicts by ONNX Runtime."""

    _session: onnxruntime.InferenceSession | None = None
    _exported: network.Array | None = None

    def predict(self, tokens: Tokens) -> NDArray[np.float32]:
        # Whatever changes the weights puts new arrays in the place of old ones.
        if self._session is None or self._exported is not self._weights["embed"]:
            self._session = start_session(network.graph(self._weights), self.device)
            self._exported = self._weights["embed"]
        scores: NDArray[np.float32] = self._session.run(["scores"], {"tokens": tokens})[0]
        return scores

    def artefacts(self) -> dict[str, bytes]:
        """The model for ONNX Runtime, wherever else it is to run."""
        return {"model.onnx": network.graph(self._weights)}
