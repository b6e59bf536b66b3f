"""All that this project asks of ONNX Runtime. No other file imports it.

ONNX Runtime predicts; the LSTM in NumPy of network.py learns, and is exported whenever its weights
change. What a backend for another framework has to have, learner.py and tests/test_backend.py say.
"""

from __future__ import annotations

import ctypes
import os

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from . import network
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .devices import pick
from .driver import device_index, total_memory
from .errors import DeviceError
from .footprint import Footprint, of_parameters, part_size
from .profiles import functions

NAME = "onnxruntime"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "bf16": "NumPy, which trains, has no numbers of that kind",
    "fp16": "NumPy, which trains, computes it in 32 bits: convert the exported model instead",
    "compile": "NumPy has no compiler",
    "distributed": "this backend trains in one process",
}

profiler = functions

BENCH, MODES = network.BENCH, network.MODES


{% include 'framework-onnxruntime/device.py' %}


# NumPy is older here than the settings, which say how many threads there should be.
threadpool_limits(int(os.environ.get("OMP_NUM_THREADS", "1")))


def available(device: str) -> int | None:  # noqa: ARG001
    """Bytes of the GPU that nobody holds; None where it cannot be asked."""
    return None


def footprint(settings: Settings, encoder: Encoder, examples: int) -> Footprint:
    """The weights by counting them; the rest as the network says."""
    weights = sum(it.nbytes for it in network.fresh(settings, encoder).values())
    each = network.activations(settings)
    return of_parameters(weights, each and each * part_size(settings, examples))


class Learner(network.Learner):
    """Learns in NumPy, predicts by ONNX Runtime."""

    _session: onnxruntime.InferenceSession | None = None
    _exported: network.Array | None = None

    def predict(self, inputs: Arrays) -> NDArray[np.float32]:
        # Whatever changes the weights puts new arrays in the place of old ones.
        first = next(iter(self._weights.values()))
        if self._session is None or self._exported is not first:
            self._session = start_session(network.graph(self._weights), self.device)
            self._exported = first
        found: NDArray[np.float32] = self._session.run(None, inputs)[0]
        return found

    def artefacts(self) -> dict[str, bytes]:
        """The model for ONNX Runtime, wherever else it is to run."""
        return {"model.onnx": network.graph(self._weights)}
