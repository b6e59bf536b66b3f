"""A run of several processes ends with the status of each of them, not with torchrun's own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support import TOP
from torch.distributed import run

from it import launch

PACKAGE = "it"
LAUNCH = [sys.executable, "-m", f"{PACKAGE}.launch", "--standalone", "--nproc-per-node", "2"]
CONFIG = ["--config", "configs/base.toml", "--config", "configs/debug.toml"]
TRAIN = ["-m", PACKAGE, "train", *CONFIG, "--device", "cpu"]


def launched(out: Path, *more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*LAUNCH, *TRAIN, "--out", str(out), *more],
        cwd=TOP,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_run_that_is_done_ends_with_0(tmp_path: Path) -> None:
    run = launched(tmp_path / "run")
    said, _ = run.communicate(timeout=300)
    assert run.returncode == 0, said
    assert (tmp_path / "run" / "model").is_dir()


def test_bad_data_end_with_42(tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("nonsense\n")
    run = launched(tmp_path / "run", "--data", str(tmp_path / "bad.csv"))
    said, _ = run.communicate(timeout=300)
    assert run.returncode == 42, said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_a_run_that_is_stopped_has_saved_and_ends_with_75(tmp_path: Path, number: int) -> None:
    run = launched(tmp_path / "run", "--epochs", "100000", "--checkpoint-every", "1000000")
    metrics = tmp_path / "run" / "metrics.jsonl"
    until = time.monotonic() + 120
    while time.monotonic() < until and run.poll() is None:
        if metrics.exists() and metrics.stat().st_size:
            break
        time.sleep(0.2)
    run.send_signal(number)
    said, _ = run.communicate(timeout=120)
    assert run.returncode == 75, said
    assert (tmp_path / "run" / "checkpoints" / "latest").exists(), said


@pytest.mark.parametrize(
    ("statuses", "status"),
    [([42], 42), ([1, 42], 42), ([75, 1], 75), ([77, 1], 77), ([-9], 1), ([1, -15], 1), ([10], 1)],
)
def test_a_process_that_says_why_outweighs_those_that_lost_it(
    statuses: list[int], status: int
) -> None:
    assert launch.status_of(statuses) == status


def test_processes_have_time_to_save(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for name in launch.DEFAULTS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(run, "run", seen.append)
    assert launch.main(["-m", "it"]) == 0
    assert run.config_from_args(seen[0])[0].shutdown_timeout == 110
    for name in launch.DEFAULTS:
        monkeypatch.delenv(name)
