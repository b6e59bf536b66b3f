"""What only a GPU can prove."""

from __future__ import annotations

import numpy as np
import pytest

from pytorch_library import backend, topk_cosine

pytestmark = pytest.mark.gpu


@pytest.fixture
def rows():
    rng = np.random.default_rng(20260101)
    return rng.normal(size=(200, 32)).astype("f4"), rng.normal(size=(3000, 32)).astype("f4")


@pytest.mark.parametrize("budget", [2**16, 2**28])
def test_the_gpu_answers_as_numpy_does(device, rows, budget):
    wanted = topk_cosine(*rows, 10)
    a, b = (backend.asarray(values, device) for values in rows)
    found = topk_cosine(a, b, 10, memory_budget=budget)
    # GPUs may multiply with fewer digits.
    np.testing.assert_allclose(backend.to_numpy(found.values), wanted.values, atol=5e-3)
    same = backend.to_numpy(found.indices) == wanted.indices
    assert same.mean() > 0.9


def test_nothing_leaves_the_gpu(device, rows):
    a, b = (backend.asarray(values, device) for values in rows)
    found = topk_cosine(a, b, 10)
    assert backend.device_of(found.values) == backend.device_of(found.indices) == device
