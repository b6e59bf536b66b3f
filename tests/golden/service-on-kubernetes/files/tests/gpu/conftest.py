"""GPU tests skip themselves where there is no GPU, and say why."""

from __future__ import annotations

import pytest

from it import devices


@pytest.fixture(scope="session")
def device() -> str:
    try:
        return devices.pick_device("cuda")
    except devices.DeviceError as error:
        pytest.skip(str(error))
