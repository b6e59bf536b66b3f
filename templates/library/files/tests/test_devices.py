"""What comes in decides where the work is done: shown with the first case of test_ops.py."""

from __future__ import annotations

import numpy as np
import pytest
from array_api_compat import device as device_of
from places import FRAMEWORK, Missing, Place, find, parts
from test_ops import CASES

# The strict namespace refuses to mix its devices, though all of them are the CPU.
PLACES = [
    ("array_api_strict", "device1"),
    *(pytest.param(name, "cuda", marks=pytest.mark.gpu) for name in ("torch", "jax", "cupy")),
]


@pytest.fixture
def place(namespace: str, device: str, request: pytest.FixtureRequest) -> Place:
    try:
        return find(namespace, device)
    except Missing as error:
        if namespace == FRAMEWORK and request.config.getoption("--require-gpu"):
            pytest.fail(str(error))
        pytest.skip(str(error))


@pytest.mark.parametrize(("namespace", "device"), PLACES)
def test_the_answer_is_that_of_numpy_and_stays_on_the_device(place):
    operation, make, more = next(iter(CASES.values()))
    given = make()
    there = [place.put(values) for values in given]
    found = parts(operation(*there, **more))
    for array, wanted in zip(found, parts(operation(*given, **more)), strict=True):
        assert device_of(array) == device_of(there[0])
        values = place.read(array)
        if np.issubdtype(wanted.dtype, np.floating):
            # GPUs may multiply with fewer digits.
            np.testing.assert_allclose(values, wanted, atol=5e-3)
        else:
            # And what is nearly equal may change its order.
            assert (values == wanted).mean() > 0.9
