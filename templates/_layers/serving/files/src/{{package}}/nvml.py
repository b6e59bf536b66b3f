"""What the driver says about the GPU: its memory, load, heat and power, for metrics.

Nothing is loaded before it is asked for, and a machine without a driver just has no such metrics.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

# Name, meaning, and how to read it.
READINGS: tuple[tuple[str, str, Callable[[Any, Any], float]], ...] = (
    (
        "gpu_memory_used_bytes",
        "Held on the GPU by all processes",
        lambda nvml, gpu: nvml.nvmlDeviceGetMemoryInfo(gpu).used,
    ),
    (
        "gpu_memory_total_bytes",
        "Of the GPU",
        lambda nvml, gpu: nvml.nvmlDeviceGetMemoryInfo(gpu).total,
    ),
    (
        "gpu_utilization_ratio",
        "Share of the last moment in which some kernel ran",
        lambda nvml, gpu: nvml.nvmlDeviceGetUtilizationRates(gpu).gpu / 100,
    ),
    (
        "gpu_temperature_celsius",
        "Of the chip",
        lambda nvml, gpu: nvml.nvmlDeviceGetTemperature(gpu, nvml.NVML_TEMPERATURE_GPU),
    ),
    (
        "gpu_power_watts",
        "Drawn by the board",
        lambda nvml, gpu: nvml.nvmlDeviceGetPowerUsage(gpu) / 1000,
    ),
)


class GpuCollector(Collector):
    """Gauges of one GPU, read when Prometheus asks."""

    def __init__(self, device: str, prefix: str = "") -> None:
        self._device = device
        self._prefix = prefix
        self._nvml: Any = None
        self._gpu: Any = None

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing: what there is, is known when it is read."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """What can be read; a reading that the GPU does not have is left out."""
        if not self._open():
            return
        for name, text, read in READINGS:
            try:
                value = read(self._nvml, self._gpu)
            except self._nvml.NVMLError:
                continue
            yield GaugeMetricFamily(self._prefix + name, text, value=value)

    def _open(self) -> bool:
        if self._gpu is not None:
            return True
        try:
            import pynvml  # type: ignore[import-untyped]
        except ImportError:
            return False
        try:
            pynvml.nvmlInit()
            self._nvml, self._gpu = pynvml, _handle(pynvml, self._device)
        except pynvml.NVMLError:
            return False
        return True


def _handle(nvml: Any, device: str) -> Any:
    """The GPU that CUDA calls `device`, which CUDA_VISIBLE_DEVICES may have renamed."""
    number = int(device.partition(":")[2] or 0)
    visible = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    name = visible[number] if number < len(visible) else str(number)
    if name.isdecimal():
        return nvml.nvmlDeviceGetHandleByIndex(int(name))
    return nvml.nvmlDeviceGetHandleByUUID(name)
