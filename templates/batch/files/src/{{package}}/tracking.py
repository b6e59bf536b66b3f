"""Where else metrics, settings and results of a run go: MLflow or TensorBoard, when asked."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from pathlib import Path

from . import files
from .config import Settings
from .errors import GivenUp
from .optional import package

# Takes the metrics after a step.
Add = Callable[[int, Mapping[str, float]], None]
RESULTS = ("model", "report")  # folders of a run that are worth keeping elsewhere


def tracker(
    settings: Settings, step: int, finished: Callable[[], bool]
) -> AbstractContextManager[Add]:
    """Follows a run from this step on, while the block runs; then `finished` says how it ended."""
    if settings.track == "mlflow":
        return _mlflow(settings, finished)
    return {"none": _none, "tensorboard": _tensorboard}[settings.track](settings, step)


def keep(settings: Settings) -> None:
    """Sends what a finished run has left there as well: MLflow has room for files."""
    out = Path(settings.out)
    if settings.track != "mlflow":
        return
    mlflow = package("mlflow", "track")
    with mlflow.start_run(run_id=(out / "mlflow-run").read_text(encoding="utf-8").strip()):
        for name in RESULTS:
            if (out / name).is_dir():
                mlflow.log_artifacts(str(out / name), name)


@contextmanager
def _none(_settings: Settings, _step: int) -> Iterator[Add]:
    yield lambda _step, _values: None


@contextmanager
def _mlflow(settings: Settings, finished: Callable[[], bool]) -> Iterator[Add]:
    """MLFLOW_TRACKING_URI says where. A resumed run goes on in the same run there.

    One that was stopped or given up is KILLED there: neither FINISHED nor FAILED, as MLflow says.
    """
    mlflow = package("mlflow", "track")
    out = Path(settings.out)
    note = out / "mlflow-run"
    known = note.read_text(encoding="utf-8").strip() if note.exists() else None
    mlflow.set_experiment(os.environ.get("MLFLOW_EXPERIMENT_NAME", __package__))
    with mlflow.start_run(run_id=known, run_name=out.name) as run:
        if known is None:
            files.write(note, f"{run.info.run_id}\n".encode())
            mlflow.log_params(asdict(settings))
        told = mlflow.MlflowClient().get_metric_history(run.info.run_id, "loss")
        last = max((metric.step for metric in told), default=0)

        def add(step: int, values: Mapping[str, float]) -> None:
            if step > last:  # those before are the same
                mlflow.log_metrics(dict(values), step=step)

        try:
            yield add
        except GivenUp:
            mlflow.end_run("KILLED")
            raise
        if not finished():
            mlflow.end_run("KILLED")


@contextmanager
def _tensorboard(settings: Settings, step: int) -> Iterator[Add]:
    """Into the folder tensorboard of the run: what a killed run told beyond `step` is hidden."""
    writers = package("tensorboardX", "track")
    folder = str(Path(settings.out) / "tensorboard")
    suffix = f".{step}"  # or a run that goes on within a second would take the file's place
    with writers.SummaryWriter(folder, purge_step=step + 1, filename_suffix=suffix) as writer:
        if not step:
            text = json.dumps(asdict(settings), indent=1)
            writer.add_text("settings", "\n".join(f"    {line}" for line in text.splitlines()))

        def add(step: int, values: Mapping[str, float]) -> None:
            for name, value in values.items():
                writer.add_scalar(name, value, step)

        yield add
