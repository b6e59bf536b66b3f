"""The real thing: a process that is told to stop, or killed, and started again."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from support import TOP, need, outcome, same

from it import config, data
from it.signals import Spot, Stop

PACKAGE = "it"
KILLS = int(os.environ.get("KILLS", "2"))
SEED = int(os.environ.get("SEED", "1"))


def command(out: Path, **changes: object) -> list[str]:
    base = config.load([TOP / "configs/base.toml"], {})
    # Long enough to be hit: some hundred steps.
    quick = {"examples": 400, "epochs": 20 if base.batch else 150, "patience": 0, "device": "cpu"}
    given = {**quick, "checkpoint_every": 5, "out": out, **changes}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in given.items()]
    return [sys.executable, "-m", PACKAGE, "train", *flags]


def begin(
    out: Path,
    program: str = "",
    largest: int = 0,
    *,
    start_new_session: bool = False,
    **changes: object,
) -> subprocess.Popen[str]:
    """`largest` bytes are all that fit into a file."""
    words = command(out, **changes)
    if program:
        words[1:3] = ["-c", program]
    limit = (largest or resource.RLIM_INFINITY,) * 2
    return subprocess.Popen(
        words,
        start_new_session=start_new_session,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
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
def rows(tmp_path_factory):
    """A file to learn from."""
    path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in data.made_up(400, 0)))
    return path


@pytest.fixture(scope="module")
def straight(tmp_path_factory, rows):
    out = tmp_path_factory.mktemp("straight")
    status, said = end(begin(out, data=rows))
    assert status == 0, said
    return outcome(out)[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1])
def test_a_signal_saves_and_asks_to_be_run_again(tmp_path, rows, straight, number):
    process = begin(tmp_path, data=rows)
    wait_for_checkpoint(process, tmp_path)
    process.send_signal(number)
    status, said = end(process)
    assert status == 75, said
    assert f"stopped by {signal.Signals(number).name} after step" in said
    status, said = end(begin(tmp_path, data=rows))
    assert status == 0, said
    assert "resumed after step" in said
    assert same(outcome(tmp_path)[0], straight)


def wait_until_gone(group: int) -> None:
    """No process of the group is left: `os.killpg` fails then."""
    for _ in range(600):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    pytest.fail("somebody is still there after half a minute")


def workers(process: subprocess.Popen[str]) -> list[int]:
    """The loader's, of a run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = path.read_text().rpartition(")")[2].split()[1]
            words = (path.parent / "cmdline").read_bytes()
        except OSError:  # ended meanwhile
            continue
        if int(parent) == process.pid and b"spawn_main" in words:
            found.append(int(path.parent.name))
    return found


@pytest.fixture
def loaded(tmp_path, rows):
    """A run with two workers, which are at work, in a process group of its own."""
    need("minibatch")
    given = {"stream": True, "window": 100, "loader_workers": 2, "epochs": 100_000}
    process = begin(tmp_path, data=rows, start_new_session=True, **given)
    wait_for_checkpoint(process, tmp_path)
    for _ in range(600):
        if len(workers(process)) == 2:
            break
        time.sleep(0.05)
    yield process
    process.kill()
    process.wait()
    wait_until_gone(process.pid)


def test_a_signal_to_all_of_a_group_is_for_the_run_not_for_its_workers(loaded, tmp_path):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        for worker in workers(loaded):
            os.kill(worker, number)
    latest = tmp_path / "checkpoints/latest"
    before = latest.read_text()
    for _ in range(600):
        if latest.read_text() != before:
            break
        time.sleep(0.05)
    assert len(workers(loaded)) == 2
    os.killpg(loaded.pid, signal.SIGTERM)
    status, said = end(loaded)
    assert (status, "stopped by SIGTERM after step" in said) == (75, True), said
    wait_until_gone(loaded.pid)


def test_a_worker_that_is_killed_ends_the_run_with_the_reason(loaded):
    os.kill(workers(loaded)[0], signal.SIGKILL)
    status, said = end(loaded)
    assert status == 1, said
    assert "error: a loader worker was killed" in said
    assert "Traceback" not in said
    wait_until_gone(loaded.pid)


