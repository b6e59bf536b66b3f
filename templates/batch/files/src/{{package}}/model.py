"""The model that a run leaves: weights and a manifest, checked when they are read.

manifest.json                 settings, encoder, scores, and the name of every other file
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
from .batches import take
from .config import Settings, known
from .data import Arrays, Encoder, Item
from .errors import InputError

FORMAT = 2
MANIFEST = "manifest.json"


@dataclass(frozen=True)
class Model:
    """A network that can be asked about items."""

    learner: backend.Learner
    encoder: Encoder
    checksum: str = ""  # of the manifest that it was read from

    def predict(self, items: Sequence[Item]) -> NDArray[np.float32]:
        """Predictions, a row for each item."""
        rows = list(predictions(self.learner, self.encoder.inputs(items), len(items)))
        return np.concatenate(rows) if rows else np.zeros((0, len(self.encoder.labels)), "f4")


def predictions(
    learner: backend.Learner, inputs: Arrays, count: int
) -> Iterator[NDArray[np.float32]]:
    """A row for each item, some at a time. A batch that does not fit is halved."""
    if not count:
        return
    try:
        yield learner.predict(inputs)
        return
    except Exception as error:
        # Several processes may predict together: then none may do so in other parts than the rest.
        if count == 1 or learner.world.size > 1 or not backend.is_out_of_memory(error):
            raise
    # Outside: what the error holds must be gone first.
    backend.free_memory(learner.device)
    half = count // 2
    yield from predictions(learner, take(inputs, slice(half)), half)
    yield from predictions(learner, take(inputs, slice(half, None)), count - half)


def save(folder: Path, model: Model, settings: Settings, scores: dict[str, float]) -> None:
    """Writes a model, whole or not at all, in the place of what was there.

    Of several processes all must call it: each may hold a part of the weights. The first writes.
    """
    weights = model.learner.weights()
    if model.learner.world.first:
        write(folder, weights, _about(model, settings, scores), model)


def _about(model: Model, settings: Settings, scores: dict[str, float]) -> dict[str, Any]:
    return {
        "framework": backend.NAME,
        "scores": scores,
        "settings": asdict(settings),
        "encoder": model.encoder.state(),
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
    settings = known(manifest["settings"])
    encoder = Encoder.load(manifest["encoder"])
    learner = backend.Learner(settings, encoder, device)
    learner.load_weights(shrink.expand(arrays))
    return Model(learner, encoder, files.sha256((folder / MANIFEST).read_bytes()))
