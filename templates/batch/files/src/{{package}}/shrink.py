"""Smaller models, for those who ask: weights that matter little removed, the others in 8 bits.

Works on arrays, so that it is the same for every framework. What it saves is the size of the file
and of the transfer: the weights are expanded when they are loaded. For arithmetic in 8 bits, or for
kernels that skip zeros, give the model to a runtime that has them: see docs/scaling.md.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .checkpoint import Arrays

_SCALE = "#scale"
LEAST = 256  # smaller arrays, such as biases, stay as they are


def _is_matrix(array: NDArray[np.float32]) -> bool:
    return array.ndim >= 2 and array.size >= LEAST and array.dtype.kind == "f"


def prune(arrays: Arrays, fraction: float) -> Arrays:
    """Sets this fraction of each matrix to zero: the numbers next to it."""
    pruned = dict(arrays)
    for name, array in arrays.items():
        if _is_matrix(array):
            sizes = np.abs(array)
            limit = np.quantile(sizes, fraction)
            pruned[name] = np.where(sizes < limit, np.zeros((), array.dtype), array)
    return pruned


def sparsity(arrays: Arrays) -> float:
    """The fraction of zeros in all matrices."""
    matrices = [array for array in arrays.values() if _is_matrix(array)]
    zeros = sum(int((array == 0).sum()) for array in matrices)
    return zeros / max(sum(array.size for array in matrices), 1)


def quantize(arrays: Arrays) -> Arrays:
    """Each matrix in 8 bits, with one scale for each of its rows."""
    found: Arrays = {}
    for name, array in arrays.items():
        if not _is_matrix(array):
            found[name] = array
            continue
        rows = array.reshape(len(array), -1).astype(np.float32)
        scale = np.abs(rows).max(axis=1, keepdims=True) / 127
        scale[scale == 0] = 1
        found[name] = np.rint(rows / scale).astype(np.int8).reshape(array.shape)
        found[name + _SCALE] = scale.astype(np.float32)
    return found


def expand(arrays: Arrays) -> Arrays:
    """Undoes `quantize`, but for the rounding; leaves other arrays alone."""
    found = {name: array for name, array in arrays.items() if not name.endswith(_SCALE)}
    for name, array in found.items():
        if name + _SCALE in arrays:
            rows = array.reshape(len(array), -1).astype(np.float32) * arrays[name + _SCALE]
            found[name] = rows.reshape(array.shape)
    return found
