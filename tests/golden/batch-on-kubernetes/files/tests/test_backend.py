"""What every backend promises: a new framework is done when these pass."""

from __future__ import annotations

import numpy as np
import pytest
from support import STILL, need, same

from it import (
    backend,
    batches,
    data,
    tasks,
)
from it.errors import (
    DeviceError,
    InputError,
)
from it.world import ALONE


def learn(learner: backend.Learner, batch: batches.Batch, steps: int = 3, parts: int = 1) -> None:
    for _ in range(steps):
        learner.step([learner.stage(part) for part in batch.parts(parts)])


def close(one: backend.Learner, other: backend.Learner, tolerance: float) -> bool:
    ours, theirs = one.weights(), other.weights()
    return all(np.allclose(it, theirs[name], atol=tolerance) for name, it in ours.items())


def first(batch: batches.Batch, count: int, begin: int = 0) -> batches.Batch:
    return batch.take(slice(begin, begin + count))


def loss_of(learner: backend.Learner, batch: batches.Batch) -> float:
    return float(data.losses(learner.predict(batch.inputs), batch.targets).mean())


def test_predictions_are_a_row_for_each_item(start):
    learner, batch = start()
    scores = learner.predict(first(batch, 7).inputs)
    assert scores.shape == (7, max(len(learner.encoder.labels), 1))
    assert scores.dtype == np.float32
    if learner.encoder.labels:
        assert scores.sum(axis=1) == pytest.approx(np.ones(7), abs=1e-5)


def test_an_item_scores_the_same_alone_and_in_a_batch(start):
    learner, batch = start()
    learn(learner, batch)
    together = learner.predict(first(batch, 5).inputs)
    alone = [learner.predict(first(batch, 1, i).inputs)[0] for i in range(5)]
    assert together == pytest.approx(np.stack(alone), abs=1e-5)


def test_steps_lower_the_loss(start):
    learner, batch = start(**STILL)
    learn(learner, batch, 1)
    before = learner.measured()["loss"]
    learn(learner, batch, 15)
    assert learner.measured()["loss"] < before


def test_the_same_steps_give_the_same_bits(start):
    states = []
    for _ in range(2):
        learner, batch = start()
        learn(learner, batch)
        states.append(learner.state())
    assert same(*states)


def test_no_seed_and_no_step_is_too_large(start):
    learner, batch = start(seed=2**32 - 1)
    learner.steps = 2**20
    learn(learner, batch)
    assert np.isfinite(learner.measured()["loss"])


def test_a_state_continues_elsewhere_bit_for_bit(start):
    one, batch = start()
    learn(one, batch)
    state = one.state()
    learn(one, batch)
    other, _ = start()
    learn(other, batch, 1)  # what it knows is not what it is given
    other.load_state(state)
    assert same(other.state(), state)
    learn(other, batch)
    assert same(one.state(), other.state())


def test_weights_predict_the_same_elsewhere(start):
    one, batch = start()
    learn(one, batch)
    other, _ = start()
    assert not np.array_equal(one.predict(batch.inputs), other.predict(batch.inputs))
    other.load_weights(one.weights())
    assert np.array_equal(one.predict(batch.inputs), other.predict(batch.inputs))


def test_the_first_step_goes_down_the_slope_that_differences_show(start):
    need("clip_norm")
    learner, batch = start(**STILL, clip_norm=0.0, learning_rate=1e-3)
    batch = batch.parts(2)[0]
    before = {name: it.copy() for name, it in learner.weights().items()}

    def loss(name: str, index: int, change: float) -> float:
        moved = {key: it.copy() for key, it in before.items()}
        moved[name].flat[index] += change
        learner.load_weights(moved)
        return loss_of(learner, batch)

    places = [(name, i) for name, it in before.items() for i in range(it.size)]
    source = np.random.default_rng(0)
    chosen = [places[i] for i in source.permutation(len(places))[:150]]
    here = loss(*chosen[0], 0.0)
    sides = [(loss(*place, 5e-3) - here, here - loss(*place, -5e-3)) for place in chosen]
    # Where the two sides differ there is a kink between them, and neither tells the slope.
    slopes = [min(both, key=abs) / 5e-3 if both[0] * both[1] > 0 else 0.0 for both in sides]
    learner.load_weights(before)
    learn(learner, batch, 1)
    after = learner.weights()
    steep, held = 0, 0
    for (name, index), slope in zip(chosen, slopes, strict=True):
        moved = after[name].flat[index] - before[name].flat[index]
        if abs(slope) > 2e-4:
            steep += 1
            held += moved == 0
            assert moved * slope <= 0, f"{name}[{index}]: slope {slope}, moved by {moved}"
    # What stands for padding is held where it is: few of so many.
    assert steep > 20
    assert held <= steep / 20


