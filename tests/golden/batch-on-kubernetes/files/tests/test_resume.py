"""A run that was stopped anywhere ends with the same bits as one that was not."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support import STILL, need, outcome, same, small

from it import data, errors, train
from it.signals import Stop


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


@pytest.mark.parametrize(
    "changes",
    [
        {"schedule": "cosine", "warmup": 3},
        {"schedule": "linear", "accumulate": 2},
        {"weight_decay": 0.1},
        {"compile": True},
    ],
)
def test_with_each_way_to_learn_it_goes_on_bit_for_bit(tmp_path, changes):
    need(*small(tmp_path, **changes).demands())
    whole, stopped = (small(tmp_path / name, **changes) for name in ("whole", "stopped"))
    assert train.train(whole, Stop()).finished
    train.train(stopped, Stop(), steps=6)
    assert train.train(stopped, Stop()).finished
    found = outcome(tmp_path / "stopped")[0]
    assert same(found, outcome(tmp_path / "whole")[0])


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


def test_the_same_data_under_another_name_go_on_and_others_are_refused(make, tmp_path):
    rows = [json.dumps(row) + "\n" for row in data.made_up(200, 3)]
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    first.write_text("".join(rows))
    second.write_text("".join(rows))
    train.train(make(data=str(first)), Stop(), steps=2)
    assert train.train(make(data=str(second)), Stop(), steps=1).step == 3
    second.write_text("".join([*rows[1:], rows[0]]))
    with pytest.raises(errors.InputError, match=r"other settings \(the data\)"):
        train.train(make(data=str(second)), Stop())


@pytest.mark.parametrize(("steps", "workers"), [(1, 0), (3, 2), (5, 1), (8, 0)])
def test_a_stream_goes_on_bit_for_bit(make, tmp_path, steps, workers):
    need("minibatch")
    table = pa.Table.from_pylist(data.made_up(300, 3))
    pq.write_table(table, tmp_path / "rows.parquet", row_group_size=70)
    given = {"data": str(tmp_path / "*.parquet"), "stream": True, "window": 70, "batch": 32}
    whole = train.train(small(tmp_path / "whole", **given), Stop(), steps=12)
    train.train(make(**given, loader_workers=workers), Stop(), steps=steps)
    parts = train.train(make(**given), Stop(), steps=12 - steps)
    assert parts.step == whole.step == 12
    assert same(outcome(parts.out)[0], outcome(whole.out)[0])


def test_it_stops_early_when_nothing_gets_better(make):
    run = train.train(make(patience=1, learning_rate=1e-9, epochs=10, **STILL), Stop())
    assert run.finished
    assert run.epochs < 10


def test_two_runs_do_not_write_to_one_folder(make):
    settings = make()
    with (
        train.only_one(Path(settings.out), train.ALONE),
        pytest.raises(errors.InputError, match="another run"),
    ):
        train.train(settings, Stop())


def test_what_is_no_number_is_not_saved_and_the_remedy_that_is_named_works(make, monkeypatch):
    settings = make()
    epoch = train.train(settings, Stop(), steps=5).order.steps_per_epoch
    good = outcome(Path(settings.out))[0]
    broken = good | {"weights/bad": np.array([1.0, np.nan], np.float32)}
    monkeypatch.setattr(train.backend.Learner, "state", lambda _: broken)
    # What is saved next: every fourth step is, and the last one of each epoch.
    saved_next = min(8, -(-6 // epoch) * epoch)
    with pytest.raises(errors.InputError, match=f"at step {saved_next}"):
        train.train(settings, Stop())
    monkeypatch.undo()
    assert same(outcome(Path(settings.out))[0], good)
    lower = replace(settings, learning_rate=settings.learning_rate / 2)
    saved = train.train(lower, Stop(), steps=4)
    assert saved.step == 9
    with pytest.raises(errors.InputError, match=r"other settings.*learning_rate"):
        train.train(settings, Stop())  # what went wrong is over
    assert train.train(lower, Stop()).finished


@pytest.mark.parametrize("name", ["loss", "grad_norm"])
def test_a_step_that_is_no_number_ends_the_run(make, monkeypatch, name):
    settings = make(log_every=1)
    train.train(settings, Stop(), steps=3)
    broken = {"loss": 1.0, "grad_norm": 1.0, name: float("inf")}
    monkeypatch.setattr(train.backend.Learner, "measured", lambda _: broken)
    with pytest.raises(errors.InputError, match=f"{name} is no number at step 4: lower learning"):
        train.train(settings, Stop())
    monkeypatch.undo()
    run = train.train(settings, Stop())
    assert run.finished
    for line in (run.out / "metrics.jsonl").read_text().splitlines():
        json.loads(line, parse_constant=pytest.fail)


def test_with_nothing_but_damaged_checkpoints_it_begins_again_only_when_told(make):
    settings = make()
    first = train.train(settings, Stop(), steps=9)
    for path in first.out.glob("checkpoints/*.safetensors"):
        path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(errors.InputError, match="checkpoints are damaged"):
        train.train(settings, Stop())
    again = replace(settings, restart=True)
    assert train.train(again, Stop(), steps=2).step == 2
    assert train.train(again, Stop(), steps=2).step == 4
