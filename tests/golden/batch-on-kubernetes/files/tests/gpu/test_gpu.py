"""What only a GPU can prove."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from it import (
    backend,
    config,
    data,
    model,
    tasks,
    train,
)
from it.signals import Stop

pytestmark = pytest.mark.gpu


BASE = Path(__file__).parents[2] / "configs" / "base.toml"


def run(tmp_path, device, name, steps=0, **changes):
    base = config.load([BASE], {})
    settings = replace(base, out=str(tmp_path / name), device=device, precision="fp32", **changes)
    return train.train(settings, Stop(), steps=steps)


def test_it_learns_on_the_gpu_and_the_cpu_agrees(device, tmp_path):
    it = run(tmp_path, device, "gpu")
    rows = [data.Item.of(row) for row in data.made_up(80, 7)]
    on_gpu, on_cpu = (model.load(it.out / "model", d).predict(rows) for d in (device, "cpu"))
    assert on_gpu == pytest.approx(on_cpu, abs=1e-3)


def test_resumed_on_the_gpu_the_bits_are_the_same(device, tmp_path):
    one = run(tmp_path, device, "one", epochs=1)
    run(tmp_path, device, "two", epochs=1, steps=3)
    two = run(tmp_path, device, "two", epochs=1)
    weights = two.learner.weights()
    assert all((it == weights[name]).all() for name, it in one.learner.weights().items())


def test_the_estimate_asks_the_driver_what_is_free(device, tmp_path):
    settings = replace(config.load([BASE], {}), out=str(tmp_path), device=device)
    _, limit = tasks.estimate(settings, tasks.load(settings), device)
    assert limit is None or 0 < limit <= (backend.memory(device)[1] or limit)
