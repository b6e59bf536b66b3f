"""Settings: one frozen dataclass, filled from TOML files, then the environment, then flags."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from .errors import InputError

PREFIX = "BATCH_"
# Not ours: what Cloud Batch and its kin put into every container, and Kubernetes for each Service.
FOREIGN = re.compile(
    r"BATCH_(TASK|JOB|(MAIN_)?NODE|HOSTS|COMPUTE)_|BATCH_(\w+_)?(SERVICE_(HOST|PORT)|PORT)(_|$)"
)


@dataclass(frozen=True)
class Settings:
    """All settings: `learning_rate` is BATCH_LEARNING_RATE and --learning-rate too."""

    # Labelled texts, CSV or JSON lines; empty: this many made-up reviews (see reviews.py).
    data: str = ""
    examples: int = 2000
    # Texts are cut to this many words, and to words that training texts have.
    length: int = 28
    vocabulary: int = 20_000

    # The network. `fused`: on, off, or auto: where the framework has a fused LSTM.
    embedding: int = 32
    hidden: int = 32
    layers: int = 1
    dropout: float = 0.1
    fused: str = "auto"

    # Each step learns from `batch` examples (0: all), computed in `accumulate` parts: the same but
    # for rounding, in less memory. clip_norm 0: gradients of any size.
    epochs: int = 6
    batch: int = 32
    accumulate: int = 1
    learning_rate: float = 0.01
    clip_norm: float = 1.0
    # Stop when this many epochs in a row were no better; 0: never.
    patience: int = 3
    # fp32, bf16, fp16, or auto: bf16 on a GPU that has it.
    precision: str = "auto"
    # Compute activations again rather than keep them: slower, in less memory.
    gradient_checkpointing: bool = False
    seed: int = 0
    deterministic: bool = True

    # auto, cpu, cuda or cuda:N. The fraction caps this process's share of the GPU's memory.
    device: str = "auto"
    memory_fraction: float = 1.0
    # Page-locked memory for what goes to the GPU.
    pinned: bool = True

    # Where the run keeps everything, and how often it saves: after this many steps.
    out: str = "runs/base"
    checkpoint_every: int = 50
    keep: int = 3
    log_every: int = 10
    # Save and ask to be run again after so many minutes; 0: no limit.
    max_minutes: float = 0.0
    # Whom to ask whether this machine is about to be taken away: none, aws, azure or gcp.
    spot: str = "none"
    # Profile so many steps after the first ten.
    profile: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            kind = type(field.default)
            if kind is float and type(value) is int:
                object.__setattr__(self, field.name, float(value))
            elif type(value) is not kind:
                raise InputError(f"{field.name}: {value!r} is not of type {kind.__name__}")
            if isinstance(value, (int, float)):
                self._check(0 <= value < 1e12 and math.isfinite(value), field.name)
        for name in ("length", "vocabulary", "embedding", "hidden", "layers", "epochs"):
            self._check(getattr(self, name) >= 1, name)
        for name in ("accumulate", "checkpoint_every", "keep", "log_every", "examples"):
            self._check(getattr(self, name) >= 1, name)
        self._check(self.learning_rate > 0, "learning_rate")
        self._check(self.dropout < 1, "dropout")
        self._check(0 < self.memory_fraction <= 1, "memory_fraction")
        self._check(self.batch == 0 or self.accumulate <= self.batch, "accumulate")
        self._check(self.fused in ("auto", "on", "off"), "fused")
        self._check(self.precision in ("auto", "fp32", "bf16", "fp16"), "precision")
        self._check(self.spot in ("none", "aws", "azure", "gcp"), "spot")
        self._check(re.fullmatch(r"auto|cpu|cuda(:\d+)?", self.device) is not None, "device")
        self._check(self.out != "", "out")

    def _check(self, good: bool, name: str) -> None:
        if not good:
            raise InputError(f"{name}: {getattr(self, name)!r} is out of range")

    def demands(self) -> list[str]:
        """What these settings ask of the backend beyond the usual, by the names of UNSUPPORTED."""
        asked = {
            self.precision: self.precision in ("bf16", "fp16"),
            "fused": self.fused == "on",
            "unfused": self.fused == "off",
            "accumulate": self.accumulate > 1,
            "clip_norm": self.clip_norm > 0,
            "dropout": self.dropout > 0,
            "layers": self.layers > 1,
            "embedding": self.embedding != Settings.embedding,
            "hidden": self.hidden != Settings.hidden,
            "gradient_checkpointing": self.gradient_checkpointing,
            "memory_fraction": self.memory_fraction < 1,
            "minibatch": self.batch > 0,
        }
        return [name for name, wanted in asked.items() if wanted]

    def refuse_unsupported(self, unsupported: Mapping[str, str]) -> None:
        """Raises for the first setting that the backend cannot do, with the reason."""
        for name in self.demands():
            if name in unsupported:
                raise InputError(f"{name}: {unsupported[name]}")


# What may change when a run is resumed; anything else makes it another run.
FREE = frozenset(
    [
        "epochs",
        "patience",
        "device",
        "memory_fraction",
        "pinned",
        "out",
        "checkpoint_every",
        "keep",
        "log_every",
        "max_minutes",
        "spot",
        "profile",
    ]
)


def fingerprint(settings: Settings) -> dict[str, Any]:
    """The settings that decide what a run computes."""
    return {name: value for name, value in asdict(settings).items() if name not in FREE}


def load(
    files: Iterable[Path],
    environment: Mapping[str, str] | None = None,
    flags: Mapping[str, Any] | None = None,
) -> Settings:
    """Settings from all sources, later ones first; a name that no setting has is an error."""
    values: dict[str, Any] = {}
    for path in files:
        values.update(_read(path))
    for name, text in (os.environ if environment is None else environment).items():
        if name.startswith(PREFIX) and not FOREIGN.match(name):
            values[name.removeprefix(PREFIX).lower()] = text
    values.update(flags or {})
    kinds = {field.name: type(field.default) for field in fields(Settings)}
    unknown = sorted(set(values) - set(kinds))
    if unknown:
        raise InputError(f"no such setting: {', '.join(unknown)}")
    return Settings(**{name: _parse(name, kinds[name], given) for name, given in values.items()})


def _read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path}: {error}") from error


def _parse(name: str, kind: type, given: Any) -> Any:
    """A text from the environment or the command line as its setting's type."""
    if not isinstance(given, str) or kind is str:
        return given
    words: dict[str, Any] = {"true": True, "1": True, "false": False, "0": False}
    try:
        return words[given.lower()] if kind is bool else kind(given)
    except (ValueError, KeyError):
        raise InputError(f"{name}: '{given}' is not of type {kind.__name__}") from None