def test_a_run_that_is_killed_leaves_no_worker(loaded):
    loaded.kill()
    loaded.wait()
    wait_until_gone(loaded.pid)


@dataclass
class Scene:
    """A run, and the file that it learns from."""

    out: Path
    data: Path

    def refused(self, status: int, words: str, **how: Any) -> None:
        # Of a run that has ended nothing is left to refuse: so many epochs take for ever.
        found, said = end(begin(self.out, data=self.data, epochs=100_000, **how))
        assert (found, words in said, "Traceback" in said) == (status, True, False), said

    @property
    def checkpoints(self) -> list[Path]:
        return sorted((self.out / "checkpoints").glob("*.safetensors"))


def nothing(_scene: Scene) -> None:
    pass


def data_moved(scene: Scene) -> None:
    scene.data = scene.data.rename(scene.data.with_name(f"moved-{scene.data.name}"[-40:]))


def data_changed(scene: Scene) -> None:
    before = scene.data.read_bytes()
    scene.data.write_bytes(before[: before.rstrip().rindex(b"\n") + 1])
    scene.refused(42, "the data")
    scene.data.write_bytes(before)


def newest_damaged(scene: Scene) -> None:
    if len(scene.checkpoints) > 1:
        scene.checkpoints[-1].write_bytes(scene.checkpoints[-1].read_bytes()[:-9])


def all_damaged(scene: Scene) -> None:
    before = {path: path.read_bytes() for path in scene.checkpoints}
    for path, content in before.items():
        path.write_bytes(content[:-9])
    scene.refused(42, "checkpoints are damaged, nothing was changed")
    for path, content in before.items():
        path.write_bytes(content)


def disk_full(scene: Scene) -> None:
    scene.refused(1, "File too large: make room", largest=2000)


def no_number(scene: Scene) -> None:
    scene.refused(42, "is no number at step", program=NO_NUMBER)


ACCIDENTS = [
    nothing,
    data_moved,
    data_changed,
    newest_damaged,
    all_damaged,
    disk_full,
    no_number,
]
# The command, in whose state each number after the first is none: what a bad gradient leaves.
NO_NUMBER = f"""
import sys
from {PACKAGE} import backend
from {PACKAGE}.__main__ import main
state = backend.Learner.state
def broken(learner):
    return dict(state(learner), bad=backend.np.array([float("nan")], "float32"))
backend.Learner.state = broken
sys.exit(main(sys.argv[1:]))
"""


def test_killed_at_random_amid_accidents_it_ends_with_the_same_bits(tmp_path, rows, straight):
    source = random.Random(SEED)
    kills, runs, began, waiting = 0, 0, time.monotonic(), []
    while kills < KILLS:
        scene = Scene(tmp_path / str(runs), tmp_path / "rows.jsonl")
        scene.data.write_bytes(rows.read_bytes())
        status = -1
        while status != 0:
            process = begin(scene.out, data=scene.data)
            if kills < KILLS:
                wait_for_checkpoint(process, scene.out)
                time.sleep(source.random() * 1.5)
                process.send_signal(source.choice([signal.SIGKILL, signal.SIGTERM]))
            status, said = end(process)
            # SIGTERM itself ends a process that has not begun to listen yet.
            assert status in (0, 75, -signal.SIGKILL, -signal.SIGTERM), said
            kills += status != 0
            if status != 0 and scene.checkpoints:
                waiting = waiting or source.sample(ACCIDENTS, len(ACCIDENTS))
                accident = waiting.pop()
                print(f"SEED={SEED}: after kill {kills} {accident.__name__}")
                accident(scene)
        assert same(outcome(scene.out)[0], straight), f"run {runs} of SEED={SEED}"
        lines = (scene.out / "metrics.jsonl").read_text().splitlines()
        steps = [json.loads(line, parse_constant=pytest.fail)["step"] for line in lines]
        assert steps == sorted(set(steps))
        scene.data.unlink()
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
