"""Where else a run tells of itself, and sweeps: where these packages are installed."""

from __future__ import annotations

import sys
from dataclasses import replace
from functools import partial

import pytest
from support import TOP, outcome, same, small

from it import (
    errors,
    sweep,
    tracking,
    train,
)
from it.__main__ import main
from it.signals import Stop


@pytest.mark.parametrize(
    ("track", "package"), [("mlflow", "mlflow"), ("tensorboard", "tensorboardX")]
)
def test_what_is_missing_is_told(make, monkeypatch, track, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(errors.InputError, match=f"track: {package} is not installed: `pip install"):
        train.train(make(track=track), Stop())
    assert (TOP / f"requirements/{package.lower()}.txt").exists()


def test_mlflow_has_one_run_with_each_step_once_however_often_it_was_stopped(
    make, monkeypatch, tmp_path
):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path}/mlflow.db")
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(None)
    settings = make(track="mlflow", log_every=1)
    find = partial(mlflow.search_runs, search_all_experiments=True, output_format="list")
    train.train(settings, Stop(), steps=5)
    assert [it.info.status for it in find()] == ["KILLED"]
    for path in (tmp_path / "run/checkpoints").glob("step-00000005.*"):
        path.unlink()  # as if it had been killed before it was saved
    run = train.train(settings, Stop())
    assert run.finished
    tracking.keep(settings)
    found = find()
    assert [it.info.status for it in found] == ["FINISHED"]
    assert found[0].data.params["epochs"] == str(settings.epochs)
    history = mlflow.MlflowClient().get_metric_history(found[0].info.run_id, "loss")
    assert sorted(it.step for it in history) == list(range(1, run.step + 1))
    names = [it.path for it in mlflow.MlflowClient().list_artifacts(found[0].info.run_id)]
    assert "model" in names

    def give_up(*_):
        raise errors.GivenUp

    with pytest.raises(errors.GivenUp):
        train.train(replace(settings, out=str(tmp_path / "other")), Stop(), after_epoch=give_up)
    assert sorted(it.info.status for it in find()) == ["FINISHED", "KILLED"]


def test_tensorboard_has_each_step_once(make, tmp_path):
    pytest.importorskip("tensorboardX")
    accumulators = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    settings = make(track="tensorboard", log_every=1)
    train.train(settings, Stop(), steps=5)
    for path in (tmp_path / "run/checkpoints").glob("step-00000005.*"):
        path.unlink()  # as if it had been killed before it was saved
    run = train.train(settings, Stop())
    found = accumulators.EventAccumulator(str(tmp_path / "run/tensorboard")).Reload()
    assert [it.step for it in found.Scalars("loss")] == list(range(1, run.step + 1))


@pytest.fixture
def space(tmp_path):
    path = tmp_path / "space.toml"
    rate = "[learning_rate]\nlow = 0.001\nhigh = 0.1\nlog = true\n"
    path.write_text(f"{rate}[seed]\nlow = 1\nhigh = 3\n")
    return path


def test_a_sweep_that_was_stopped_goes_on_and_tells_the_best(tmp_path, space):
    pytest.importorskip("optuna")
    settings = small(tmp_path / "sweep", epochs=2)
    stop = Stop()
    stop.ask("a test")
    with pytest.raises(errors.Stopped, match="a test in trial 0 after step 1"):
        sweep.sweep(settings, space, 3, stop)
    best = sweep.sweep(settings, space, 3, Stop())
    assert sorted(path.name for path in (tmp_path / "sweep").glob("trial-*")) == [
        "trial-0000",
        "trial-0001",
        "trial-0002",
    ]
    assert 0.001 <= best["settings"]["learning_rate"] <= 0.1
    whole = small(tmp_path / "whole", epochs=2, **best["settings"])
    train.train(whole, Stop())
    found = outcome(tmp_path / f"sweep/trial-{best['trial']:04d}")[0]
    assert same(found, outcome(tmp_path / "whole")[0])
    assert sweep.sweep(settings, space, 3, Stop()) == best


def test_a_trial_that_is_given_up_is_no_failure(tmp_path, space, monkeypatch):
    optuna = pytest.importorskip("optuna")
    monkeypatch.setattr(optuna.trial.Trial, "should_prune", lambda trial: trial.number > 0)
    assert sweep.sweep(small(tmp_path / "sweep", epochs=2), space, 2, Stop())["trial"] == 0
    study = optuna.load_study(
        study_name=sweep.NAME, storage=f"sqlite:///{tmp_path / 'sweep/sweep.db'}"
    )
    assert [it.state.name for it in study.trials] == ["COMPLETE", "PRUNED"]


def test_a_sweep_of_several_processes_is_refused(tmp_path, space, monkeypatch, capsys):
    monkeypatch.setenv("WORLD_SIZE", "2")
    words = [f"--config={TOP}/configs/base.toml", f"--space={space}", f"--out={tmp_path / 'sweep'}"]
    assert main(["sweep", *words]) == errors.BAD_INPUT
    assert "one process each, and WORLD_SIZE is 2" in capsys.readouterr().err
    assert not (tmp_path / "sweep").exists()


def test_trials_of_which_none_ends_well_are_told(tmp_path, space):
    pytest.importorskip("optuna")
    space.write_text("[batch]\nlow = 5000\nhigh = 6000\n")
    with pytest.raises(errors.InputError, match="no trial ended well"):
        sweep.sweep(small(tmp_path / "sweep"), space, 2, Stop())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[epoch]\nlow = 1\nhigh = 2\n", "no such setting: epoch"),
        ("[epochs]\nlow = 3\n", "high"),
        ("[epochs]\nlow = 3\nhigh = 1\n", "low"),
        ("x", r"space\.toml"),
    ],
)
def test_a_space_that_makes_no_sense_is_refused(space, text, message):
    pytest.importorskip("optuna")
    space.write_text(text)
    with pytest.raises(errors.InputError, match=message):
        sweep.read(space)


def test_the_space_of_this_project_is_good():
    pytest.importorskip("optuna")
    assert sweep.read(TOP / "configs/sweep.toml")
