"""Weights from elsewhere become a model."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from it import (
    backend,
    importing,
    labels,
    manifest,
    model,
    schemas,
)


@pytest.fixture
def weights(model_dir, tmp_path) -> Path:
    """What another project would hand over: the files alone, and no manifest."""
    return shutil.copytree(next(model_dir.glob("weights-*")), tmp_path / "weights")


def plain(predictions: list[schemas.Prediction]) -> list[object]:
    return [prediction.model_dump(mode="json") for prediction in predictions]


def test_a_folder_of_weights_becomes_a_model_that_answers_the_same(weights, model_dir, tmp_path):
    said = importing.run(weights, tmp_path / "model")
    assert backend.FILES[0] in said
    imported, trained = model.load(tmp_path / "model", "cpu"), model.load(model_dir, "cpu")
    assert plain(imported.predict(schemas.EXAMPLES)) == plain(trained.predict(schemas.EXAMPLES))
    assert manifest.verify(tmp_path / "model").metrics == {}


def test_weights_under_another_name_are_found(weights, tmp_path):
    name = Path(backend.FILES[0])
    if name.suffix == ".json":
        pytest.skip("what the folder holds has names of its own")
    (weights / name).rename(weights / f"other{name.suffix}")
    importing.run(weights, tmp_path / "model")
    model.load(tmp_path / "model", "cpu").prove()
    shutil.copy(weights / f"other{name.suffix}", weights / f"more{name.suffix}")
    with pytest.raises(manifest.ModelError, match=r"which of more\.\w+, other\.\w+"):
        importing.run(weights, tmp_path / "model")


def test_labels_can_be_given_and_are_asked_for(weights, tmp_path):
    if not (weights / labels.FILE).exists():
        pytest.skip("this model has no labels.json")
    names = [f"{name}!" for name in labels.load(weights)]
    importing.run(weights, tmp_path / "model", names)
    found = next((tmp_path / "model").glob("weights-*"))
    assert labels.load(found) == names
    (weights / labels.FILE).unlink()
    with pytest.raises(manifest.ModelError, match="say --labels"):
        importing.run(weights, tmp_path / "other")
    assert not (tmp_path / "other").exists()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.pt", "model.pt is a pickle, which runs code"),
        ("model.xyz", "which is not there$"),
        *[
            (f"model{suffix}", f"--framework {framework}")
            for suffix, framework in importing.FRAMEWORKS.items()
            if suffix not in {Path(name).suffix for name in backend.FILES}
        ],
    ],
)
def test_what_the_backend_cannot_load_is_refused_with_the_way_out(tmp_path, name, message):
    (tmp_path / name).write_bytes(b"x")
    for source in (tmp_path, tmp_path / name):
        with pytest.raises(manifest.ModelError, match=message):
            importing.run(source, tmp_path / "model")


def test_weights_that_are_none_are_refused(weights, tmp_path):
    (weights / backend.FILES[0]).write_bytes(b"{}")
    with pytest.raises(manifest.ModelError, match=r"not a model of backend\.py"):
        importing.run(weights, tmp_path / "model")
    with pytest.raises(manifest.ModelError, match="no such file"):
        importing.run(tmp_path / "nothing", tmp_path / "model")
