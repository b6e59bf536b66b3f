"""Models are taken from S3 and from an MLflow registry, which later starts do without."""

import shutil
from pathlib import Path

import pytest

from .support import TMPLGEN, run, set_up

# S3 on loopback, the file system for it, and MLflow's client with its registry in files.
PACKAGES = ["s3fs==2026.9.0", "moto[server]==5.2.5", "mlflow-skinny==3.17.2"]

STORES = {"MLFLOW_ALLOW_FILE_STORE": "true", "AWS_MAX_ATTEMPTS": "1"}

# Puts the model at the source, finds it there, and once more when the source is gone.
S3 = """
import importlib, os, sys
from pathlib import Path
from moto.server import ThreadedMotoServer
server = ThreadedMotoServer(port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
os.environ |= {
    "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    "AWS_ACCESS_KEY_ID": "key",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_DEFAULT_REGION": "us-east-1",
}
import s3fs
files = s3fs.S3FileSystem()
files.mkdir("models")
files.put("model", "models/reviews", recursive=True)
store = importlib.import_module(sys.argv[3] + ".store")
cache = Path(sys.argv[1])
first = store.find("s3://models/reviews", cache)
server.stop()
s3fs.S3FileSystem.clear_instance_cache()
assert store.find("s3://models/reviews", cache) == first
print(first[0])
"""

MLFLOW = """
import importlib, shutil, sys
from pathlib import Path
import mlflow
registry = Path(sys.argv[2])
mlflow.set_tracking_uri(registry.as_uri())
with mlflow.start_run() as run:
    mlflow.log_artifacts("model", "model")
client = mlflow.MlflowClient()
client.create_registered_model("reviews")
made = client.create_model_version("reviews", run.info.artifact_uri + "/model", run.info.run_id)
client.set_registered_model_alias("reviews", "live", made.version)
store = importlib.import_module(sys.argv[3] + ".store")
cache = Path(sys.argv[1])
first = store.find("models:/reviews/1", cache)
assert store.find("models:/reviews@live", cache) == first
shutil.rmtree(registry)
assert store.find("models:/reviews/1", cache) == first
print(first[0])
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A service on NumPy with a model, and its virtual environment."""
    scratch = tmp_path_factory.mktemp("stores")
    words = ["--type", "service", "--framework", "none", "--python", "3.11"]
    run(TMPLGEN, "new", *words, cwd=scratch)
    child = scratch / "none-service"
    with set_up(child, "none") as venv:
        run(venv / "bin/python", "-m", "pip", "install", "--quiet", *PACKAGES)
        run("make", "model", cwd=child, VENV=venv)
        yield child, venv
    shutil.rmtree(scratch)


@pytest.fixture(scope="module")
def language_model(tmp_path_factory):
    """The code of a language model's service, and what looks like a model to it."""
    scratch = tmp_path_factory.mktemp("language-model")
    words = ["--type", "llm", "--framework", "transformers", "--python", "3.11"]
    run(TMPLGEN, "new", *words, cwd=scratch)
    child = scratch / "transformers-llm"
    (child / "model").mkdir()
    for name in ("config.json", "model.safetensors"):
        (child / "model" / name).write_text(name)
    return child


def fetch(python, script, child, scratch):
    """The folder in the cache that a child's code fetches its model into."""
    package = child.name.replace("-", "_")
    words = [python, "-c", script, scratch / "cache", scratch / "registry", package]
    said = run(*words, cwd=child, PYTHONPATH=child / "src", **STORES)
    found = Path(said.split()[-1])
    assert found.is_relative_to(scratch / "cache")
    return found


@pytest.mark.parametrize("script", [S3, MLFLOW], ids=["s3", "mlflow"])
def test_model_is_fetched_and_serves_when_its_source_is_gone(trained, tmp_path, script):
    child, venv = trained
    found = fetch(venv / "bin/python", script, child, tmp_path)
    assert (found / "manifest.json").read_text() == (child / "model/manifest.json").read_text()


@pytest.mark.parametrize("script", [S3, MLFLOW], ids=["s3", "mlflow"])
def test_language_model_is_fetched_likewise(trained, language_model, tmp_path, script):
    # Its code for that needs no framework: the other's environment does.
    found = fetch(trained[1] / "bin/python", script, language_model, tmp_path)
    for path in (language_model / "model").iterdir():
        assert (found / path.name).read_text() == path.read_text()
