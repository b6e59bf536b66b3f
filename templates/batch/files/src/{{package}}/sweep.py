"""Sweeps: many runs, each with other settings, chosen by Optuna from how the others went.

Each trial is a run in a folder of its own. What is known of all of them is in sweep.db, so that a
sweep that was stopped goes on as a run does: with the same command, at the same step.
"""

from __future__ import annotations

import logging
import tomllib
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from .config import Settings
from .errors import GivenUp, InputError, Stopped
from .optional import package
from .run import Run
from .signals import Stop
from .tracking import keep
from .train import train

log = logging.getLogger(__name__)
NAME = "sweep"  # of the study in sweep.db


def read(path: Path) -> dict[str, Any]:
    """The settings to try: `low` and `high`, with `log` or a `step`, or `choices`."""
    optuna = package("optuna", "sweep")
    kinds = {field.name: type(field.default) for field in fields(Settings)}
    try:
        space = tomllib.loads(path.read_text(encoding="utf-8"))
        found: dict[str, Any] = {}
        for name, values in space.items():
            if name not in kinds:
                raise InputError(f"{path}: no such setting: {name}")
            if "choices" in values:
                found[name] = optuna.distributions.CategoricalDistribution(**values)
            elif kinds[name] is int:
                found[name] = optuna.distributions.IntDistribution(**values)
            else:
                found[name] = optuna.distributions.FloatDistribution(**values)
        return found
    except (OSError, ValueError, TypeError) as error:
        raise error if isinstance(error, InputError) else InputError(f"{path}: {error}") from error


def sweep(settings: Settings, space: Path, trials: int, stop: Stop) -> dict[str, Any]:
    """Runs trials until so many have ended; tells the best. Raises `Stopped` when told to stop."""
    optuna = package("optuna", "sweep")
    distributions, folder = read(space), Path(settings.out)
    folder.mkdir(parents=True, exist_ok=True)
    storage = optuna.storages.RDBStorage(f"sqlite:///{folder / 'sweep.db'}")
    study = optuna.create_study(storage=storage, study_name=NAME, load_if_exists=True)
    while sum(trial.state.is_finished() for trial in study.trials) < trials:
        # A sampler that began again with the same seed would draw the same trials again.
        seed = settings.seed + len(study.trials)
        study.sampler = optuna.samplers.TPESampler(seed=seed)
        begun = study.get_trials(states=[optuna.trial.TrialState.RUNNING])
        if begun:
            of = storage.get_study_id_from_name(NAME)
            known = storage.get_trial_id_from_study_id_trial_number(of, begun[0].number)
            trial = optuna.trial.Trial(study, known)
        else:
            trial = study.ask(fixed_distributions=distributions)
        _run(optuna, study, trial, settings, stop)
    try:
        best = study.best_trial
    except ValueError:
        raise InputError(f"{folder}: no trial ended well: see their logs") from None
    return {
        "trial": best.number,
        "loss": best.value,
        "settings": best.params,
        "model": str(_folder(folder, best.number) / "model"),
    }


def _folder(folder: Path, number: int) -> Path:
    return folder / f"trial-{number:04d}"


def _run(optuna: Any, study: Any, trial: Any, settings: Settings, stop: Stop) -> None:
    """One trial: ended, given up because others did better, failed, or stopped to go on later."""
    state = optuna.trial.TrialState
    told = set(study.trials[trial.number].intermediate_values)

    def after_epoch(run: Run, loss: float) -> None:
        if run.epochs not in told:
            trial.report(loss, run.epochs)
        if trial.should_prune():
            raise GivenUp(f"trial {trial.number}")

    try:
        out = str(_folder(Path(settings.out), trial.number))
        run = train(replace(settings, **trial.params, out=out), stop, after_epoch=after_epoch)
    except GivenUp:
        study.tell(trial, state=state.PRUNED)
    except InputError as error:
        log.warning("trial %d failed: %s", trial.number, error)
        study.tell(trial, state=state.FAIL)
    else:
        if not run.finished:
            raise Stopped(f"{stop.reason} in trial {trial.number} after step {run.step}")
        keep(run.settings)
        study.tell(trial, run.scores.best)
        log.info("trial %d: loss %.4g with %s", trial.number, run.scores.best, trial.params)
