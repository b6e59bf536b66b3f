"""A child as its user meets it: set up, checked, served, stopped."""

import os
import signal
import time
from pathlib import Path

import pytest

from .support import free_port, run, service


@pytest.fixture
def served(trained, tmp_path):
    """The child's service, in which a batch waits two seconds for company."""
    port = free_port()
    command = [trained / ".venv/bin/python", "-m", "pytorch_service", "serve"]
    with service(
        command,
        port,
        tmp_path / "log",
        cwd=trained,
        SERVE_PORT=str(port),
        SERVE_DEVICE="cpu",
        SERVE_MAX_WAIT_MS="2000",
        SERVE_DRAIN_DELAY_S="1",
    ) as it:
        it.wait_ready()
        yield it


def test_child_is_one_clean_commit(child):
    assert run("git", "status", "--porcelain", cwd=child) == ""
    assert run("git", "rev-list", "--count", "HEAD", cwd=child).strip() == "1"


def test_make_lint_passes(installed):
    run("make", "lint", cwd=installed)


def test_make_test_passes(installed):
    assert " passed" in run("make", "test", cwd=installed)


def test_set_up_linted_and_tested_child_is_still_clean(installed):
    assert run("git", "status", "--porcelain", cwd=installed) == ""


def test_service_predicts_rightly_and_counts_it(served):
    assert served.predict() == "negative"
    status, text = served.ask("/metrics")
    assert status == 200
    assert "inference_http_requests_total" in text


def test_sigterm_drains_and_answers_the_request_in_flight(served):
    thread, answers = served.in_background(
        "/v1/predict", {"texts": ["a lovely film, I liked it very much"]}
    )
    time.sleep(0.3)
    served.process.send_signal(signal.SIGTERM)
    time.sleep(0.3)
    assert served.ask("/readyz")[0] == 503
    assert not answers
    thread.join(timeout=30)
    status, text = answers[0]
    assert status == 200, text
    assert '"label":"positive"' in text
    assert served.process.wait(timeout=60) == 0


@pytest.mark.usefixtures("_root_user")
def test_as_the_first_process_it_heeds_sigterm_and_starts_no_other(trained, tmp_path):
    """What the first process of a container does not heed or clear away, nobody does."""
    port = free_port()
    alone = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    words = [trained / ".venv/bin/python", "-m", "pytorch_service", "serve"]
    env = {"SERVE_PORT": str(port), "SERVE_DRAIN_DELAY_S": "0"}
    with service([*alone, *words], port, tmp_path / "log", cwd=trained, **env) as it:
        it.wait_ready()
        assert it.predict() == "negative"
        outer = it.process.pid
        first = int(Path(f"/proc/{outer}/task/{outer}/children").read_text())
        threads = Path(f"/proc/{first}/task").glob("*/children")
        assert [path.read_text() for path in threads if path.read_text()] == []
        os.kill(first, signal.SIGTERM)
        assert it.process.wait(20) == 0


def test_gpu_smoke_compiles_and_says_that_there_is_no_gpu(child):
    run("make", "-C", "smoke", cwd=child)
    said = run("smoke/gpu-smoke", cwd=child, status=77)
    assert "GPU" in said
