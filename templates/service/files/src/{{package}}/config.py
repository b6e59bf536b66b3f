"""Settings of the model and its batches; those of the server are in settings.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .settings import ServerSettings


@dataclass(frozen=True)
class Settings(ServerSettings):
    """All settings with their defaults: `max_batch` is SERVE_MAX_BATCH, and so on."""

    MAY_BE_ZERO: ClassVar[frozenset[str]] = ServerSettings.MAY_BE_ZERO | {
        "max_wait_ms",
        "queue_ms",
    }

    # The device: auto, cpu, cuda or cuda:N. The fraction caps the GPU memory of this
    # process, so that two services can share a GPU. Precision: float32, or bfloat16 where the
    # backend can.
    device: str = "auto"
    memory_fraction: float = 1.0
    precision: str = "float32"

    # What comes while the device is busy shares its next batch; an idle device waits max_wait_ms
    # for company, which pays only where batches cost no more than a single item. Requests that
    # find queue_size instances waiting are refused, unless all of those will have their turn within
    # queue_ms; those that wait longer than timeout_s are given up.
    max_batch: int = 32
    max_wait_ms: float = 0.0
    queue_size: int = 256
    queue_ms: float = 100.0
    timeout_s: float = 10.0

    # So many answers may be streamed at a time, where the model can: their pieces take turns with
    # batches, and each must come within timeout_s.
    max_streams: int = 16

    # A batch that does not fit into the device's memory is halved; batches stay so small for
    # recover_s, then may double. When not even the known instance fits, oom_limit times within
    # oom_window_s, the process must be replaced.
    recover_s: float = 30.0
    oom_limit: int = 5
    oom_window_s: float = 300.0

    # What one request may hold.
    max_instances: int = 64

    # Readiness proves the device when nothing ran on it for probe_interval_s. A forward pass that
    # takes longer than stuck_after_s means that the process must be replaced.
    probe_interval_s: float = 10.0
    probe_timeout_s: float = 2.0
    stuck_after_s: float = 60.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.memory_fraction <= 1, "memory_fraction", "more than 1")
