"""The real model: what it learns, and what it refuses to load."""

from __future__ import annotations

import json
import shutil

import pytest

from it import (
    backend,
    model,
    schemas,
    train,
)


@pytest.fixture
def copy(model_dir, tmp_path):
    """A model that may be damaged."""
    return shutil.copytree(model_dir, tmp_path / "model")


def plain(predictions: list[schemas.Prediction]) -> list[object]:
    return [prediction.model_dump(mode="json") for prediction in predictions]


def test_it_is_right_about_what_it_was_not_trained_on(model_dir):
    metrics = json.loads((model_dir / "manifest.json").read_text())["metrics"]
    for name, least in schemas.GOALS.items():
        assert metrics[name] >= least


def test_training_twice_makes_the_same_model(model_dir, tmp_path, data_file):
    train.train(data_file, tmp_path, "cpu")
    first, second = model.load(model_dir, "cpu"), model.load(tmp_path, "cpu")
    assert plain(first.predict(schemas.EXAMPLES)) == plain(second.predict(schemas.EXAMPLES))


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": [1.0, "x"]}, {"a": [1.0005, "x"]}, True),
        ({"a": [1.0, "x"]}, {"a": [1.1, "x"]}, False),
        ({"a": [1.0, "x"]}, {"a": [1.0, "y"]}, False),
        ({"a": [1.0, "x"]}, {"a": [1.0]}, False),
        ({"a": 1}, {"b": 1}, False),
        (1000.0, 1000.5, True),
        (float("nan"), float("nan"), False),
        (None, 0.0, False),
        (None, None, True),
    ],
)
def test_answers_are_compared_with_a_tolerance(one, other, same):
    assert model.alike(one, other, 1e-3) is same


def test_a_new_model_takes_the_place_of_the_old_one(copy, data_file):
    old = json.loads((copy / "manifest.json").read_text())
    train.train(data_file, copy, "cpu", epochs=1)
    new = json.loads((copy / "manifest.json").read_text())
    assert new["sha256"] != old["sha256"]
    assert sorted(path.name for path in copy.iterdir()) == ["manifest.json", new["weights"]]
    assert model.load(copy, "cpu").version == new["sha256"][:12]


def test_changed_weights_are_refused(copy):
    file = max(copy.glob("weights-*/*"), key=lambda path: path.stat().st_size)
    weights = bytearray(file.read_bytes())
    weights[-1] ^= 1
    file.write_bytes(weights)
    with pytest.raises(model.ModelError, match="is not what"):
        model.load(copy, "cpu")


def test_weights_elsewhere_are_refused(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "weights": "../weights"}))
    with pytest.raises(model.ModelError, match="not beside it"):
        model.load(copy, "cpu")


def test_a_precision_that_the_backend_lacks_is_refused(model_dir):
    with pytest.raises(model.ModelError, match="not in float8"):
        model.load(model_dir, "cpu", precision="float8")


@pytest.mark.parametrize("precision", backend.PRECISIONS)
def test_every_precision_of_the_backend_passes_the_proof(model_dir, precision):
    model.load(model_dir, "cpu", precision=precision).prove()


def test_a_device_that_computes_something_else_is_refused(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    manifest["answer"] = {"no": "such answer"}
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(model.ModelError, match="computes"):
        model.load(copy, "cpu")


def test_a_probe_that_is_no_instance_is_refused(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "probe": None}))
    with pytest.raises(model.ModelError, match="not an instance"):
        model.load(copy, "cpu")


def test_a_manifest_of_another_format_is_refused(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "format": 2}))
    with pytest.raises(model.ModelError, match=r"format 2, .* `make model`"):
        model.load(copy, "cpu")


def test_a_missing_model_is_named(tmp_path):
    with pytest.raises(model.ModelError, match="make model"):
        model.load(tmp_path, "cpu")


def test_each_size_of_the_warm_up_is_a_pass_of_its_own(model_dir):
    passes = []
    it = model.load(model_dir, "cpu")
    assert it.warm_up(6, lambda: passes.append("worked")) == 6
    assert len(passes) == len((1, 2, 4, 6))
