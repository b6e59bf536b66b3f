"""The real thing: a process that is told to stop, or killed, and started again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from support import TOP, outcome, same

from pytorch_batch import config
from pytorch_batch.signals import Spot, Stop

PACKAGE = "pytorch_batch"
KILLS = int(os.environ.get("KILLS", "2"))
SEED = int(os.environ.get("SEED", "1"))


def command(out: Path, **changes: object) -> list[str]:
    base = config.load([TOP / "configs/base.toml"], {})
    # Long enough to be hit: some hundred steps.
    quick = {"examples": 400, "epochs": 20 if base.batch else 150, "patience": 0, "device": "cpu"}
    given = {**quick, "checkpoint_every": 5, "out": out, **changes}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    return [sys.executable, "-m", PACKAGE, "train", *flags]


def begin(out: Path, **changes: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        command(out, **changes),
        cwd=TOP,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for_checkpoint(process: subprocess.Popen[str], out: Path) -> None:
    for _ in range(2400):
        if (out / "checkpoints/latest").exists() or process.poll() is not None:
            return
        time.sleep(0.05)
    pytest.fail("no checkpoint in two minutes")


def end(process: subprocess.Popen[str]) -> tuple[int, str]:
    said = process.communicate(timeout=300)[1]
    return process.returncode, said


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    out = tmp_path_factory.mktemp("straight")
    status, said = end(begin(out))
    assert status == 0, said
    return outcome(out)[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_a_signal_saves_and_asks_to_be_run_again(tmp_path, straight, number):
    process = begin(tmp_path)
    wait_for_checkpoint(process, tmp_path)
    process.send_signal(number)
    status, said = end(process)
    assert status == 75, said
    assert f"stopped by {signal.Signals(number).name} after step" in said
    status, said = end(begin(tmp_path))
    assert status == 0, said
    assert "resumed after step" in said
    assert same(outcome(tmp_path)[0], straight)


def test_killed_at_random_moments_it_ends_with_the_same_bits(tmp_path, straight):
    source = random.Random(SEED)
    kills, runs, began = 0, 0, time.monotonic()
    while kills < KILLS:
        out = tmp_path / str(runs)
        status = -1
        while status != 0:
            process = begin(out)
            if kills < KILLS:
                wait_for_checkpoint(process, out)
                time.sleep(source.random() * 1.5)
                process.send_signal(source.choice([signal.SIGKILL, signal.SIGTERM]))
            status, said = end(process)
            # SIGTERM itself ends a process that has not begun to listen yet.
            assert status in (0, 75, -signal.SIGKILL, -signal.SIGTERM), said
            kills += status != 0
        assert same(outcome(out)[0], straight), f"run {runs} of SEED={SEED}"
        runs += 1
    print(f"SEED={SEED}: {kills} kills in {runs} runs, {time.monotonic() - began:.0f} s")


def test_when_its_time_is_over_it_stops(tmp_path):
    status, said = end(begin(tmp_path, max_minutes=0.0001))
    assert status == 75, said
    assert "the end of its time" in said


class Cloud(BaseHTTPRequestHandler):
    """Says of this machine what the test wants."""

    answer: tuple[int, str] = (404, "")

    def _reply(self, status: int, text: str) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(text.encode())

    def do_GET(self) -> None:
        self._reply(*self.answer)

    def do_PUT(self) -> None:
        self._reply(200, "token")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def cloud(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Cloud]]:
    server = HTTPServer(("127.0.0.1", 0), Cloud)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("METADATA_URL", f"http://127.0.0.1:{server.server_port}")
    yield Cloud
    server.shutdown()
    server.server_close()


EVENTS = json.dumps({"Events": [{"EventType": "Preempt"}]})
OTHER_EVENTS = json.dumps({"Events": [{"EventType": "Reboot"}]})


@pytest.mark.parametrize(
    ("name", "answer", "taken"),
    [
        ("aws", (404, ""), False),
        ("aws", (200, '{"action": "terminate", "time": "2026-01-01T00:00:00Z"}'), True),
        ("gcp", (200, "FALSE"), False),
        ("gcp", (200, "TRUE"), True),
        ("azure", (200, OTHER_EVENTS), False),
        ("azure", (200, EVENTS), True),
    ],
)
def test_each_clouds_notice_is_understood(cloud, name, answer, taken):
    cloud.answer = answer
    stop = Stop()
    assert Spot(name, stop).noticed() is taken
    with Spot(name, stop, every_s=0.01):
        time.sleep(0.3)
    assert bool(stop.reason) is taken


def test_a_notice_stops_the_run(cloud, tmp_path):
    cloud.answer = (200, "TRUE")
    status, said = end(begin(tmp_path, spot="gcp", epochs=100_000))
    assert status == 75, said
    assert "gcp takes this machine away" in said


def test_a_cloud_that_does_not_answer_stops_nothing(cloud, caplog):
    cloud.answer = (500, "")
    stop = Stop()
    with Spot("gcp", stop, every_s=0.01):
        time.sleep(0.3)
    assert not stop.reason
    assert "no answer from gcp" in caplog.text


def test_the_first_reason_counts():
    stop = Stop()
    assert not stop.reason
    stop.ask("one")
    stop.ask("two")
    assert stop.reason == "one"
