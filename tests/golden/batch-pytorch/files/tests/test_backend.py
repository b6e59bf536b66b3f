"""What every backend promises: a new framework is done when these pass."""

from __future__ import annotations

import numpy as np
import pytest
from support import need, same

from pytorch_batch import backend, data, tasks
from pytorch_batch.errors import (
    DeviceError,
    InputError,
)
from pytorch_batch.world import ALONE


def learn(learner: backend.Learner, batch: data.Batch, steps: int = 3, parts: int = 1) -> None:
    for _ in range(steps):
        learner.step([learner.stage(part) for part in batch.parts(parts)])


def close(one: backend.Learner, other: backend.Learner, tolerance: float) -> bool:
    ours, theirs = one.weights(), other.weights()
    return all(np.allclose(it, theirs[name], atol=tolerance) for name, it in ours.items())


def test_predictions_are_probabilities_one_row_for_each_text(start):
    learner, batch = start()
    scores = learner.predict(batch.tokens[:7])
    assert scores.shape == (7, 2)
    assert scores.dtype == np.float32
    assert scores.sum(axis=1) == pytest.approx(np.ones(7), abs=1e-5)


def test_a_text_scores_the_same_alone_and_in_a_batch(start):
    learner, batch = start()
    learn(learner, batch)
    together = learner.predict(batch.tokens[:5])
    alone = [learner.predict(batch.tokens[i : i + 1])[0] for i in range(5)]
    assert together == pytest.approx(np.stack(alone), abs=1e-5)


def test_steps_lower_the_loss(start):
    learner, batch = start(dropout=0.0)
    learn(learner, batch, 1)
    first = learner.measured()["loss"]
    learn(learner, batch, 15)
    assert learner.measured()["loss"] < first


def test_the_same_steps_give_the_same_bits(start):
    states = []
    for _ in range(2):
        learner, batch = start()
        learn(learner, batch)
        states.append(learner.state())
    assert same(*states)


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
    assert not np.array_equal(one.predict(batch.tokens), other.predict(batch.tokens))
    other.load_weights(one.weights())
    assert np.array_equal(one.predict(batch.tokens), other.predict(batch.tokens))


def test_the_first_step_goes_down_the_slope_that_differences_show(start):
    need("clip_norm")
    tiny = {"embedding": 3, "hidden": 4, "length": 5, "vocabulary": 8}
    learner, batch = start(dropout=0.0, clip_norm=0.0, learning_rate=1e-3, **tiny)
    batch = batch.parts(2)[0]
    before = {name: it.copy() for name, it in learner.weights().items()}

    def loss(name: str, index: int, change: float) -> float:
        moved = {key: it.copy() for key, it in before.items()}
        moved[name].flat[index] += change
        learner.load_weights(moved)
        scores = learner.predict(batch.tokens).astype(np.float64)
        return -np.log(scores[np.arange(len(batch)), batch.labels]).mean()

    places = [(name, i) for name, it in before.items() for i in range(it.size)]
    source = np.random.default_rng(0)
    chosen = [places[i] for i in source.permutation(len(places))[:150]]
    slopes = [(loss(*place, 5e-3) - loss(*place, -5e-3)) / 1e-2 for place in chosen]
    learner.load_weights(before)
    learn(learner, batch, 1)
    after = learner.weights()
    steep = 0
    for (name, index), slope in zip(chosen, slopes, strict=True):
        moved = after[name].flat[index] - before[name].flat[index]
        if abs(slope) > 2e-4:
            steep += 1
            assert moved * slope < 0, f"{name}[{index}]: slope {slope}, moved by {moved}"
    assert steep > 20


@pytest.mark.parametrize("parts", [2, 3])
def test_accumulation_is_the_big_batch_but_for_rounding(start, parts):
    need("accumulate", "dropout")
    (whole, batch), (by_parts, _) = start(dropout=0.0), start(dropout=0.0)
    learn(whole, batch)
    learn(by_parts, batch, parts=parts)
    assert close(whole, by_parts, 1e-4)
    assert whole.measured()["loss"] == pytest.approx(by_parts.measured()["loss"], rel=1e-4)


def test_gradient_checkpointing_changes_nothing_but_memory(start):
    need("gradient_checkpointing")
    (plain, batch), (again, _) = start(dropout=0.0), start(dropout=0.0, gradient_checkpointing=True)
    learn(plain, batch)
    learn(again, batch)
    assert close(plain, again, 1e-4)


def test_fused_and_step_by_step_compute_the_same(start):
    need("fused", "unfused")
    (fused, batch), (plain, _) = start(dropout=0.0, fused="on"), start(dropout=0.0, fused="off")
    plain.load_weights(fused.weights())
    assert fused.predict(batch.tokens) == pytest.approx(plain.predict(batch.tokens), abs=1e-5)
    learn(fused, batch)
    learn(plain, batch)
    assert close(fused, plain, 1e-4)


@pytest.mark.parametrize("precision", ["bf16", "fp16"])
def test_lower_precision_trains_and_keeps_weights_whole(start, precision):
    need(precision)
    try:
        learner, batch = start(precision=precision, dropout=0.0)
    except InputError as error:
        pytest.skip(str(error))
    learn(learner, batch, 1)
    first = learner.measured()["loss"]
    learn(learner, batch, 20)
    assert learner.measured()["loss"] < first
    kinds = {it.dtype for it in learner.weights().values() if it.dtype.kind == "f"}
    assert kinds == {np.dtype(np.float32)}


def test_clipping_bounds_what_a_step_changes(start):
    need("clip_norm")
    moved = []
    for limit in (0.0, 1e-12):
        learner, batch = start(clip_norm=limit, dropout=0.0)
        before = {name: it.copy() for name, it in learner.weights().items()}
        learn(learner, batch, 1)
        after = learner.weights()
        moved.append(max(np.abs(after[name] - it).max() for name, it in before.items()))
        assert learner.measured()["grad_norm"] > 0
    assert moved[1] < moved[0] / 100


def test_more_layers_learn(start):
    need("layers")
    learner, batch = start(layers=2, dropout=0.0)
    learn(learner, batch, 1)
    first = learner.measured()["loss"]
    learn(learner, batch, 20)
    assert learner.measured()["loss"] < first


def test_the_estimate_knows_the_weights(make):
    settings = make()
    task = tasks.load(settings)
    needed, limit = tasks.estimate(settings, task, "cpu")
    learner = tasks.learner(settings, task, "cpu", ALONE)
    size = sum(it.nbytes for it in learner.weights().values() if it.dtype.kind == "f")
    assert needed.weights == pytest.approx(size, rel=0.05) or not size
    assert needed.total > needed.weights + needed.activations
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


def test_info_names_the_framework():
    assert backend.info()["framework"] == backend.NAME


def test_what_is_not_supported_has_a_reason():
    assert all(len(reason) > 10 for reason in backend.UNSUPPORTED.values())
