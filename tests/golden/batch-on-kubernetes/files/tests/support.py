"""What several tests need: settings of a run that takes a second, and ways to compare runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from it import (
    backend,
    checkpoint,
    config,
)

TOP = Path(__file__).parent.parent
# What makes a step depend on nothing but its batch: to compare steps with one another.
STILL = {"dropout": 0.0} if hasattr(config.Settings, "dropout") else {}


def small(out: Path, **changes: Any) -> config.Settings:
    """The settings of configs/base.toml, made small: fifteen steps or so."""
    it = config.load([TOP / "configs/base.toml"], {})
    steps = 150 // it.batch if it.batch else 1  # of an epoch
    quick = {"examples": 200, "epochs": -(-15 // steps), "checkpoint_every": 4, "patience": 0}
    return replace(it, out=str(out), device="cpu", **{**quick, **changes})


def same(one: checkpoint.Arrays, other: checkpoint.Arrays) -> bool:
    """Whether all bits are the same."""
    return set(one) == set(other) and all(
        (it.dtype, it.shape, it.tobytes())
        == (other[name].dtype, other[name].shape, other[name].tobytes())
        for name, it in one.items()
    )


def outcome(out: Path) -> tuple[checkpoint.Arrays, bytes]:
    """All that a run has learnt: its last checkpoint, and the model that it keeps."""
    found = checkpoint.load(out / "checkpoints")
    assert found is not None
    return found.arrays, (out / "model/manifest.json").read_bytes()


def need(*names: str) -> None:
    """Skips a test of what this backend says it cannot do."""
    for name in names:
        if name in backend.UNSUPPORTED:
            pytest.skip(f"{name}: {backend.UNSUPPORTED[name]}")
