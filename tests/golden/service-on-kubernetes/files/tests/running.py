"""A service in a process of its own, and load on it from another one."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

COMMAND = [sys.executable, "-m", "it"]


class Process:
    """A service that listens on a port of its own."""

    def __init__(self, model_dir: Path, patch: str = "", **settings: str) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.environment = os.environ | {
            "SERVE_PORT": str(self.port),
            "SERVE_MODEL_DIR": str(model_dir),
            "SERVE_DEVICE": "cpu",
            **settings,
        }
        command = [*COMMAND, "serve"]
        if patch:
            # The same command, in a process in which something was changed before.
            run = "import runpy, sys; runpy.run_module(sys.argv.pop(), run_name='__main__')"
            command = [sys.executable, "-c", f"{patch}\n{run}", "serve", COMMAND[2]]
        self.process = subprocess.Popen(
            command, env=self.environment, stderr=subprocess.PIPE, text=True
        )

    def ask(self, path: str, body: object = None) -> tuple[int, str]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            if body is None:
                connection.request("GET", path)
            else:
                headers = {"Content-Type": "application/json"}
                connection.request("POST", path, json.dumps(body), headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()

    def wait(self, path: str, *, status: int = 200, text: str = "") -> None:
        """Until `path` answers so; status 0: until nobody answers."""
        for _ in range(600):
            assert self.process.poll() is None, self.process.communicate()[1]
            try:
                got, body = self.ask(path)
            except OSError:
                got, body = 0, ""
            if got == status and text in body:
                return
            time.sleep(0.1)
        pytest.fail(f"{path} was not {status} {text} in a minute")

    def load(self, *words: str) -> subprocess.Popen[str]:
        """scripts/loadtest.py; `report` waits for what it says."""
        script = Path(__file__).parent.parent / "scripts/loadtest.py"
        url = f"http://127.0.0.1:{self.port}"
        command = [sys.executable, str(script), "--url", url, "--json", *words]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def metric(self, name: str) -> float:
        lines = self.ask("/metrics")[1].splitlines()
        return float(next(line.split()[1] for line in lines if line.startswith(name + " ")))

    def end(self) -> tuple[int, str]:
        """Exit status and log."""
        log = self.process.communicate(timeout=60)[1]
        return self.process.returncode, log


@contextmanager
def started(model_dir: Path, patch: str = "", **settings: str) -> Iterator[Process]:
    it = Process(model_dir, patch, **settings)
    try:
        yield it
    finally:
        it.process.kill()
        it.process.communicate()


def report(load: subprocess.Popen[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(load.communicate(timeout=120)[0])
    return found
