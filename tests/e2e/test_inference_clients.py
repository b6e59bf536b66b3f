"""The Open Inference Protocol, spoken by the clients that people have: NVIDIA's and KServe's."""

import sys
from pathlib import Path

import pytest

from .support import WORK, free_port, run, service

CLIENTS = ["tritonclient[http]==2.73.0", "kserve==0.21.0"]


@pytest.mark.full
def test_clients_of_triton_and_kserve_work_unchanged(trained, tmp_path):
    venv = WORK / "venvs" / "inference-clients"
    run(sys.executable, "-m", "venv", venv)
    run(venv / "bin/pip", "install", "--quiet", *CLIENTS)
    port = free_port()
    command = [trained / ".venv/bin/python", "-m", "pytorch_service", "serve"]
    settings = {"SERVE_PORT": str(port), "SERVE_DEVICE": "cpu", "SERVE_DRAIN_DELAY_S": "0"}
    with service(command, port, tmp_path / "log", cwd=trained, **settings) as it:
        it.wait_ready()
        script = Path(__file__).with_name("inference_clients.py")
        address = f"127.0.0.1:{port}"
        assert "both answered" in run(venv / "bin/python", script, address, "pytorch-service")
