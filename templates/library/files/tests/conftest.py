"""The namespaces that are installed here: every test of an operation runs with each of them."""

from __future__ import annotations

import importlib
import importlib.util
import os
from types import ModuleType

import pytest

# Where there is a GPU, JAX computes on it, and multiplies with fewer digits than NumPy.
os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")

# array_api_strict has the standard's functions and nothing else.
NAMESPACES = ["numpy", "array_api_strict", "torch", "jax.numpy", "cupy"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--require-gpu", action="store_true", help="no GPU is a failure, no skip")


@pytest.fixture(params=NAMESPACES)
def xp(request: pytest.FixtureRequest) -> ModuleType:
    name: str = request.param
    if importlib.util.find_spec(name.split(".")[0]) is None:
        pytest.skip(f"{name} is not installed")
    module = importlib.import_module(name)
    if name == "cupy":
        try:
            module.cuda.runtime.getDeviceCount()
        except Exception as error:  # what it raises depends on its version
            pytest.skip(f"cupy: {error}")
    return module
