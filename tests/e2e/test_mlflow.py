"""A batch job's model is registered with a real MLflow server; a service loads it from there."""

import json
import re
import shutil
import time
from pathlib import Path

import pytest

from .support import TMPLGEN, TOP, WORK, ask, free_port, run, service

pytestmark = pytest.mark.soak  # minutes, most of them to install the server

SERVER = "mlflow==3.17.2"
TEXTS = ["the film was not good", "what a lovely film", "a film that nobody needs"]


def recipe():
    """The backend that docs/service.md gives a service whose model a batch project trains."""
    text = (TOP / "docs/service.md").read_text()
    return re.search(r"```python\n(# backend\.py.*?)```", text, re.DOTALL)[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """MLflow's server over SQLite and a folder: starts it, and can be stopped."""
    venv, scratch, port = (
        WORK / "venvs/mlflow-server",
        tmp_path_factory.mktemp("mlflow"),
        free_port(),
    )
    if not (venv / "bin/mlflow").exists():
        run("python3", "-m", "venv", venv)
        run(venv / "bin/python", "-m", "pip", "install", "--quiet", SERVER)
    words = ["--host", "127.0.0.1", "--port", port, "--workers", "1"]
    stores = ["--backend-store-uri", f"sqlite:///{scratch}/db"]
    stores += ["--artifacts-destination", scratch / "files"]
    command = [venv / "bin/mlflow", "server", *words, *stores]
    with service(command, port, scratch / "log", cwd=scratch) as it:
        wait_healthy(it)
        it.files = scratch / "files"
        yield it


def wait_healthy(it):
    end = time.monotonic() + 120
    while time.monotonic() < end:
        assert it.process.poll() is None, it.log.read_text()
        try:
            if ask(it.port, "/health", timeout=5)[0] == 200:
                return
        except OSError:
            time.sleep(0.5)
    raise AssertionError(it.log.read_text())


@pytest.fixture(scope="module")
def children(tmp_path_factory):
    """A batch job, a service that loads its models, and the environment of both."""
    scratch, venv = tmp_path_factory.mktemp("children"), WORK / "venvs/mlflow-children"
    for kind in ("batch", "service"):
        words = ["--type", kind, "--framework", "none", "--python", "3.11"]
        words += ["--set", "mlflow=true", "--name", f"none-{kind}"]
        run(TMPLGEN, "new", kind, *words, cwd=scratch)
        run("make", "setup", "DEVICE=cpu", cwd=scratch / kind, VENV=venv)
    backend = scratch / "service/src/none_service/backend.py"
    backend.write_text(recipe().replace("my_batch", "none_batch"))
    yield scratch / "batch", scratch / "service", venv
    for kind in ("batch", "service"):
        run(venv / "bin/python", "-m", "pip", "uninstall", "--yes", f"none-{kind}")
    shutil.rmtree(scratch)


def train(children, server, out, *flags, **env):
    """What the run says at its end."""
    batch, _, venv = children
    words = ["train", "--register=reviews", f"--out={out}", *flags]
    uri = f"http://127.0.0.1:{server.port}"
    said = run(
        venv / "bin/python", "-m", "none_batch", *words, cwd=batch, MLFLOW_TRACKING_URI=uri, **env
    )
    return json.loads([line for line in said.splitlines() if line.startswith("{")][-1])


def predicted(children, out, scratch):
    """The batch job's own answers to the texts."""
    batch, _, venv = children
    rows = scratch / "in.jsonl"
    rows.write_text("".join(json.dumps({"text": text}) + "\n" for text in TEXTS))
    words = ["--model", f"{out}/model", "--input", rows, "--output", scratch / f"{out.name}.jsonl"]
    run(venv / "bin/python", "-m", "none_batch", "predict", *words, cwd=batch)
    lines = (scratch / f"{out.name}.jsonl").read_text().splitlines()
    return [(it["label"], it["probability"]) for it in map(json.loads, lines)]


def started(children, uri, source, scratch):
    """The service, with this model and a cache that later starts have, too."""
    _, child, venv = children
    port = free_port()
    env = {
        "SERVE_MODEL_DIR": source,
        "SERVE_MODEL_CACHE": str(scratch / "cache"),
        "SERVE_PORT": str(port),
        "SERVE_DEVICE": "cpu",
        "MLFLOW_TRACKING_URI": uri,
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "1",
    }
    command = [venv / "bin/python", "-m", "none_service", "serve"]
    return service(command, port, scratch / "service.log", cwd=child, **env)


def answers(it):
    it.wait_ready()
    status, text = it.ask("/v1/predict", {"instances": TEXTS})
    assert status == 200, text
    found = json.loads(text)["predictions"]
    return [(each["label"], pytest.approx(each["score"], abs=1e-4)) for each in found]


def set_alias(children, uri, version):
    client = "mlflow.MlflowClient().set_registered_model_alias"
    code = f"import mlflow; {client}('reviews', 'live', {version})"
    run(children[2] / "bin/python", "-c", code, MLFLOW_TRACKING_URI=uri)


def test_what_a_batch_job_registers_is_what_a_service_answers_with(children, server, tmp_path):
    uri, one, two = f"http://127.0.0.1:{server.port}", tmp_path / "one", tmp_path / "two"
    assert train(children, server, one)["registered"] == "models:/reviews/1"
    assert train(children, server, one)["registered"] == "models:/reviews/1"  # it is there already
    with started(children, uri, "models:/reviews/1", tmp_path) as it:
        assert answers(it) == predicted(children, one, tmp_path)
    assert "registered" not in train(children, server, tmp_path / "bad", "--register-least=1.01")
    set_alias(children, uri, 1)
    assert train(children, server, two, "--seed=7")["registered"] == "models:/reviews/2"
    assert predicted(children, one, tmp_path) != predicted(children, two, tmp_path)
    with started(children, uri, "models:/reviews@live", tmp_path) as it:
        assert answers(it) == predicted(children, one, tmp_path)
    set_alias(children, uri, 2)
    with started(children, uri, "models:/reviews@live", tmp_path) as it:
        assert answers(it) == predicted(children, two, tmp_path)
    damage(server.files)
    other = tmp_path / "other"
    other.mkdir()
    with started(children, uri, "models:/reviews/2", other) as it:
        assert it.process.wait(60) != 0
        assert "is not what manifest.json was written for" in it.log.read_text()
    server.kill()
    with started(children, uri, "models:/reviews@live", tmp_path) as it:
        assert answers(it) == predicted(children, two, tmp_path)


def damage(files):
    """One byte more in every file of weights."""
    found = list(Path(files).rglob("weights-*/weights-*.safetensors"))
    assert found
    for path in found:
        path.write_bytes(path.read_bytes() + b"\0")
