"""A finished run's model as a version in MLflow's registry, in the form that a service loads.

manifest.json     a service's: the checksum of the weights, and an answer to check a device by
weights-CHECKSUM  the folder `model` of the run, for a service that loads it by this package
"""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from . import backend, model, rows, tasks
from .config import Settings
from .data import Item
from .optional import package

log = logging.getLogger(__name__)
FORMAT = 3  # of a service's manifest
FOLDER = "registered"  # among the files of the run in MLflow


def known_answer(it: model.Model, item: Item) -> tuple[Any, Any]:
    """An instance and what is answered to it, as schemas.py of the service has both: yours."""
    row = [float(number) for number in it.predict([item])[0]]
    labels = it.encoder.labels
    best = max(row)
    scores = dict(zip(labels, row, strict=True))
    return item.text, {"label": labels[row.index(best)], "score": best, "scores": scores}


def register(settings: Settings, found: Mapping[str, Any]) -> dict[str, str]:
    """Makes the model of a run a version, if it is good enough; once, however often it is asked."""
    if not settings.register:
        return {}
    accuracy = found.get("test_accuracy", 0.0)
    if accuracy < settings.register_least:
        log.warning("not registered: accuracy %.3f, wanted %s", accuracy, settings.register_least)
        return {}
    mlflow = package("mlflow", "register")
    run = (Path(settings.out) / "mlflow-run").read_text(encoding="utf-8").strip()
    with TemporaryDirectory() as scratch:
        sha256 = write(Path(scratch), settings, {"accuracy": accuracy})
        version = _registered(mlflow, settings.register, run, sha256)
        if version is None:
            tags = {"accuracy": f"{accuracy:.4f}", "framework": backend.NAME, "sha256": sha256}
            version = _create(mlflow, settings.register, run, Path(scratch), tags)
    return {"registered": f"models:/{settings.register}/{version}"}


def write(folder: Path, settings: Settings, metrics: Mapping[str, float]) -> str:
    """Puts a service's model into an empty folder; returns the checksum of the weights."""
    source = Path(settings.out) / "model"
    sha256 = sha256_of(source)
    shutil.copytree(source, folder / f"weights-{sha256[:12]}")
    item = next(iter(rows.items(tasks.source(settings))))
    probe, answer = known_answer(model.load(source, "cpu"), item)
    manifest = {
        "format": FORMAT,
        "weights": f"weights-{sha256[:12]}",
        "sha256": sha256,
        "framework": backend.NAME,
        "metrics": dict(metrics),
        "probe": probe,
        "answer": answer,
    }
    text = json.dumps(manifest, indent=2) + "\n"
    (folder / model.MANIFEST).write_text(text, encoding="utf-8")
    return sha256


def sha256_of(folder: Path) -> str:
    """Of all files of a folder, by their names: as a service computes it."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        total.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _registered(mlflow: Any, name: str, run: str, sha256: str) -> str | None:
    """The version that this run made of these weights before, where there is one."""
    for it in mlflow.MlflowClient().search_model_versions(f"name='{name}'"):
        if it.run_id == run and it.tags.get("sha256") == sha256:
            return str(it.version)
    return None


def _create(mlflow: Any, name: str, run: str, folder: Path, tags: dict[str, str]) -> str:
    client = mlflow.MlflowClient()
    place = f"{FOLDER}/{tags['sha256'][:12]}"  # a run that goes on leaves older versions be
    client.log_artifacts(run, str(folder), place)
    about = client.get_run(run)
    revision = about.data.tags.get("mlflow.source.git.commit")  # where it ran in a repository
    tags = {**tags, "run_id": run, **({"revision": revision} if revision else {})}
    try:
        client.create_registered_model(name)
    except mlflow.exceptions.MlflowException as error:
        if error.error_code != "RESOURCE_ALREADY_EXISTS":
            raise
    source = f"{about.info.artifact_uri}/{place}"
    return str(client.create_model_version(name, source, run, tags=tags).version)
