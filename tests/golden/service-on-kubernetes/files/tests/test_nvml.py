"""The driver's numbers, from a driver that is made up, and from none."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import pytest

from it import metrics, nvml


class FakeNvml:
    """Two GPUs; the second one does not know its power."""

    NVML_TEMPERATURE_GPU = 0

    class NVMLError(Exception):
        pass

    def __init__(self) -> None:
        self.driver = True
        self.opened = 0

    def nvmlInit(self) -> None:  # noqa: N802
        self.opened += 1
        if not self.driver:
            raise self.NVMLError

    def nvmlDeviceGetHandleByIndex(self, index: int) -> int:  # noqa: N802
        if index > 1:
            raise self.NVMLError
        return index

    def nvmlDeviceGetHandleByUUID(self, name: str) -> int:  # noqa: N802
        return {"GPU-b": 1}[name]

    def nvmlDeviceGetMemoryInfo(self, gpu: int) -> SimpleNamespace:  # noqa: N802
        return SimpleNamespace(used=10 + gpu, total=100)

    def nvmlDeviceGetUtilizationRates(self, gpu: int) -> SimpleNamespace:  # noqa: N802
        return SimpleNamespace(gpu=25 * (gpu + 1))

    def nvmlDeviceGetTemperature(self, gpu: int, kind: int) -> int:  # noqa: N802
        return 60 + gpu + kind

    def nvmlDeviceGetPowerUsage(self, gpu: int) -> int:  # noqa: N802
        if gpu == 1:
            raise self.NVMLError
        return 250_000


@pytest.fixture
def driver(monkeypatch) -> FakeNvml:
    it = FakeNvml()
    monkeypatch.setitem(sys.modules, "pynvml", it)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    return it


def readings(device: str) -> dict[str, float]:
    families = nvml.GpuCollector(device).collect()
    return {family.name: family.samples[0].value for family in families}


def test_a_gpu_has_all_gauges(driver):  # noqa: ARG001
    assert readings("cuda:0") == {
        "gpu_memory_used_bytes": 10,
        "gpu_memory_total_bytes": 100,
        "gpu_utilization_ratio": 0.25,
        "gpu_temperature_celsius": 60,
        "gpu_power_watts": 250,
    }


def test_what_a_gpu_does_not_know_is_left_out(driver):  # noqa: ARG001
    assert "gpu_power_watts" not in readings("cuda:1")
    assert readings("cuda:1")["gpu_memory_used_bytes"] == 11


@pytest.mark.parametrize(("visible", "used"), [("1", 11), ("GPU-b", 11), ("0,1", 10), ("", 10)])
def test_the_gpu_is_the_one_that_cuda_sees(driver, monkeypatch, visible, used):  # noqa: ARG001
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    assert readings("cuda:0")["gpu_memory_used_bytes"] == used


def test_without_a_driver_there_are_no_gauges_and_no_errors(driver):
    driver.driver = False
    assert readings("cuda:0") == {}
    driver.driver = True
    assert readings("cuda:7") == {}


def test_nothing_is_opened_before_somebody_asks_nor_on_the_cpu(driver):
    it = metrics.Metrics()
    it.watch_gpu("cpu")
    assert b"gpu_" not in it.text()
    it.watch_gpu("cuda:0")
    assert driver.opened == 0
    assert b"inference_gpu_memory_used_bytes 10.0" in it.text()
    it.text()
    assert driver.opened == 1
