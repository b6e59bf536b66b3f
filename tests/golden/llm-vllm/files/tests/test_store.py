"""Models from elsewhere: fetched once, checked, kept, and found without a network."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import fsspec
import openai
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from running import started

from transformers_llm import (
    config,
    files,
    manifest,
    serve,
    store,
)

SOURCE = "memory://models/tiny"


@pytest.fixture
def remote(model_dir) -> Iterator[MemoryFileSystem]:
    """A store in memory that holds the model, and what nobody asked for."""
    it = fsspec.filesystem("memory")
    it.put(str(model_dir), "/models/tiny", recursive=True)
    it.pipe_file("/models/tiny/pytorch_model.bin", b"a pickle")
    it.pipe_file("/models/tiny/original/model.safetensors", b"the same again")
    yield it
    it.rm("/models", recursive=True)


@pytest.fixture
def offline(monkeypatch):
    """Switches the store off."""

    def fail(*_: object, **__: object) -> None:
        raise ConnectionError("no network")

    def switch() -> None:
        monkeypatch.setattr(MemoryFileSystem, "ls", fail)
        monkeypatch.setattr(MemoryFileSystem, "get", fail)

    return switch


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.usefixtures("remote")
def test_a_url_is_fetched_without_pickles_and_folders(model_dir, tmp_path):
    found, fetched = store.find(SOURCE, tmp_path / "cache")
    assert names(found) == names(model_dir) | {manifest.MANIFEST}
    assert fetched.sha256 == files.sha256_of(model_dir)
    # The same files at another place are the same version.
    again, _ = store.find(f"file://{model_dir}", tmp_path / "cache")
    assert again == found
    left = {path.name.partition("-")[0] for path in (tmp_path / "cache").iterdir()}
    assert left == {"lock", "last", found.name}


@pytest.mark.usefixtures("remote")
def test_the_second_time_fetches_nothing_and_needs_no_network(
    monkeypatch, offline, tmp_path, caplog
):
    first, _ = store.find(SOURCE, tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(MemoryFileSystem, "get", None)
        assert store.find(SOURCE, tmp_path)[0] == first
    offline()
    assert store.find(SOURCE, tmp_path)[0] == first
    assert "does not answer (no network): the version that it last had serves" in caplog.text
    with pytest.raises(files.ModelError, match="no network"):
        store.find("memory://models/others", tmp_path)


@pytest.mark.usefixtures("remote")
def test_a_version_is_pinned(offline, model_dir, tmp_path):
    with pytest.raises(files.ModelError, match="not 000000000000"):
        store.find(SOURCE, tmp_path, "0" * 12)
    assert not list(tmp_path.glob("*/*.safetensors"))
    version = files.sha256_of(model_dir)[:12]
    first, _ = store.find(SOURCE, tmp_path, version)
    offline()
    assert store.find(SOURCE, tmp_path, version)[0] == first


def test_a_folder_is_hashed_where_a_version_is_asked_for(monkeypatch, model_dir):
    version = files.sha256_of(model_dir)[:12]
    asked = config.Settings(model_dir=str(model_dir), model_version=version)
    assert serve.fetched(asked) == model_dir
    with pytest.raises(files.ModelError, match="is version"):
        serve.fetched(config.Settings(model_dir=str(model_dir), model_version="0" * 12))
    monkeypatch.setattr(files, "sha256_of", None)
    assert serve.fetched(config.Settings(model_dir=str(model_dir))) == model_dir


@pytest.mark.usefixtures("remote")
def test_what_was_damaged_in_the_cache_is_fetched_again(model_dir, tmp_path):
    found, _ = store.find(SOURCE, tmp_path)
    (found / "model.safetensors").write_bytes(b"rot")
    (found / "config.json").unlink()
    again, _ = store.find(SOURCE, tmp_path)
    assert again == found
    for name in names(model_dir):
        assert (again / name).read_bytes() == (model_dir / name).read_bytes()


def test_what_a_killed_process_left_is_cleared_away(remote, tmp_path):
    (tmp_path / "part-old").mkdir()
    store.find(SOURCE, tmp_path)
    assert not list(tmp_path.glob("part-*"))
    # And a new version is found by what the store says, though its size is the same.
    old = remote.cat_file("/models/tiny/model.safetensors")
    remote.pipe_file("/models/tiny/model.safetensors", bytes(reversed(old)))
    new, _ = store.find(SOURCE, tmp_path)
    assert (new / "model.safetensors").read_bytes() == bytes(reversed(old))


def test_the_hub_s_sha256_of_weights_is_checked(monkeypatch, remote, tmp_path):
    listed = MemoryFileSystem.ls
    right = hashlib.sha256(remote.cat_file("/models/tiny/model.safetensors")).hexdigest()

    def hub(sha256: str) -> None:
        def ls(self, path, **words):
            large = {"blob_id": sha256, "lfs": {"sha256": sha256}}
            return [
                it | (large if it["name"].endswith(".safetensors") else {})
                for it in listed(self, path, **words)
            ]

        monkeypatch.setattr(MemoryFileSystem, "ls", ls)

    hub("0" * 64)
    with pytest.raises(files.ModelError, match=r"model\.safetensors is not what"):
        store.find(SOURCE, tmp_path)
    assert not list(tmp_path.glob("*/*.safetensors"))
    hub(right)
    store.find(SOURCE, tmp_path)


def test_what_is_no_model_is_refused(remote, tmp_path):
    remote.pipe_file("/models/empty/readme", b"")
    remote.pipe_file("/models/pickle/config.json", b"{}")
    remote.pipe_file("/models/pickle/pytorch_model.bin", b"")
    for name, why in (("empty", "no config.json"), ("pickle", "no safetensors"), ("none", "none")):
        with pytest.raises(files.ModelError, match=f"memory://models/{name}: .*{why}"):
            store.find(f"memory://models/{name}", tmp_path)


@pytest.mark.parametrize(
    ("source", "package"),
    [("s3://b/m", "s3fs"), ("gs://b/m", "gcsfs"), ("models:/tiny/1", "mlflow-skinny")],
)
def test_a_package_that_is_missing_is_named(monkeypatch, tmp_path, source, package):
    for module in ("s3fs", "gcsfs", "mlflow", "mlflow.artifacts"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(files.ModelError, match=rf"{package}: add it to requirements/runtime"):
        store.find(source, tmp_path)


def test_a_url_serves_and_then_without_its_source(model_dir, tmp_path):
    source = tmp_path / "source"
    fsspec.filesystem("file").put(str(model_dir) + "/", str(source), recursive=True)
    settings = {"SERVE_MODEL_DIR": source.as_uri(), "SERVE_MODEL_CACHE": str(tmp_path / "cache")}
    gone = (
        "from fsspec.implementations.local import LocalFileSystem\n"
        "def fail(*_, **__):\n    raise ConnectionError('no network')\n"
        "LocalFileSystem.ls = fail"
    )
    for patch in ("", gone):
        with started(model_dir, patch, **settings) as it:
            it.wait("/readyz")
            url = f"http://127.0.0.1:{it.port}/v1"
            with openai.OpenAI(base_url=url, api_key="none", max_retries=0) as client:
                answer = client.chat.completions.create(
                    model="transformers-llm",
                    messages=[{"role": "user", "content": "What is the capital of France?"}],
                    temperature=0,
                )
            assert answer.choices[0].message.content == "The capital of France is Paris."


def test_a_source_that_is_not_there_ends_the_process(model_dir, tmp_path):
    source = (tmp_path / "none").as_uri()
    settings = {"SERVE_MODEL_DIR": source, "SERVE_MODEL_CACHE": str(tmp_path / "cache")}
    with started(model_dir, **settings) as it:
        status, log = it.end()
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    assert status == 1
    assert any(source in line["message"] for line in lines)
