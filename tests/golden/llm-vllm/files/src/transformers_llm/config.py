"""Settings of the model and its answers; those of the server are in settings.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .settings import ServerSettings


@dataclass(frozen=True)
class Settings(ServerSettings):
    """All settings with their defaults: `max_tokens` is SERVE_MAX_TOKENS, and so on."""

    MAY_BE_ZERO: ClassVar[frozenset[str]] = ServerSettings.MAY_BE_ZERO | {"max_running"}

    # What clients call it: the project's name unless given.
    model_name: str = ""

    # Its device: auto, cpu, cuda or cuda:N. The fraction caps the GPU memory of this process.
    # Precision: auto (that of the weights), float32, bfloat16 or float16.
    device: str = "auto"
    memory_fraction: float = 0.9
    precision: str = "auto"

    # The engine: auto (vLLM on a GPU, Transformers elsewhere), vllm or transformers. And what vLLM
    # is told besides, as JSON: {"tensor_parallel_size": 2}.
    engine: str = "auto"
    vllm_args: str = "{}"

    # Requests that are worked on at the same time; 0: as many as suit the engine. Those that find
    # queue_size others waiting are refused, and those that have no token after first_token_s are
    # given up.
    max_running: int = 0
    queue_size: int = 64
    first_token_s: float = 60.0

    # What one request may hold and ask for.
    max_tokens: int = 4096
    max_messages: int = 1024
    max_body_bytes: int = 4_000_000

    # Answers take longer than those of other services: so does their end.
    drain_timeout_s: float = 120.0

    # Readiness proves the device when nothing ran on it for probe_interval_s. A pass that takes
    # longer than stuck_after_s means that the process must be replaced.
    probe_interval_s: float = 10.0
    probe_timeout_s: float = 2.0
    stuck_after_s: float = 60.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check(self.memory_fraction <= 1, "memory_fraction", "more than 1")
        engines = ("auto", "vllm", "transformers")
        self._check(self.engine in engines, "engine", f"'{self.engine}' is none of {engines}")
