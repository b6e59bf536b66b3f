"""The example is one that only a model which sees the order of words can learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from support import TOP

from pytorch_batch import (
    config,
    data,
    reviews,
    tasks,
    train,
)
from pytorch_batch.signals import Stop


def bag_of_words(task: tasks.Task) -> float:
    """Accuracy of logistic regression on counts of words."""

    def bags(batch: data.Batch) -> np.ndarray:
        rows = np.zeros((len(batch), len(task.vocabulary)))
        for row, tokens in zip(rows, batch.tokens, strict=True):
            np.add.at(row, tokens[tokens > 0], 1)
        return rows

    rows, weights, bias = bags(task.train), np.zeros(len(task.vocabulary)), 0.0
    for _ in range(500):
        errors = 1 / (1 + np.exp(-(rows @ weights + bias))) - task.train.labels
        weights -= 0.1 * rows.T @ errors / len(rows)
        bias -= 0.1 * errors.mean()
    return float(((bags(task.test) @ weights + bias > 0) == task.test.labels).mean())


def test_the_model_learns_what_a_bag_of_words_cannot(tmp_path):
    base = config.load([TOP / "configs/base.toml"], {})
    run = train.train(replace(base, out=str(tmp_path / "run"), device="cpu"), Stop())
    assert run.finished
    assert run.scores.accuracy >= 0.85
    assert bag_of_words(run.task) <= 0.65


def test_reviews_are_the_same_each_time_and_of_both_kinds():
    made = reviews.make(500, seed=1)
    assert made == reviews.make(500, seed=1)
    assert made != reviews.make(500, seed=2)
    share = sum(label == "positive" for _, label in made) / 500
    assert 0.4 < share < 0.6
    assert all(" not " in text for text, _ in made)
