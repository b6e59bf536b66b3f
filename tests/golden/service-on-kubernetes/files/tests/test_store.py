"""Models from elsewhere: fetched once, checked, kept, and found without a network."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from it import manifest, store

SOURCE = "memory://models/reviews"


@pytest.fixture
def remote(model_dir) -> Iterator[MemoryFileSystem]:
    """A store in memory that holds the model."""
    files = fsspec.filesystem("memory")
    files.put(str(model_dir), "/models/reviews", recursive=True)
    yield files
    files.rm("/models", recursive=True)


@pytest.fixture
def offline(monkeypatch):
    """Switches the store off."""

    def fail(*_: object, **__: object) -> None:
        raise ConnectionError("no network")

    return lambda: monkeypatch.setattr(MemoryFileSystem, "get", fail)


def version_of(folder: Path) -> str:
    return manifest.read(folder / "manifest.json").sha256


def largest(folder: Path) -> Path:
    return max(folder.glob("weights-*/*"), key=lambda path: path.stat().st_size)


def test_a_folder_is_where_it_is(model_dir, tmp_path):
    found, checked = store.find(str(model_dir), tmp_path)
    assert found == model_dir
    assert checked == manifest.verify(model_dir)
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("remote")
def test_a_url_is_fetched_and_checked(model_dir, tmp_path):
    found, checked = store.find(SOURCE, tmp_path / "cache")
    assert found.is_relative_to(tmp_path / "cache")
    assert checked == manifest.verify(found) == manifest.verify(model_dir)
    # The same files at another place are the same version.
    again, _ = store.find(f"file://{model_dir}", tmp_path / "cache")
    assert again == found


@pytest.mark.usefixtures("remote")
def test_the_second_time_needs_no_network(offline, tmp_path):
    first, _ = store.find(SOURCE, tmp_path)
    offline()
    assert store.find(SOURCE, tmp_path)[0] == first
    with pytest.raises(manifest.ModelError, match="no network"):
        store.find("memory://models/others", tmp_path)


@pytest.mark.usefixtures("remote")
def test_a_version_that_is_there_is_not_asked_for(offline, model_dir, tmp_path):
    first, _ = store.find(SOURCE, tmp_path)
    offline()
    version = version_of(model_dir)[:12]
    # Not even one that nobody has asked for under this name.
    assert store.find("memory://models/others", tmp_path, version)[0] == first


@pytest.mark.usefixtures("remote")
@pytest.mark.parametrize("source", [SOURCE, "folder"])
def test_another_version_than_the_wanted_one_is_refused(model_dir, tmp_path, source):
    wanted = "0" * 12
    with pytest.raises(manifest.ModelError, match=f"not {wanted}"):
        store.find(source if source == SOURCE else str(model_dir), tmp_path, wanted)
    with pytest.raises(manifest.ModelError, match="SERVE_MODEL_VERSION"):
        store.find(source, tmp_path, "newest")


@pytest.mark.usefixtures("remote")
def test_what_was_damaged_in_the_cache_is_fetched_again(tmp_path):
    found, _ = store.find(SOURCE, tmp_path)
    largest(found).write_bytes(b"rot")
    with pytest.raises(manifest.ModelError):
        manifest.verify(found)
    again, _ = store.find(SOURCE, tmp_path)
    assert again == found
    manifest.verify(found)


def test_what_is_damaged_at_its_source_is_refused_and_not_kept(remote, model_dir, tmp_path):
    path = largest(model_dir).relative_to(model_dir)
    remote.pipe_file(f"/models/reviews/{path}", b"rot")
    with pytest.raises(manifest.ModelError, match="is not what"):
        store.find(SOURCE, tmp_path)
    assert not list(tmp_path.glob("*/weights-*"))


def test_a_new_version_is_found(remote, model_dir, tmp_path):
    old, _ = store.find(SOURCE, tmp_path)
    other = shutil.copytree(model_dir, tmp_path / "other")
    largest(other).write_bytes(b"other weights")
    checked = manifest.read(other / "manifest.json")
    sha256 = manifest.sha256_of(other / checked.weights)
    text = json.loads((other / "manifest.json").read_text())
    (other / "manifest.json").write_text(json.dumps({**text, "sha256": sha256}))
    remote.rm("/models/reviews", recursive=True)
    remote.put(str(other), "/models/reviews", recursive=True)
    new, _ = store.find(SOURCE, tmp_path)
    assert new != old
    assert version_of(new) == sha256


def versions(model_dir: Path, tmp_path: Path, count: int) -> list[Path]:
    """Sources that have a version each."""
    found = []
    for number in range(count):
        other = shutil.copytree(model_dir, tmp_path / f"source-{number}")
        largest(other).write_bytes(b"weights %d" % number)
        text = json.loads((other / "manifest.json").read_text())
        sha256 = manifest.sha256_of(other / text["weights"])
        (other / "manifest.json").write_text(json.dumps({**text, "sha256": sha256}))
        found.append(other)
    return found


def test_the_versions_used_last_are_kept_and_what_is_in_use(model_dir, tmp_path):
    cache = tmp_path / "cache"
    *all_of_one, other = versions(model_dir, tmp_path, 5)
    source = tmp_path / "source"

    def start(one: Path, place: Path, keep: str) -> subprocess.Popen[str]:
        if one != place:
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(one, place)
        words = [sys.executable, "-c", FETCH, f"file://{place}", str(cache), keep]
        it = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert it.stdout.readline()
        return it

    def kept() -> set[str]:
        return {path.name for path in cache.iterdir() if len(path.name) == 16}

    names = [version_of(one)[:16] for one in [*all_of_one, other]]
    running = start(all_of_one[0], source, "0")
    for one in [other, *all_of_one[1:3]]:
        start(one, other if one == other else source, "0").communicate()
    assert kept() == {*names[:3], names[4]}
    # The first is running, and the last one is the newest of its source.
    start(all_of_one[3], source, "1").communicate()
    assert kept() == {names[0], names[3], names[4]}
    running.communicate()
    start(all_of_one[3], source, "1").communicate()
    assert kept() == {names[3], names[4]}


def test_what_a_killed_download_left_is_deleted(model_dir, tmp_path):
    cut = "store.get = lambda *_: os.kill(os.getpid(), 9)"
    script = f"import os\n{FETCH}".replace("print(", f"{cut}\nprint(")
    words = [sys.executable, "-c", script, f"file://{model_dir}", str(tmp_path / "cache"), "0"]
    assert subprocess.run(words, check=False).returncode == -9
    assert list((tmp_path / "cache").glob(f"{store.SCRATCH}*"))
    store.find(f"file://{model_dir}", tmp_path / "cache")
    assert not list((tmp_path / "cache").glob(f"{store.SCRATCH}*"))


def test_no_model_at_the_source_is_said(remote, tmp_path):
    remote.pipe_file("/models/empty/readme", b"")
    with pytest.raises(manifest.ModelError, match=r"memory://models/empty: .*manifest\.json"):
        store.find("memory://models/empty", tmp_path)


@pytest.mark.parametrize(
    ("source", "package"),
    [("s3://b/m", "s3fs"), ("gs://b/m", "gcsfs"), ("models:/reviews/1", "mlflow-skinny")],
)
def test_a_package_that_is_missing_is_named(monkeypatch, tmp_path, source, package):
    for module in ("s3fs", "gcsfs", "mlflow", "mlflow.artifacts"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(manifest.ModelError, match=rf"{package}: add it to requirements/runtime"):
        store.find(source, tmp_path)


def test_a_cache_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(manifest.ModelError, match="SERVE_MODEL_CACHE"):
        store.find(SOURCE, tmp_path / "file/cache")


FETCH = """
import sys
from pathlib import Path
from it import store
print(store.find(sys.argv[1], Path(sys.argv[2]), keep=int(sys.argv[3]))[0], flush=True)
sys.stdin.read()
"""


def test_processes_that_start_together_share_what_one_fetches(model_dir, tmp_path):
    words = [sys.executable, "-c", FETCH, f"file://{model_dir}", str(tmp_path / "cache"), "3"]

    def start(_: int) -> str:
        return subprocess.run(words, input="", capture_output=True, text=True, check=True).stdout

    with ThreadPoolExecutor() as pool:
        found = set(pool.map(start, range(4)))
    assert len(found) == 1
    manifest.verify(Path(found.pop().strip()))
    # Nothing half-done is left.
    names = [path.name for path in (tmp_path / "cache").iterdir()]
    assert len(names) == 3
    assert "lock" in names
