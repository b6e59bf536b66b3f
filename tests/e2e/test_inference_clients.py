"""The Open Inference Protocol, spoken by the clients that people have: NVIDIA's and KServe's; and
Triton's own reading of the model repository."""

from pathlib import Path

import pytest

from .support import TMPLGEN, WORK, free_port, run, service, venv_of

CLIENTS = ["tritonclient[http]==2.73.0", "tritonclient[grpc]==2.73.0", "kserve==0.21.0"]
CONFIGURATION = """
import sys
from google.protobuf import text_format
from tritonclient.grpc.model_config_pb2 import DataType, ModelConfig
config = text_format.Parse(open(sys.argv[1]).read(), ModelConfig())
tensors = [(it.name, DataType.Name(it.data_type)) for it in [*config.input, *config.output]]
print(config.name, config.backend, *tensors)
"""


@pytest.fixture(scope="module")
def python():
    """Of an environment that has those clients."""
    venv = WORK / "venvs" / "inference-clients"
    run("python3", "-m", "venv", venv)
    run(venv / "bin/python", "-m", "pip", "install", "--quiet", *CLIENTS)
    return venv / "bin/python"


@pytest.mark.full
def test_clients_of_triton_and_kserve_work_unchanged(python, trained, tmp_path):
    port = free_port()
    command = [venv_of("pytorch") / "bin/python", "-m", "pytorch_service", "serve"]
    settings = {"SERVE_PORT": str(port), "SERVE_DEVICE": "cpu", "SERVE_DRAIN_DELAY_S": "0"}
    with service(command, port, tmp_path / "log", cwd=trained, **settings) as it:
        it.wait_ready()
        script = Path(__file__).with_name("inference_clients.py")
        address = f"127.0.0.1:{port}"
        assert "both answered" in run(python, script, address, "pytorch-service")


@pytest.mark.full
def test_triton_can_read_its_model_configuration(python, tmp_path):
    """By the protocol buffers of its own client: an unknown field is an error there."""
    words = ["--type", "service", "--framework", "pytorch", "--set", "triton=true", "--name", "it"]
    run(TMPLGEN, "new", tmp_path / "it", *words)
    (path,) = (tmp_path / "it/deploy/triton/model_repository").glob("*/config.pbtxt")
    read = [python, "-c", CONFIGURATION, path]
    said = run(*read)
    assert said.split()[:2] == ["it", "python"]
    assert "('text', 'TYPE_STRING')" in said and "('scores', 'TYPE_FP32')" in said
    path.write_text(path.read_text().replace("dims:", "shape:", 1))
    assert "ParseError" in run(*read, status=1)
