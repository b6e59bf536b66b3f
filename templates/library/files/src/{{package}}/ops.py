"""Operations on arrays of any namespace: NumPy, PyTorch, CuPy, JAX and what else has the array API.

What comes in decides where the work is done and what comes out: arrays of the same namespace, on
the same device. Nothing is copied to another device on the way.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from array_api_compat import array_namespace

# What users import from the package.
__all__ = ["TopK", "topk_cosine"]

# An array of any namespace. The standard's own protocol is still in the making.
Array = Any
Namespace = Any

DEFAULT_BUDGET = 256 * 2**20


class TopK(NamedTuple):
    """What was found for each row, best first."""

    values: Array
    """The similarities."""

    indices: Array
    """The rows of `b` that they belong to."""


def topk_cosine(a: Array, b: Array, k: int, *, memory_budget: int = DEFAULT_BUDGET) -> TopK:
    """For each row of `a`, the `k` rows of `b` with the greatest cosine similarity.

    `a` has the shape (m, d) and `b` (n, d); both results have (m, k). A row of zeros has the
    similarity 0 to every other; among equals the order is not defined. Integers are computed as the
    namespace's default floating-point type.

    The matrix of all similarities, m times n, is never there as a whole: blocks of it are, of
    about `memory_budget` bytes with what sorting them takes, whatever the size of `a` and `b`.

    >>> import numpy as np
    >>> rows = np.asarray([[0.0, 2.0], [3.0, 0.1], [1.0, 1.0]])
    >>> found = topk_cosine(np.asarray([[1.0, 0.0]]), rows, k=2)
    >>> found.indices.tolist(), found.values.round(2).tolist()
    ([[1, 2]], [[1.0, 0.71]])
    """
    xp = array_namespace(a, b)
    _check(a, b, k, memory_budget)
    dtype = xp.result_type(a, b)
    if not xp.isdtype(dtype, "real floating"):
        if not xp.isdtype(dtype, ("bool", "integral")):
            raise TypeError(f"real numbers are wanted, not {dtype}")
        dtype = xp.empty(0).dtype
    rows, columns = _block(a.shape[0], b.shape[0], k, memory_budget, _bytes(xp, dtype))
    a, b = _unit(xp, xp.astype(a, dtype)), _unit(xp, xp.astype(b, dtype))
    found = [
        _search(xp, a[start : min(start + rows, a.shape[0]), :], b, k, columns)
        for start in range(0, max(a.shape[0], 1), rows)
    ]
    return TopK(
        xp.concat([part.values for part in found], axis=0),
        xp.concat([part.indices for part in found], axis=0),
    )


def _check(a: Array, b: Array, k: int, memory_budget: int) -> None:
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise ValueError(f"shapes (m, d) and (n, d) are wanted, not {a.shape} and {b.shape}")
    if a.shape[1] == 0:
        raise ValueError("vectors without elements have no direction")
    if not 1 <= k <= b.shape[0]:
        raise ValueError(f"k is {k}, but must be from 1 to the {b.shape[0]} rows of b")
    if memory_budget <= 0:
        raise ValueError(f"memory_budget is {memory_budget}, but must be more than 0")


def _bytes(xp: Namespace, dtype: Any) -> int:
    return int(xp.finfo(dtype).bits) // 8


def _block(m: int, n: int, k: int, budget: int, size: int) -> tuple[int, int]:
    """Rows of `a` and of `b` whose similarities, their order and a copy of both fit the budget."""
    each = 2 * (size + 8)
    columns = max(k, min(n, budget // each))
    rows = max(1, min(m, budget // (each * columns)))
    return rows, columns


def _unit(xp: Namespace, x: Array) -> Array:
    """The rows with length 1; rows of zeros stay as they are."""
    # By the greatest value first, so that squares neither overflow nor vanish.
    greatest = xp.max(xp.abs(x), axis=1, keepdims=True)
    x = x / xp.where(greatest > 0, greatest, xp.ones_like(greatest))
    length = xp.sqrt(xp.sum(x * x, axis=1, keepdims=True))
    return x / xp.where(length > 0, length, xp.ones_like(length))


def _search(xp: Namespace, a: Array, b: Array, k: int, columns: int) -> TopK:
    """The best of all rows of `b`, a block at a time."""
    best: TopK | None = None
    for start in range(0, b.shape[0], columns):
        block = b[start : min(start + columns, b.shape[0]), :]
        values = xp.matmul(a, xp.matrix_transpose(block))
        found = _top(xp, values, min(k, block.shape[0]))
        found = TopK(found.values, found.indices + start)
        best = found if best is None else _merge(xp, best, found, k)
    assert best is not None
    return best


def _merge(xp: Namespace, one: TopK, other: TopK, k: int) -> TopK:
    values = xp.concat([one.values, other.values], axis=1)
    indices = xp.concat([one.indices, other.indices], axis=1)
    best = _top(xp, values, min(k, values.shape[1]))
    return TopK(best.values, xp.take_along_axis(indices, best.indices, axis=1))


def _top(xp: Namespace, scores: Array, k: int) -> TopK:
    """The `k` greatest of each row, best first."""
    if hasattr(xp, "topk"):  # PyTorch: far faster on a GPU than sorting all
        values, indices = xp.topk(scores, k, dim=1)
        return TopK(values, indices)
    if hasattr(xp, "argpartition") and k < scores.shape[1]:  # NumPy, CuPy, JAX
        chosen = xp.argpartition(scores, scores.shape[1] - k, axis=1)[:, -k:]
        scores = xp.take_along_axis(scores, chosen, axis=1)
    else:
        chosen = None
    order = xp.argsort(scores, axis=1, descending=True)[:, :k]
    values = xp.take_along_axis(scores, order, axis=1)
    return TopK(values, order if chosen is None else xp.take_along_axis(chosen, order, axis=1))
