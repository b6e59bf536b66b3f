"""A run that was stopped anywhere ends with the same bits as one that was not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from support import outcome, same, small

from pytorch_batch import errors, train
from pytorch_batch.signals import Stop


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """What a run that nobody disturbs has learnt."""
    out = tmp_path_factory.mktemp("straight")
    assert train.train(small(out), Stop()).finished
    return outcome(out)


def check(out: Path, straight: tuple) -> None:
    arrays, manifest = outcome(out)
    assert same(arrays, straight[0])
    assert manifest.split(b'"settings"')[0] == straight[1].split(b'"settings"')[0]


@pytest.mark.parametrize("steps", [1, 4, 5, 7, 14])
def test_stopped_after_any_step_it_goes_on_bit_for_bit(make, straight, steps):
    settings = make()
    first = train.train(settings, Stop(), steps=steps)
    assert first.step == steps
    assert not first.finished
    second = train.train(settings, Stop())
    assert second.finished
    check(first.out, straight)


def test_many_stops_change_nothing(make, straight):
    settings = make()
    for _ in range(30):
        run = train.train(settings, Stop(), steps=2)
        if run.finished:
            break
    assert run.finished
    check(run.out, straight)


def test_a_finished_run_does_nothing_more(make):
    settings = make()
    first = train.train(settings, Stop())
    files = {path: path.stat().st_mtime_ns for path in first.out.rglob("step-*")}
    second = train.train(settings, Stop())
    assert second.finished
    assert second.step == first.step
    assert files == {path: path.stat().st_mtime_ns for path in first.out.rglob("step-*")}


def test_more_epochs_continue_a_finished_run(make):
    settings = make()
    first = train.train(settings, Stop())
    second = train.train(replace(settings, epochs=settings.epochs + 1), Stop())
    assert second.epochs == first.epochs + 1


def test_other_settings_are_another_run(make):
    settings = make()
    train.train(settings, Stop(), steps=2)
    with pytest.raises(errors.InputError, match=r"other settings.*learning_rate"):
        train.train(replace(settings, learning_rate=0.5), Stop())


def test_it_stops_early_when_nothing_gets_better(make):
    run = train.train(make(patience=1, learning_rate=1e-9, epochs=10, dropout=0.0), Stop())
    assert run.finished
    assert run.epochs < 10


def test_two_runs_do_not_write_to_one_folder(make):
    settings = make()
    with (
        train.only_one(Path(settings.out), train.ALONE),
        pytest.raises(errors.InputError, match="another run"),
    ):
        train.train(settings, Stop())


def test_what_is_no_number_is_not_saved(make, monkeypatch):
    settings = make()
    train.train(settings, Stop(), steps=3)
    broken = {"loss": float("nan"), "grad_norm": 1.0}
    monkeypatch.setattr(train.backend.Learner, "measured", lambda _: broken)
    with pytest.raises(errors.InputError, match="no number at step 4"):
        train.train(settings, Stop())
