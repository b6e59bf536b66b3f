"""The operations agree with a few lines of NumPy, whatever arrays they are given."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from array_api_compat import array_namespace, is_cupy_array

from pytorch_library import topk_cosine

SEED = 20260101


def inputs(m, n, d):
    rng = np.random.default_rng(SEED)
    return [rng.standard_normal((rows, d), dtype=np.float32) for rows in (m, n)]


# For `make bench` and tests/test_devices.py: an operation, what makes its arrays, its other
# arguments. The first is small.
CASES = {
    f"topk_cosine, {m} rows in {n}, width {d}": (topk_cosine, partial(inputs, m, n, d), {"k": 10})
    for m, n, d in [(20, 500, 16), (100, 10_000, 128), (1_000, 100_000, 128), (1_000, 100_000, 768)]
}


def to_numpy(array):
    return array.get() if is_cupy_array(array) else np.asarray(array)


def expected(a, b, k):
    """All similarities, all sorted: right, and far too much work."""
    lengths = np.linalg.norm(a, axis=1)[:, None] * np.linalg.norm(b, axis=1)[None, :]
    scores = np.where(lengths > 0, (a @ b.T) / np.where(lengths > 0, lengths, 1), 0)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(scores, order, axis=1), order


def check(xp, a, b, k, **more):
    found = topk_cosine(xp.asarray(a), xp.asarray(b), k, **more)
    values, indices = to_numpy(found.values), to_numpy(found.indices)
    wanted, order = expected(a.astype(np.float64), b.astype(np.float64), k)
    np.testing.assert_allclose(values, wanted, atol=2e-3 if a.dtype == np.float16 else 1e-5)
    np.testing.assert_array_equal(indices, order)


@pytest.fixture
def rng():
    return np.random.default_rng(SEED)


@pytest.mark.parametrize("shape", [(1, 1, 1), (7, 50, 3), (50, 7, 16), (33, 65, 8)])
@pytest.mark.parametrize("part", [1, 0.5, 0])
def test_agrees_with_numpy_at_every_k(xp, rng, shape, part):
    m, n, d = shape
    if d == 1:
        a, b = np.ones((m, d), np.float32), np.ones((n, d), np.float32)
    else:
        a, b = rng.normal(size=(m, d)).astype("f4"), rng.normal(size=(n, d)).astype("f4")
    check(xp, a, b, max(1, round(part * n)))


@pytest.mark.parametrize("budget", [1, 100, 1000, 10_000, 10**9])
def test_the_memory_budget_changes_nothing_but_the_blocks(xp, rng, budget):
    a, b = rng.normal(size=(23, 5)).astype("f4"), rng.normal(size=(57, 5)).astype("f4")
    check(xp, a, b, 4, memory_budget=budget)


@pytest.mark.parametrize("scale", [1e-30, 1e30])
def test_neither_great_nor_small_numbers_overflow(xp, rng, scale):
    a = (rng.normal(size=(5, 4)) * scale).astype("f4")
    check(xp, a, a, 1)


def test_half_precision_stays_half(xp):
    if xp.__name__ == "array_api_strict":
        pytest.skip("the standard has no float16")
    a = xp.asarray(np.eye(4, dtype=np.float16))
    found = topk_cosine(a, a, 1)
    assert found.values.dtype == a.dtype
    assert to_numpy(found.indices)[:, 0].tolist() == [0, 1, 2, 3]


def test_integers_are_computed_as_floating_point(xp):
    a, b = xp.asarray(np.array([[3, 4]])), xp.asarray(np.array([[0, -1], [0, 0], [6, 8]]))
    found = topk_cosine(a, b, 3)
    np.testing.assert_allclose(to_numpy(found.values), [[1, 0, -0.8]], atol=1e-6)
    assert to_numpy(found.indices).tolist() == [[2, 1, 0]]


def test_no_rows_find_nothing(xp):
    found = topk_cosine(xp.asarray(np.ones((0, 3), "f4")), xp.asarray(np.ones((4, 3), "f4")), 2)
    assert found.values.shape == found.indices.shape == (0, 2)


def test_what_comes_in_decides_what_comes_out(xp):
    a = xp.asarray(np.eye(3, dtype=np.float32))
    found = topk_cosine(a, a, 2)
    assert array_namespace(found.values, found.indices) is array_namespace(a)
    assert found.values.dtype == a.dtype


@pytest.mark.parametrize(
    ("a", "b", "k", "says"),
    [
        ((3, 2), (3, 3), 1, "shapes"),
        ((3,), (3, 3), 1, "shapes"),
        ((3, 0), (3, 0), 1, "direction"),
        ((3, 2), (3, 2), 0, "k is 0"),
        ((3, 2), (3, 2), 4, "k is 4"),
    ],
)
def test_what_makes_no_sense_is_refused(xp, a, b, k, says):
    with pytest.raises(ValueError, match=says):
        topk_cosine(xp.asarray(np.ones(a)), xp.asarray(np.ones(b)), k)


def test_a_budget_of_nothing_is_refused(xp):
    a = xp.asarray(np.ones((2, 2)))
    with pytest.raises(ValueError, match="memory_budget"):
        topk_cosine(a, a, 1, memory_budget=0)


def test_complex_numbers_are_refused(xp):
    a = xp.asarray(np.ones((2, 2), np.complex64))
    with pytest.raises(TypeError, match="real numbers"):
        topk_cosine(a, a, 1)


def test_blocks_keep_to_the_budget(rng):
    """Measured where memory can be measured: NumPy reports what it allocates."""
    import tracemalloc

    budget = 2**20
    a, b = rng.normal(size=(2000, 4)), rng.normal(size=(3000, 4))
    tracemalloc.start()
    topk_cosine(a, b, 5, memory_budget=budget)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The result and the unit rows come on top; all similarities would be 48 MB.
    assert peak < 3 * budget
