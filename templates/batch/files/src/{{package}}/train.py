"""Training: a loop that can be stopped and killed at any moment, and goes on where it was."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, nullcontext
from pathlib import Path
from typing import Any

from . import backend, footprint, tasks, tracking
from .config import Settings
from .errors import InputError
from .progress import Progress
from .run import Run, only_one
from .signals import Stop
from .world import ALONE, World

log = logging.getLogger(__name__)
WARM_UP = 10  # steps before a profile begins
AfterEpoch = Callable[[Run, float], None]  # with the loss on validation data


def train(
    settings: Settings,
    stop: Stop,
    world: World = ALONE,
    steps: int = 0,
    after_epoch: AfterEpoch = lambda _run, _loss: None,
) -> Run:
    """Trains until done, until told to stop, or for so many steps: `finished` says whether done."""
    settings.refuse_unsupported(backend.UNSUPPORTED)
    _check_world(settings, world)
    task = tasks.load(settings, stop)
    device = tasks.pick_device(settings, world)
    needed, limit = tasks.estimate(settings, task, device, world)
    log.info("on %s; memory:\n%s", backend.device_name(device), footprint.report(needed, limit))
    footprint.check(needed, limit)
    with only_one(Path(settings.out), world), closing(tasks.order(settings, task)) as order:
        learner = tasks.learner(settings, task, device, world)
        run = Run(settings, task, learner, order, world)
        try:
            run.resume()
            if not run.finished:
                tracker = tracking.tracker(settings, run.step, lambda: run.finished)
                with tracker if world.first else nullcontext() as add:
                    _Loop(run, stop, steps, add, after_epoch).run()
        except Exception as error:
            if backend.is_out_of_memory(error):
                raise InputError(f"out of memory: raise accumulate ({error})") from error
            raise
        finally:
            learner.close()
    return run


def _check_world(settings: Settings, world: World) -> None:
    if world.size == 1:
        return
    if "distributed" in backend.UNSUPPORTED:
        raise InputError(f"several processes: {backend.UNSUPPORTED['distributed']}")
    if settings.batch % world.size or not settings.batch:
        raise InputError(f"batch: {settings.batch} cannot be shared by {world.size} processes")


class _Loader:
    """Batches, each on its way to the device while the one before is computed."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._following = self._stage()

    def _stage(self) -> tuple[list[Any], dict[str, Any], bool]:
        run, world = self._run, self._run.world
        batch = run.order.next().parts(world.size)[world.rank]
        parts = [run.learner.stage(part) for part in batch.parts(run.settings.accumulate)]
        return parts, run.order.state(), run.order.ended_epoch

    def next(self) -> tuple[list[Any], dict[str, Any], bool]:
        """The parts of a batch, the order's state after it, and whether an epoch ends with it."""
        now = self._following
        self._following = self._stage()
        return now


class _Loop:
    def __init__(
        self,
        run: Run,
        stop: Stop,
        steps: int,
        track: tracking.Add | None,
        after_epoch: AfterEpoch,
    ) -> None:
        self._run, self._stop, self._steps = run, stop, steps
        self._track, self._after_epoch = track, after_epoch
        self._loader = _Loader(run)
        self._progress = Progress(run.out, run.step, quiet=not run.world.first)
        self._first, self._logged = run.step, run.step
        self._losses: Any = 0.0  # of the steps of this epoch, their sum, wherever it is computed
        self._of = 0
        self._since = time.perf_counter()

    def run(self) -> None:
        """Steps, until there is nothing left to learn or somebody says stop."""
        run, every = self._run, self._run.settings.checkpoint_every
        with closing(self._progress), ExitStack() as profile:
            while True:
                self._profile(profile)
                parts, order, ended = self._loader.next()
                run.learner.rate = run.rate
                run.learner.step(parts)
                run.count(order, ended)
                self._losses, self._of = self._losses + run.learner.loss, self._of + 1
                self._log(ended)
                enough = run.step - self._first == self._steps
                stopped = run.learner.agree(enough or bool(self._stop.reason))
                if ended or stopped or run.step % every == 0:
                    run.save(order)
                if ended:
                    self._after_epoch(run, run.loss)
                if stopped or run.finished:
                    return

    def _log(self, ended: bool) -> None:
        run = self._run
        if run.step % run.settings.log_every and not ended:
            return
        if ended:  # the line of an epoch tells its mean loss, not that of its last step
            run.learner.loss, self._losses, self._of = self._losses / self._of, 0.0, 0
        values = run.measure()
        seconds = time.perf_counter() - self._since
        values["steps_per_s"] = (run.step - self._logged) / max(seconds, 1e-9)
        values["learning_rate"] = run.learner.rate
        values["memory_bytes"] = backend.memory(run.learner.device)[0]
        if ended:
            values |= run.end_epoch()
            log.info("epoch %d: %s", run.epochs, _words(values))
        self._progress.add(run.step, **values)
        if self._track is not None:
            self._track(run.step, values)
        self._logged, self._since = run.step, time.perf_counter()

    def _profile(self, profile: ExitStack) -> None:
        run, begin = self._run, self._first + WARM_UP
        if not run.settings.profile or not run.world.first:
            return
        if run.step == begin:
            folder = run.out / "profile"
            folder.mkdir(parents=True, exist_ok=True)
            profile.enter_context(backend.profiler(folder))
        elif run.step == begin + run.settings.profile:
            profile.close()
            log.info("profile of %d steps in %s", run.settings.profile, run.out / "profile")


def _words(values: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in values.items())
