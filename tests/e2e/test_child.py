"""A child as its user meets it: set up, checked, served, stopped."""

import os
import signal
from pathlib import Path

import pytest

from .support import HANGS_S, free_port, run, service, venv_of

VENV = venv_of("pytorch")
PYTHON = VENV / "bin/python"


def test_child_is_one_clean_commit(child):
    assert run("git", "status", "--porcelain", cwd=child) == ""
    assert run("git", "rev-list", "--count", "HEAD", cwd=child).strip() == "1"


def test_make_lint_passes(installed):
    run("make", "lint", cwd=installed, VENV=VENV)


def test_make_test_passes(installed):
    assert " passed" in run("make", "test", cwd=installed, VENV=VENV)


def test_set_up_linted_and_tested_child_is_still_clean(installed):
    assert run("git", "status", "--porcelain", cwd=installed) == ""


@pytest.mark.usefixtures("_root_user")
def test_it_predicts_and_as_the_first_process_it_heeds_sigterm_and_starts_no_other(
    trained, tmp_path
):
    """What the first process of a container does not heed or clear away, nobody does."""
    port = free_port()
    alone = ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child"]
    words = [PYTHON, "-m", "pytorch_service", "serve"]
    env = {"SERVE_PORT": str(port), "SERVE_DRAIN_DELAY_S": "0"}
    with service([*alone, *words], port, tmp_path / "log", cwd=trained, **env) as it:
        it.wait_ready()
        assert it.predict() == "negative"
        assert "inference_http_requests_total" in it.ask("/metrics")[1]
        outer = it.process.pid
        first = int(Path(f"/proc/{outer}/task/{outer}/children").read_text())
        threads = Path(f"/proc/{first}/task").glob("*/children")
        assert [path.read_text() for path in threads if path.read_text()] == []
        os.kill(first, signal.SIGTERM)
        assert it.process.wait(HANGS_S) == 0


def test_gpu_smoke_compiles_and_says_that_there_is_no_gpu(child):
    run("make", "-C", "smoke", cwd=child)
    said = run("smoke/gpu-smoke", cwd=child, status=77)
    assert "GPU" in said
