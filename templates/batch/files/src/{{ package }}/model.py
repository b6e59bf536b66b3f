"""The model that a run leaves: weights and a manifest, checked when they are read.

manifest.json                 settings, words, labels, accuracy, and the name of every other file
weights-CHECKSUM.safetensors  numbers, no code
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import backend, checkpoint, files, shrink
from .config import Settings
from .data import Vocabulary
from .errors import InputError

FORMAT = 1
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Model:
    """A network that can be asked about texts."""

    learner: backend.Learner
    vocabulary: Vocabulary
    labels: list[str]

    def classify(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Probabilities, one row for each text. A batch that does not fit is halved."""
        rows = list(self._rows(self.vocabulary.encode(texts)))
        return np.concatenate(rows) if rows else np.zeros((0, len(self.labels)), np.float32)

    def _rows(self, tokens: NDArray[np.int32]) -> Iterator[NDArray[np.float32]]:
        if not len(tokens):
            return
        try:
            yield self.learner.predict(tokens)
            return
        except Exception as error:
            if len(tokens) == 1 or not backend.is_out_of_memory(error):
                raise
        # Outside: what the error holds must be gone first.
        backend.free_memory(self.learner.device)
        half = len(tokens) // 2
        yield from self._rows(tokens[:half])
        yield from self._rows(tokens[half:])


def save(folder: Path, model: Model, settings: Settings, accuracy: float) -> None:
    """Writes a model, whole or not at all, in the place of what was there."""
    write(folder, model.learner.weights(), _about(model, settings, accuracy), model)


def _about(model: Model, settings: Settings, accuracy: float) -> dict[str, Any]:
    return {
        "framework": backend.NAME,
        "accuracy": accuracy,
        "labels": model.labels,
        "settings": asdict(settings),
        "words": model.vocabulary.words,
    }


def write(folder: Path, arrays: checkpoint.Arrays, about: dict[str, Any], model: Model) -> None:
    """Writes arrays and what is to be known about them; the manifest last, so that it is true."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {"weights.safetensors": checkpoint.pack(arrays), **model.learner.artefacts()}
    names = {}
    for name, content in contents.items():
        stem, _, ending = name.rpartition(".")
        checksum = files.sha256(content)
        names[name] = {"file": f"{stem}-{checksum[:16]}.{ending}", "sha256": checksum}
        if not (folder / names[name]["file"]).exists():
            files.write(folder / names[name]["file"], content)
    manifest = {**about, "format": FORMAT, "files": names}
    files.write(folder / MANIFEST, (json.dumps(manifest, indent=1) + "\n").encode())
    kept = {MANIFEST, *(entry["file"] for entry in names.values())}
    for path in folder.iterdir():
        if path.name not in kept:
            path.unlink()


def read(folder: Path) -> tuple[dict[str, Any], checkpoint.Arrays]:
    """The manifest and the arrays, as they were written."""
    path = folder / MANIFEST
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise InputError(f"{path}: format {manifest['format']}, this program reads {FORMAT}")
        entry = manifest["files"]["weights.safetensors"]
        content = (folder / entry["file"]).read_bytes()
        if files.sha256(content) != entry["sha256"]:
            raise InputError(f"{folder / entry['file']} is not the file that was written")
        return manifest, checkpoint.unpack(content)
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}: `make train` makes one") from error
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: {error}") from error


def load(folder: Path, device: str) -> Model:
    """Reads a model and puts it on the device."""
    manifest, arrays = read(folder)
    if manifest["framework"] != backend.NAME:
        raise InputError(f"{folder} was made by {manifest['framework']}, this is {backend.NAME}")
    settings = Settings(**manifest["settings"])
    vocabulary = Vocabulary(manifest["words"], settings.length)
    learner = backend.Learner(settings, len(vocabulary), len(manifest["labels"]), device)
    learner.load_weights(shrink.expand(arrays))
    return Model(learner, vocabulary, manifest["labels"])