@pytest.mark.parametrize("parts", [2, 3])
def test_accumulation_is_the_big_batch_but_for_rounding(start, parts):
    need("accumulate")
    (whole, batch), (by_parts, _) = start(**STILL), start(**STILL)
    learn(whole, batch)
    learn(by_parts, batch, parts=parts)
    assert close(whole, by_parts, 1e-4)
    assert whole.measured()["loss"] == pytest.approx(by_parts.measured()["loss"], rel=1e-4)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_lower_precision_trains_and_keeps_weights_whole(start, precision):
    need(precision)
    try:
        learner, batch = start(precision=precision, **STILL)
    except InputError as error:
        pytest.skip(str(error))
    learn(learner, batch, 1)
    before = learner.measured()["loss"]
    learn(learner, batch, 20)
    assert learner.measured()["loss"] < before
    kinds = {it.dtype for it in learner.weights().values() if it.dtype.kind == "f"}
    assert kinds == {np.dtype(np.float32)}


def test_clipping_bounds_what_a_step_changes(start):
    need("clip_norm")
    moved = []
    for limit in (0.0, 1e-12):
        learner, batch = start(clip_norm=limit, **STILL)
        before = {name: it.copy() for name, it in learner.weights().items()}
        learn(learner, batch, 1)
        after = learner.weights()
        moved.append(max(np.abs(after[name] - it).max() for name, it in before.items()))
        assert learner.measured()["grad_norm"] > 0
    assert moved[1] < moved[0] / 100


def test_weight_decay_shrinks_weights_as_adamw_does(start):
    need("weight_decay")
    (plain, batch), (shrunk, _) = start(**STILL), start(**STILL, weight_decay=0.5)
    before = plain.weights()
    learn(plain, batch, 1)
    learn(shrunk, batch, 1)
    for name, it in shrunk.weights().items():
        expected = plain.weights()[name] - plain.rate * 0.5 * before[name]
        assert np.allclose(it, expected, atol=1e-6), name


def test_the_rate_of_a_step_is_what_it_is_told(start):
    fast, batch = start(**STILL)
    slow, _ = start(**STILL)
    for learner in (fast, slow):
        learn(learner, batch, 1)  # the first step of trees also finds where they begin
    slow.rate = fast.rate / 1000
    moved = []
    for learner in (fast, slow):
        before = learner.predict(batch.inputs)
        learn(learner, batch, 1)
        moved.append(np.abs(learner.predict(batch.inputs) - before).max())
    assert 0 < moved[1] < moved[0] / 10


def test_compiled_it_learns_the_same_but_for_rounding(start):
    need("compile")
    (plain, batch), (compiled, _) = start(**STILL), start(**STILL, compile=True)
    learn(plain, batch)
    learn(compiled, batch)
    assert close(plain, compiled, 1e-4)


def test_the_estimate_knows_the_weights(make):
    settings = make()
    task = tasks.load(settings)
    needed, limit = tasks.estimate(settings, task, "cpu")
    learner = tasks.learner(settings, task, "cpu", ALONE)
    size = sum(it.nbytes for it in learner.weights().values() if it.dtype.kind == "f")
    assert needed.weights == pytest.approx(size, rel=0.05) or not size
    assert needed.total > needed.weights + (needed.activations or 0)
    assert limit is None or limit > 0


def test_devices_are_checked_by_name():
    assert backend.pick_device("cpu") == "cpu"
    assert backend.pick_device("auto")
    for wanted in ("gpu", "cuda:x", "cuda:99", ""):
        with pytest.raises(DeviceError):
            backend.pick_device(wanted)


def test_the_cpu_has_no_memory_to_cap_and_no_out_of_memory():
    backend.limit_memory("cpu", 1.0)
    backend.free_memory("cpu")
    backend.sync("cpu")
    assert backend.memory("cpu") == (0, 0)
    assert backend.available("cpu") is None
    assert not backend.is_out_of_memory(ValueError())


def test_the_memory_is_capped_before_a_device_is_asked_for(make, monkeypatch):
    asked = []
    for name in ("limit_memory", "pick_device"):
        monkeypatch.setattr(backend, name, lambda *_, name=name: asked.append(name) or "cpu")
    assert tasks.pick_device(make(memory_fraction=0.5), ALONE) == "cpu"
    assert asked == ["limit_memory", "pick_device"]


def test_info_names_the_framework():
    assert backend.info()["framework"] == backend.NAME


def test_what_is_not_supported_has_a_reason():
    assert all(len(reason) > 10 for reason in backend.UNSUPPORTED.values())
