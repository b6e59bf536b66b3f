"""GPU tests skip themselves where there is no GPU, and say why."""

from __future__ import annotations

import pytest

from it import backend, errors


@pytest.fixture(scope="session")
def device() -> str:
    # JAX reads it when it is first asked for a device, and never again.
    backend.seed(0, deterministic=True)
    try:
        return backend.pick_device("cuda")
    except errors.DeviceError as error:
        pytest.skip(str(error))
