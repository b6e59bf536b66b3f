"""Settings: one frozen dataclass, read from the environment once, at start."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

PREFIX = "SERVE_"
# Not ours: what Kubernetes puts into every container, for each Service of the namespace.
FOREIGN = re.compile(r"SERVE_((\w+_)?SERVICE_(HOST|PORT)|\w+_PORT|PORT_\d+)(_|$)")


class SettingsError(ValueError):
    """A setting that cannot be used; the message names it."""


@dataclass(frozen=True)
class Settings:
    """All settings with their defaults: `max_batch` is SERVE_MAX_BATCH, and so on."""

    host: str = "127.0.0.1"
    port: int = 8080
    log_level: str = "INFO"

    # The model and its device: auto, cpu, cuda or cuda:N. The fraction caps the GPU memory of this
    # process, so that two services can share a GPU. Precision: float32, or bfloat16 where the
    # backend can.
    model_dir: Path = Path("model")
    device: str = "auto"
    memory_fraction: float = 1.0
    precision: str = "float32"

    # Requests that arrive within max_wait_ms share a batch. Those that find queue_size texts
    # waiting are refused; those that wait longer than timeout_s are given up.
    max_batch: int = 32
    max_wait_ms: float = 5.0
    queue_size: int = 256
    timeout_s: float = 10.0

    # A batch that does not fit into the device's memory is halved; batches stay so small for
    # recover_s, then may double. When not even the known text fits, oom_limit times within
    # oom_window_s, the process must be replaced.
    recover_s: float = 30.0
    oom_limit: int = 5
    oom_window_s: float = 300.0

    # What one request may hold.
    max_texts: int = 64
    max_chars: int = 10_000
    max_body_bytes: int = 1_000_000

    # On SIGTERM: keep serving for drain_delay_s while load balancers look elsewhere, then finish
    # what is in flight, at most drain_timeout_s.
    drain_delay_s: float = 5.0
    drain_timeout_s: float = 20.0

    # Readiness proves the device when nothing ran on it for probe_interval_s. A forward pass that
    # takes longer than stuck_after_s means that the process must be replaced.
    probe_interval_s: float = 10.0
    probe_timeout_s: float = 2.0
    stuck_after_s: float = 60.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = 0 if field.name in ("port", "max_wait_ms", "drain_delay_s") else 1e-9
            if isinstance(value, (int, float)):
                self._check(least <= value < 1e9, field.name, f"{value} is out of range")
        self._check(self.port < 65536, "port", "no such port")
        self._check(self.memory_fraction <= 1, "memory_fraction", "more than 1")
        self._check(self.queue_size >= self.max_texts, "queue_size", "less than max_texts")
        known = isinstance(logging.getLevelName(self.log_level.upper()), int)
        self._check(known, "log_level", f"'{self.log_level}' is not a level")

    def problem_of(self, texts: Sequence[str]) -> str:
        """What is too much in one request, or nothing."""
        if len(texts) > self.max_texts:
            return f"more than {self.max_texts} texts"
        if any(len(text) > self.max_chars for text in texts):
            return f"a text of more than {self.max_chars} characters"
        return ""

    def _check(self, good: bool, name: str, problem: str) -> None:
        if not good:
            raise SettingsError(f"{_variable(name)}: {problem}")

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] | None = None) -> Settings:
        """Reads SERVE_... variables; one that no setting has is an error, as a typo would be."""
        given = {
            name: text
            for name, text in (os.environ if environment is None else environment).items()
            if name.startswith(PREFIX) and not is_foreign(name, text)
        }
        values: dict[str, Any] = {}
        for field in fields(cls):
            text = given.pop(_variable(field.name), None)
            if text is not None:
                values[field.name] = _parse(field.name, type(field.default), text)
        if given:
            raise SettingsError(f"no such setting: {', '.join(sorted(given))}")
        return cls(**values)


def is_foreign(name: str, text: str) -> bool:
    """A Service called `serve` takes the name of a setting: its address is no port."""
    return bool(FOREIGN.match(name)) or (name == f"{PREFIX}PORT" and "://" in text)


def _variable(name: str) -> str:
    return PREFIX + name.upper()


def _parse(name: str, kind: type, text: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise SettingsError(f"{_variable(name)}: '{text}' is not of type {kind.__name__}") from None
