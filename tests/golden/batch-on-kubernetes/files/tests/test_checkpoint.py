"""Checkpoints: whole or not there, and the one before when the newest is damaged."""

from __future__ import annotations

import os

import numpy as np
import pytest
from support import same

from it import checkpoint, files
from it.checkpoint import Checkpoint
from it.errors import InputError

ARRAYS = {
    "a": np.arange(6, dtype=np.float32).reshape(2, 3),
    "number": np.array(7),
    "empty": np.zeros((0, 2), np.int8),
    "turned": np.arange(6).reshape(2, 3).T,
}


def at(step: int) -> Checkpoint:
    return Checkpoint(step, ARRAYS | {"step": np.array(step)}, {"order": {"epoch": step}})


def test_what_is_saved_is_loaded(tmp_path):
    checkpoint.save(tmp_path, at(3), 2)
    found = checkpoint.load(tmp_path)
    assert found is not None
    assert (found.step, found.progress) == (3, {"order": {"epoch": 3}})
    assert same(found.arrays, at(3).arrays)
    assert {name: it.shape for name, it in found.arrays.items()} == {
        name: it.shape for name, it in at(3).arrays.items()
    }


def test_an_empty_folder_has_none(tmp_path):
    assert checkpoint.load(tmp_path / "none") is None


def test_the_newest_are_kept_and_the_pointer_names_the_last(tmp_path):
    for step in (1, 2, 9, 10, 11):
        checkpoint.save(tmp_path, at(step), 2)
    assert sorted(path.name for path in tmp_path.glob("*.json")) == [
        "step-00000010.json",
        "step-00000011.json",
    ]
    assert len(list(tmp_path.glob("*.safetensors"))) == 2
    assert (tmp_path / "latest").read_text() == "step-00000011\n"


@pytest.mark.parametrize("kind", ["json", "safetensors"])
@pytest.mark.parametrize("damage", ["bit", "cut", "empty", "gone"])
def test_a_damaged_one_is_told_and_the_one_before_is_taken(tmp_path, caplog, kind, damage):
    for step in (1, 2):
        checkpoint.save(tmp_path, at(step), 5)
    path = tmp_path / f"step-00000002.{kind}"
    content = bytearray(path.read_bytes())
    if damage == "bit":
        content[len(content) // 2] ^= 4
    path.write_bytes({"bit": bytes(content), "cut": bytes(content[:-9])}.get(damage, b""))
    if damage == "gone":
        path.unlink()
    found = checkpoint.load(tmp_path)
    assert found is not None
    assert found.step == 1
    assert ("damaged" in caplog.text) == ((kind, damage) != ("json", "gone"))


@pytest.mark.parametrize("call", ["replace", "fsync"])
@pytest.mark.parametrize("number", range(1, 8))
def test_a_crash_at_any_call_leaves_the_one_before(tmp_path, monkeypatch, call, number):
    checkpoint.save(tmp_path, at(1), 5)
    real, calls = getattr(os, call), []

    def failing(*words):
        calls.append(words)
        if len(calls) == number:
            raise OSError("the disk is full")
        return real(*words)

    monkeypatch.setattr(os, call, failing)
    try:
        checkpoint.save(tmp_path, at(2), 5)
        failed = False
    except OSError:
        failed = True
    monkeypatch.undo()
    found = checkpoint.load(tmp_path)
    assert found is not None
    assert found.step in ((1, 2) if failed else (2,))
    assert same(found.arrays, at(found.step).arrays)
    checkpoint.save(tmp_path, at(3), 1)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "latest",
        "step-00000003.json",
        "step-00000003.safetensors",
    ]


def test_where_all_are_damaged_nothing_is_taken_nor_lost(tmp_path, caplog):
    for step in (1, 2):
        checkpoint.save(tmp_path, at(step), 5)
    for path in tmp_path.glob("*.safetensors"):
        path.write_bytes(b"")
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match="all 2 checkpoints are damaged, nothing was changed"):
        checkpoint.load(tmp_path)
    assert checkpoint.load(tmp_path, restart=True) is None
    assert "beginning again" in caplog.text
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("keep", [1, 3])
def test_what_was_just_written_stays_and_later_steps_go(tmp_path, keep):
    for step in (70, 75, 80):
        checkpoint.save(tmp_path, at(step), 3)
    checkpoint.save(tmp_path, at(71), keep)
    found = checkpoint.load(tmp_path)
    assert found is not None
    assert found.step == 71
    kept = sorted(path.stem for path in tmp_path.glob("*.json"))
    assert kept == ["step-00000070", "step-00000071"][-keep:]


def test_a_format_of_the_future_is_told_and_refused(tmp_path, monkeypatch):
    checkpoint.save(tmp_path, at(1), 5)
    monkeypatch.setattr(checkpoint, "FORMAT", checkpoint.FORMAT + 1)
    checkpoint.save(tmp_path, at(2), 5)
    monkeypatch.undo()
    with pytest.raises(InputError, match=f"has format {checkpoint.FORMAT + 1}, this program reads"):
        checkpoint.load(tmp_path)


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "file"
    files.write(path, b"old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError("no")))
    with pytest.raises(OSError, match="no"):
        files.write(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
