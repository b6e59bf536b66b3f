"""What was fetched: the files of a language model, and their checksum.

At its source a model is a plain folder. Its files are hashed once, when they were fetched; later
starts look whether the source still lists the same ones, and whether ours have their sizes.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .files import ModelError, digest_of, mlflow_of, opened, sha256_of

MANIFEST = ".manifest.json"
FORMAT = 1
# Configuration, tokenizer, weights: what is not of these is not fetched. Other forms of the same
# weights would be as large again, and a pickle can run anything.
KINDS = (".json", ".jinja", ".model", ".safetensors", ".tiktoken", ".txt")
# Where stores say that a file is another one: the hub, S3, GCS, Azure, and those that know times.
MARKS = ("blob_id", "ETag", "md5Hash", "etag", "mtime", "modified", "created")


@dataclass(frozen=True)
class File:
    """What a source says of a file: another mark is another content. `sha256` if it knows it."""

    size: int
    mark: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Manifest:
    """What a source offers; `sha256`, that of the whole, is known when it was fetched."""

    # The same content is the same model, wherever it is from.
    files: dict[str, File] = field(compare=False)
    sha256: str = ""
    format: int = FORMAT

    @property
    def parts(self) -> list[str]:
        """What is fetched."""
        return list(self.files)


def offered(source: str, known: Manifest | None, _: Path) -> Manifest:
    """What a source has now: the known one, if that is the same."""
    files = _of_mlflow(source) if mlflow_of(source) else _of_store(source)
    files = {name: file for name, file in sorted(files.items()) if name.endswith(KINDS)}
    if "config.json" not in files:
        raise ModelError("no config.json: this is not the folder of a model")
    if not any(name.endswith(".safetensors") for name in files):
        raise ModelError("no safetensors: other forms of weights are not taken")
    return known if known and known.files == files else Manifest(files)


def _of_store(source: str) -> dict[str, File]:
    store, root = opened(source)
    listed = store.ls(root, detail=True)
    return {_name(it["name"]): _file(it) for it in listed if it["type"] == "file"}


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _file(it: dict[str, Any]) -> File:
    mark = next((str(it[key]) for key in MARKS if it.get(key)), "")
    # Git's large files, on the hub.
    return File(it["size"], mark, (it.get("lfs") or {}).get("sha256", ""))


def _of_mlflow(source: str) -> dict[str, File]:
    """Its registry does not mark files: where the version is kept is a mark of all of them."""
    from mlflow.store.artifact.models_artifact_repo import ModelsArtifactRepository

    place = ModelsArtifactRepository.get_underlying_uri(source)
    listed = mlflow_of(source).artifacts.list_artifacts(artifact_uri=source)
    return {_name(it.path): File(it.file_size, place) for it in listed if not it.is_dir}


def seal(manifest: Manifest, folder: Path) -> Manifest:
    """Takes the checksum of what was fetched."""
    for name, file in manifest.files.items():
        path = folder / name
        if path.stat().st_size != file.size:
            raise ModelError(f"{name} did not arrive whole")
        if file.sha256 and digest_of(path).hex() != file.sha256:
            raise ModelError(f"{name} is not what its source says: its sha256 is another")
    sealed = replace(manifest, sha256=sha256_of(folder))
    write(sealed, folder)
    return sealed


def verify(folder: Path) -> Manifest:
    """The manifest of a folder that was fetched; any other is hashed, which may take long."""
    if not (folder / MANIFEST).exists():
        return Manifest({}, sha256_of(folder))
    manifest = read(folder / MANIFEST)
    for name, file in manifest.files.items():
        try:
            size = (folder / name).stat().st_size
        except OSError as error:
            raise ModelError(f"{folder / name}: {error.strerror}") from error
        if size != file.size:
            raise ModelError(f"{folder / name} has {size} bytes, not {file.size}")
    return manifest


def write(manifest: Manifest, folder: Path) -> None:
    """Puts it where readers find the old one or this one, never a part."""
    text = folder / (MANIFEST + ".new")
    text.write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
    os.replace(text, folder / MANIFEST)


def read(path: Path) -> Manifest:
    """A manifest, without a look at the files."""
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        files = {name: File(**file) for name, file in written.pop("files").items()}
        manifest = Manifest(files, **written)
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise ModelError(f"{path}: {error}") from error
    if manifest.format != FORMAT:
        raise ModelError(f"{path}: format {manifest.format}, this program reads {FORMAT}")
    return manifest
