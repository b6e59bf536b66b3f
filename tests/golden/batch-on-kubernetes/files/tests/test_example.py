"""The bundled data and network: replaced with them, when data.py and network.py are your own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support import STILL, TOP

from it import (
    backend,
    batches,
    config,
    data,
    reviews,
    tasks,
    train,
)
from it.signals import Stop


def bag_of_words(task: tasks.Task) -> float:
    """Accuracy of logistic regression on counts of words."""

    def bags(batch: batches.Batch) -> np.ndarray:
        rows = np.zeros((len(batch), task.encoder.size))
        for row, tokens in zip(rows, batch.inputs["tokens"], strict=True):
            np.add.at(row, tokens[tokens > 0], 1)
        return rows

    rows, weights, bias = bags(task.train), np.zeros(task.encoder.size), 0.0
    for _ in range(500):
        errors = 1 / (1 + np.exp(-(rows @ weights + bias))) - task.train.targets
        weights -= 0.1 * rows.T @ errors / len(rows)
        bias -= 0.1 * errors.mean()
    return float(((bags(task.test) @ weights + bias > 0) == task.test.targets).mean())


def test_the_model_learns_what_a_bag_of_words_cannot(tmp_path):
    base = config.load([TOP / "configs/base.toml"], {})
    run = train.train(replace(base, out=str(tmp_path / "run"), device="cpu"), Stop())
    assert run.finished
    assert tasks.evaluate(run.learner, run.task.test)["accuracy"] >= 0.85
    assert bag_of_words(run.task) <= 0.65


def test_reviews_are_the_same_each_time_and_of_both_kinds():
    made = reviews.make(500, seed=1)
    assert made == reviews.make(500, seed=1)
    assert made != reviews.make(500, seed=2)
    share = sum(label == "positive" for _, label in made) / 500
    assert 0.4 < share < 0.6
    assert 0.8 < sum("not" in text.split() for text, _ in made) / 500 < 0.95


def test_words_are_split_and_negations_found():
    assert data.split_words("It wasn't GOOD, no.") == ["it", "was", "not", "good", ",", "no", "."]
    assert data.split_words("isn\u2019t") == ["is", "not"]


def test_texts_are_padded_in_front_and_keep_the_last_words():
    labelled = [data.Item("b a a", "x"), data.Item("a c", "y")]
    encoder = data.Encoder.fit(labelled, config.Settings(vocabulary=4, length=3))
    assert encoder.words == ["a", "b"]
    assert encoder.size == 4
    found = [data.Item(text) for text in ("a", "a b c a", " ")]
    assert encoder.inputs(found)["tokens"].tolist() == [[0, 0, 2], [3, 1, 2], [0, 0, 0]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"review": "x", "label": "a"}, "no 'text' among its columns: review, label"),
        ({"text": "", "label": "a"}, "no 'text'"),
        ({"text": "x", "label": 1.5}, "neither a text nor a whole number"),
    ],
)
def test_bad_rows_are_refused_with_the_reason(row, message):
    with pytest.raises(ValueError, match=message):
        data.Item.of(row)


def test_whole_numbers_are_labels_as_well():
    assert data.Item.of({"text": "x", "label": 1}) == data.Item.of({"text": "x", "label": "1"})


def test_labels_must_be_two_and_known():
    with pytest.raises(ValueError, match="two labels are needed"):
        data.Encoder.fit([data.Item("x", "a")], config.Settings())
    with pytest.raises(ValueError, match="'c'"):
        data.Encoder(["x"], ["a", "b"], 3).targets([data.Item("x", "c")])


def learnt(start, steps: int = 3, **changes):
    learner, batch = start(**changes)
    for _ in range(steps):
        learner.step([learner.stage(batch)])
    return learner, batch


def close(one, other) -> bool:
    theirs = other.weights()
    return all(np.allclose(it, theirs[name], atol=1e-4) for name, it in one.weights().items())


def test_a_wider_network_learns(start):
    learner, batch = learnt(start, 1, **STILL, hidden=48)
    first = learner.measured()["loss"]
    for _ in range(20):
        learner.step([learner.stage(batch)])
    assert learner.measured()["loss"] < first


def test_gradient_checkpointing_changes_nothing_but_memory(start):
    plain, _ = learnt(start, **STILL)
    again, _ = learnt(start, **STILL, gradient_checkpointing=True)
    assert close(plain, again)


def test_gradient_checkpointing_needs_less(make):
    settings = make(length=256)
    encoder, _ = data.largest(settings, 2)
    again = replace(settings, gradient_checkpointing=True)
    needed, less = (backend.footprint(it, encoder, 1000).total for it in (settings, again))
    assert less < needed


def test_fused_and_step_by_step_compute_the_same(start):
    (fused, batch), (plain, _) = (start(**STILL, fused=it) for it in ("on", "off"))
    plain.load_weights(fused.weights())
    assert fused.predict(batch.inputs) == pytest.approx(plain.predict(batch.inputs), abs=1e-5)
    for learner in (fused, plain):
        for _ in range(3):
            learner.step([learner.stage(batch)])
    assert close(fused, plain)


def test_more_layers_learn(start):
    learner, batch = learnt(start, 1, **STILL, layers=3)
    first = learner.measured()["loss"]
    for _ in range(20):
        learner.step([learner.stage(batch)])
    assert learner.measured()["loss"] < first
