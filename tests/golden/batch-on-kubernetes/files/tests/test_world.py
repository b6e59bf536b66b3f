"""Several processes: the same as one but for rounding, and stopped together."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support import STILL, TOP, need, outcome

from it import backend, errors

PACKAGE = "it"


def begin(out: Path, size: int, **changes: object) -> list[subprocess.Popen[str]]:
    given = {"examples": 400, "epochs": 2, **STILL, "device": "cpu", "out": out, **changes}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    world = {"WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    return [
        subprocess.Popen(
            [sys.executable, "-m", PACKAGE, "train", *flags],
            cwd=TOP,
            env={**os.environ, **world, "RANK": str(rank), "LOCAL_RANK": str(rank)},
            stderr=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        for rank in range(size)
    ]


def end(processes: list[subprocess.Popen[str]]) -> list[int]:
    for it in processes:
        said = it.communicate(timeout=300)[1]
        print(said)
    return [it.returncode for it in processes]


def test_two_processes_learn_what_one_does(tmp_path):
    need("distributed")
    assert end(begin(tmp_path / "one", 1)) == [0]
    assert end(begin(tmp_path / "two", 2)) == [0, 0]
    one, two = (outcome(tmp_path / name)[0] for name in ("one", "two"))
    for name, array in one.items():
        assert np.allclose(array, two[name], atol=2e-2), name


def test_the_loss_that_is_told_is_that_of_all_processes(tmp_path):
    need("distributed")
    flags = {"log_every": 1, "epochs": 1}
    for size in (1, 2):
        assert end(begin(tmp_path / str(size), size, **flags)) == [0] * size
    one, two = (
        [json.loads(line)["loss"] for line in (tmp_path / size / "metrics.jsonl").open()]
        for size in ("1", "2")
    )
    assert one == pytest.approx(two, abs=1e-2)


def test_two_with_a_part_of_the_model_each_learn_the_same_and_go_on_as_one(tmp_path):
    sharded = {"parallel": "fsdp", "accumulate": 2, "log_every": 1}
    assert end(begin(tmp_path / "one", 1)) == [0]
    stopped = {"max_minutes": 0.0001, **sharded}
    assert end(begin(tmp_path / "two", 2, **stopped)) == [errors.AGAIN] * 2
    assert end(begin(tmp_path / "two", 1, **stopped)) == [errors.AGAIN]
    assert end(begin(tmp_path / "two", 2, **sharded)) == [0, 0]
    one, two = (outcome(tmp_path / name)[0] for name in ("one", "two"))
    assert {name: it.shape for name, it in one.items()} == {
        name: it.shape for name, it in two.items()
    }
    for name, array in one.items():
        assert np.allclose(array, two[name], atol=1e-3), name


def test_without_a_compiler_compile_is_refused(tmp_path):
    words = ["--compile=true", "--device=cpu", f"--out={tmp_path}"]
    few = {name: it for name, it in os.environ.items() if name not in ("CC", "CXX")}
    it = subprocess.run(
        [sys.executable, "-m", PACKAGE, "train", *words],
        cwd=TOP,
        env={**few, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert it.returncode == errors.BAD_INPUT
    assert "compile: torch.compile needs a C++ compiler" in it.stderr


def test_torchrun_starts_a_run_of_two(tmp_path):
    words = ["--standalone", "--nproc-per-node=2", "-m", PACKAGE, "train", "--examples=200"]
    flags = ["--epochs=1", "--batch=32", "--device=cpu", f"--out={tmp_path}"]
    command = [sys.executable, "-m", "torch.distributed.run", *words, *flags]
    assert subprocess.run(command, cwd=TOP, timeout=300, check=False).returncode == 0
    assert outcome(tmp_path)[0]


def test_a_signal_to_one_stops_all_with_one_checkpoint(tmp_path):
    need("distributed")
    processes = begin(tmp_path, 2, epochs=1000, patience=0, checkpoint_every=5)
    for _ in range(1200):
        if (tmp_path / "checkpoints/latest").exists():
            break
        time.sleep(0.05)
    processes[1].send_signal(signal.SIGTERM)
    assert end(processes) == [errors.AGAIN, errors.AGAIN]


def test_a_batch_that_cannot_be_shared_is_refused(tmp_path):
    need("distributed")
    assert end(begin(tmp_path, 2, batch=33)) == [errors.BAD_INPUT] * 2


def test_without_support_several_processes_are_refused(tmp_path):
    if "distributed" not in backend.UNSUPPORTED:
        pytest.skip("supported")
    assert set(end(begin(tmp_path, 2))) == {errors.BAD_INPUT}
