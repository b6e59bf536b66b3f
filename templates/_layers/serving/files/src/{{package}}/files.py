"""Files of a model: of any URL that fsspec knows, or MLflow's models:/; and their checksum."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

# The package that a kind of URL needs, which is also the name of the extra in pyproject.toml.
PACKAGES = {
    "abfs": "adlfs",
    "gs": "gcsfs",
    "hf": "huggingface_hub",
    "models": "mlflow-skinny",
    "s3": "s3fs",
}


class ModelError(RuntimeError):
    """A model that cannot be used; the message says why."""


def sha256_of(folder: Path) -> str:
    """Of all files of a folder, by their names."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        total.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        total.update(digest_of(path))
    return total.hexdigest()


def digest_of(path: Path) -> bytes:
    """The sha256 of one file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.digest()


def is_url(source: str) -> bool:
    """Whether a model is elsewhere; else it is in a folder."""
    return "://" in source or source.startswith("models:/")


def mlflow_of(source: str) -> Any:
    """MLflow, or None where a URL is not its own."""
    if not source.startswith("models:/"):
        return None
    try:
        import mlflow.artifacts
    except ImportError as error:
        raise _missing(source) from error
    return mlflow


def opened(source: str) -> tuple[Any, str]:
    """The file system of a URL, and the folder in it."""
    try:
        from fsspec.core import url_to_fs

        files, root = url_to_fs(source)
    except ImportError as error:
        raise _missing(source) from error
    return files, root


def _missing(source: str) -> ModelError:
    kind = source.partition(":")[0]
    needed = PACKAGES.get(kind, "fsspec")
    return ModelError(f"{kind}: needs the package {needed}: add it to requirements/runtime.txt")


def get(source: str, names: Sequence[str], into: Path) -> None:
    """Copies files of the source, or a single folder of it with all that it holds."""
    if mlflow := mlflow_of(source):
        for name in names:
            mlflow.artifacts.download_artifacts(f"{source}/{name}", dst_path=str(into))
        return
    files, root = opened(source)
    if len(names) == 1:
        files.get(f"{root}/{names[0]}", str(into / names[0]), recursive=True)
    else:
        # As many at a time as the store likes.
        files.get([f"{root}/{name}" for name in names], [str(into / name) for name in names])
