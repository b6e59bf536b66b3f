"""What every backend promises: a new framework is done when these pass."""

from __future__ import annotations

import pytest

from on_cpu import backend

TEXTS = ["a b", "c", "", "b b e"]
TARGETS = [0, 1, 2]


@pytest.fixture(scope="module")
def fitted() -> backend.Network:
    it = backend.Network(labels=3, device="cpu")
    assert it.fit(["a", "b", "c"] * 10, TARGETS * 10, epochs=60) < 0.3
    return it


def test_predictions_are_probabilities_one_list_for_each_text(fitted):
    scores = fitted.predict(TEXTS)
    assert [len(row) for row in scores] == [3, 3, 3, 3]
    assert [sum(row) for row in scores] == pytest.approx([1, 1, 1, 1], abs=1e-5)
    assert all(isinstance(score, float) for row in scores for score in row)


def test_fitting_learns_the_targets(fitted):
    assert [row.index(max(row)) for row in fitted.predict(["a", "b", "c"])] == TARGETS


def test_a_text_is_the_same_in_every_batch(fitted):
    alone = fitted.predict(["a"])[0]
    for size in (2, 3, 8, 9):
        for row in fitted.predict(["a"] * size):
            assert row == pytest.approx(alone, abs=1e-5)


def test_saved_weights_predict_the_same_elsewhere(fitted, tmp_path):
    other = backend.Network(labels=3, device="cpu", seed=2)
    other.fit(["a", "b", "c"] * 10, TARGETS[::-1] * 10, epochs=5)
    assert fitted.predict(TEXTS) != other.predict(TEXTS)
    fitted.save(tmp_path)
    other.load(tmp_path)
    assert fitted.predict(TEXTS) == other.predict(TEXTS)


def test_devices_are_checked_by_name():
    assert backend.pick_device("cpu") == "cpu"
    assert backend.pick_device("auto")
    for wanted in ("gpu", "cuda:x", "cuda:99", ""):
        with pytest.raises(backend.DeviceError):
            backend.pick_device(wanted)


def test_the_cpu_has_no_memory_to_cap_and_other_errors_are_not_its_lack():
    backend.limit_memory("cpu", 0.5)
    backend.free_memory("cpu")
    backend.sync("cpu")
    backend.seed(1)
    assert backend.memory("cpu") == (0, 0)
    assert not backend.is_out_of_memory(ValueError())


def test_info_names_the_framework():
    assert backend.info()["framework"] == backend.NAME
