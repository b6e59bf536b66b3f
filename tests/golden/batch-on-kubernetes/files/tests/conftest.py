"""Fixtures: settings of a small run, and a learner for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

# So small a network is slower with many threads, most of all beside other work: before any import.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import pytest
from support import small

from it import (
    backend,
    batches,
    config,
    tasks,
)
from it.world import ALONE

Make = Callable[..., config.Settings]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Settings of a small run in a folder of its own."""
    return lambda **changes: small(tmp_path / "run", **changes)


@pytest.fixture
def start(make: Make) -> Callable[..., tuple[backend.Learner, batches.Batch]]:
    """A fresh learner, and something to learn."""

    def start(**changes: Any) -> tuple[backend.Learner, batches.Batch]:
        settings = make(**changes)
        task = tasks.load(settings)
        learner = tasks.learner(settings, task, "cpu", ALONE)
        return learner, batches.Order(task.train, settings.batch, 0).next()

    return start
