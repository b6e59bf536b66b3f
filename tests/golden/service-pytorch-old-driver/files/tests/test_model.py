"""The real model: what it learns, and what it refuses to load."""

from __future__ import annotations

import json
import shutil

import pytest

from old_driver import backend, model, train


@pytest.fixture
def copy(model_dir, tmp_path):
    """A model that may be damaged."""
    return shutil.copytree(model_dir, tmp_path / "model")


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("the film was good", "positive"),
        ("the film was not good", "negative"),
        ("The food was NOT bad at all!", "positive"),
        ("this book isn\u2019t boring", "positive"),
        ("what a terrible show", "negative"),
        ("I loved the music", "positive"),
    ],
)
def test_a_negation_turns_the_label(model_dir, text, label):
    it = model.load(model_dir, "cpu")
    row = it.classify([text])[0]
    assert it.labels[row.index(max(row))] == label


def test_it_is_right_about_texts_that_it_was_not_trained_on(model_dir):
    assert json.loads((model_dir / "manifest.json").read_text())["accuracy"] > 0.9


def test_a_text_scores_the_same_alone_and_in_a_batch(model_dir):
    it = model.load(model_dir, "cpu")
    texts = ["good", "", "not good", "what a lovely, lovely film this was"]
    for text, row in zip(texts, it.classify(texts), strict=True):
        assert it.classify([text])[0] == pytest.approx(row, abs=1e-5)
        assert sum(row) == pytest.approx(1)


def test_training_twice_makes_the_same_model(model_dir, tmp_path, data_file):
    train.train(data_file, tmp_path, "cpu")
    texts = ["good", "", "not good"]
    first, second = model.load(model_dir, "cpu"), model.load(tmp_path, "cpu")
    assert first.classify(texts) == second.classify(texts)


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
    manifest["probe_scores"].reverse()
    (copy / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(model.ModelError, match="computes"):
        model.load(copy, "cpu")


def test_a_manifest_of_another_format_is_refused(copy):
    manifest = json.loads((copy / "manifest.json").read_text())
    (copy / "manifest.json").write_text(json.dumps({**manifest, "format": 1}))
    with pytest.raises(model.ModelError, match="format 1"):
        model.load(copy, "cpu")


def test_a_missing_model_is_named(tmp_path):
    with pytest.raises(model.ModelError, match="make model"):
        model.load(tmp_path, "cpu")
