"""Settings: one frozen dataclass, filled from TOML files, then the environment, then flags."""

from __future__ import annotations

import math
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from pathlib import Path
from typing import Any

from .data import Options
from .errors import InputError
from .options import option
from .schedules import SHAPES

PREFIX = "BATCH_"
# Not ours: what Cloud Batch and its kin put into every container, and Kubernetes for each Service.
FOREIGN = re.compile(
    r"BATCH_(TASK|JOB|(MAIN_)?NODE|HOSTS|COMPUTE)_|BATCH_(\w+_)?(SERVICE_(HOST|PORT)|PORT)(_|$)"
)


@dataclass(frozen=True)
class Settings(Options):
    """All settings: `learning_rate` is BATCH_LEARNING_RATE and --learning-rate too.

    Those of the data and of the network are in data.py.
    """

    data: str = option(
        "", "rows with labels, .csv, .jsonl or .parquet, or a pattern; empty: made up", free=True
    )
    examples: int = option(2000, "made-up rows, where data names no file", least=1)
    validation: float = option(0.1, "share of the data that chooses the best model")
    test: float = option(0.1, "share of the data that tests it at the end")
    stream: bool = option(
        False, "read the data as they are needed: more than memory holds", neutral=False
    )
    window: int = option(
        10_000, "items of a stream that are shuffled at once", least=1, neutral=10_000
    )
    held: int = option(
        20_000, "items of a stream that validation and test have at most", least=1, neutral=20_000
    )
    loader_workers: int = option(
        0, "processes that make a stream's items into batches; 0: a thread", free=True
    )

    epochs: int = option(6, "how often all examples are learnt from", least=1, free=True)
    batch: int = option(32, "examples that a step learns from; 0: all of them")
    accumulate: int = option(1, "parts in which a batch is computed: less memory", least=1)
    learning_rate: float = option(0.01, "how far a step goes; with a schedule at most")
    schedule: str = option(
        "constant", "how the learning rate ends", choices=tuple(SHAPES), neutral="constant"
    )
    warmup: int = option(0, "steps in which the learning rate rises from nothing", neutral=0)
    weight_decay: float = option(0.0, "how much weights shrink, as AdamW does it", neutral=0.0)
    clip_norm: float = option(1.0, "the longest gradient that counts whole; 0: any")
    patience: int = option(3, "epochs in a row that may be no better; 0: any number", free=True)
    precision: str = option(
        "auto",
        "numbers to compute with; auto: bf16 on a GPU that has it",
        choices=("auto", "fp32", "bf16", "fp16"),
    )
    compile: bool = option(False, "compile the network (torch.compile)", neutral=False)
    seed: int = option(0, "where all that is random begins")
    deterministic: bool = option(True, "refuse what differs each time it is computed")

    device: str = option("auto", "auto, cpu, cuda or cuda:N", free=True)
    threads: int = option(0, "CPU threads; 0: those promised to the container, else 1", free=True)
    memory_fraction: float = option(1.0, "share of the GPU's memory that may be taken", free=True)
    pinned: bool = option(True, "page-locked memory for what goes to the GPU", free=True)
    parallel: str = option(
        "ddp",
        "several processes: each with the whole model (ddp), or with a part of it (fsdp)",
        choices=("ddp", "fsdp"),
        free=True,
    )

    out: str = option("runs/base", "the folder of the run: all that it writes", free=True)
    restart: bool = option(False, "begin again where all checkpoints are damaged", free=True)
    checkpoint_every: int = option(50, "steps from one checkpoint to the next", least=1, free=True)
    keep: int = option(3, "checkpoints that are kept", least=1, free=True)
    log_every: int = option(10, "steps from one line of metrics to the next", least=1, free=True)
    track: str = option(
        "none",
        "where else metrics, settings and the model go",
        choices=("none", "mlflow", "tensorboard"),
        free=True,
    )
    max_minutes: float = option(
        0.0, "save and ask to be run again after so long; 0: no limit", free=True
    )
    spot: str = option(
        "none",
        "whom to ask whether this machine is about to be taken away",
        choices=("none", "aws", "azure", "gcp"),
        free=True,
    )
    profile: int = option(0, "steps to profile, after the first ten", free=True)

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            kind = type(field.default)
            if kind is float and type(value) is int:
                object.__setattr__(self, field.name, float(value))
            elif type(value) is not kind:
                raise InputError(f"{field.name}: {value!r} is not of type {kind.__name__}")
            if isinstance(value, (int, float)):
                least = field.metadata["least"]
                self._check(least <= value < 1e12 and math.isfinite(value), field.name)
            self._check(value in (field.metadata["choices"] or (value,)), field.name)
        self._check(self.seed < 2**32, "seed")  # what all generators take
        self._check(self.learning_rate > 0, "learning_rate")
        self._check(getattr(self, "dropout", 0.0) < 1, "dropout")
        self._check(0 < self.validation < 1, "validation")
        self._check(0 < self.test < 1 - self.validation, "test")
        self._check(0 < self.memory_fraction <= 1, "memory_fraction")
        self._check(self.batch == 0 or self.accumulate <= self.batch, "accumulate")
        self._check(re.fullmatch(r"auto|cpu|cuda(:\d+)?", self.device) is not None, "device")
        self._check(self.out != "", "out")

    def _check(self, good: bool, name: str) -> None:
        if not good:
            raise InputError(f"{name}: {getattr(self, name)!r} is out of range")

    def demands(self) -> list[str]:
        """What these settings ask of the backend beyond the usual, by the names of UNSUPPORTED."""
        asked = {
            self.precision: self.precision in ("bf16", "fp16"),
            "accumulate": self.accumulate > 1,
            "clip_norm": self.clip_norm > 0,
            "weight_decay": self.weight_decay > 0,
            "compile": self.compile,
            "distributed": self.parallel == "fsdp",
            "memory_fraction": self.memory_fraction < 1,
            "minibatch": self.batch > 0,
        }
        return [name for name, wanted in asked.items() if wanted]

    def refuse_unsupported(self, unsupported: Mapping[str, str]) -> None:
        """Raises for the first setting that the backend cannot do, with the reason."""
        for name in self.demands():
            if name in unsupported:
                raise InputError(f"{name}: {unsupported[name]}")


def fingerprint(settings: Settings) -> dict[str, Any]:
    """The settings that decide what a run computes: others may change when it is resumed."""
    free = {field.name for field in fields(settings) if field.metadata["free"]}
    if settings.schedule != "constant":
        free.remove("epochs")  # they say when the learning rate has fallen
    return {name: value for name, value in asdict(settings).items() if name not in free}


def changed(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Which settings a run had otherwise; what it had not yet was neutral, where there is such."""
    neutral = {field.name: field.metadata["neutral"] for field in fields(Settings)}
    return [name for name in now if before.get(name, neutral.get(name, MISSING)) != now[name]]


def known(values: Mapping[str, Any]) -> Settings:
    """Settings as a model keeps them; those that are no more are left out."""
    names = {field.name for field in fields(Settings)}
    return Settings(**{name: value for name, value in values.items() if name in names})


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
