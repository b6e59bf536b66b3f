"""Checkpoints: written whole or not at all, checked when read, the newest good one taken.

Where all are damaged nothing is taken and nothing thrown away: whoever runs the job decides.

step-00000120.safetensors   weights, optimizer, whatever the backend's state holds
step-00000120.json          progress, settings, and the checksum of the former: written last
latest                      the name of the newest, for people and other programs
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray

from . import files
from .errors import InputError

Arrays = dict[str, NDArray[Any]]
FORMAT = 1
_NAME = re.compile(r"step-(\d{8,})\.json")
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Checkpoint:
    """A run after so many steps."""

    step: int
    arrays: Arrays
    # What is not an array, as JSON: the order of the data, the best score so far, the settings.
    progress: dict[str, Any]


def save(folder: Path, checkpoint: Checkpoint, keep: int) -> None:
    """Writes a checkpoint; when it is safe, keeps it and the `keep` - 1 before it."""
    folder.mkdir(parents=True, exist_ok=True)
    name = f"step-{checkpoint.step:08d}"
    content = pack(checkpoint.arrays)
    manifest = {
        "format": FORMAT,
        "step": checkpoint.step,
        "sha256": files.sha256(content),
        "progress": checkpoint.progress,
    }
    files.write(folder / f"{name}.safetensors", content)
    files.write(folder / f"{name}.json", _signed(manifest))
    files.write(folder / "latest", f"{name}\n".encode())
    _prune(folder, name, keep)


def load(folder: Path, restart: bool = False) -> Checkpoint | None:
    """The newest checkpoint that is whole, None where there is none at all.

    A damaged one is told and skipped. Where all are damaged, `restart` is to begin again.
    """
    names = list(_names(folder))
    for name in names:
        try:
            return _read(folder, name)
        except InputError:
            raise
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.warning("%s is damaged, taking the one before: %s", folder / name, error)
    if names and not restart:
        raise InputError(
            f"{folder}: all {len(names)} checkpoints are damaged, nothing was changed: put good "
            "ones there, or begin again with --restart or another --out"
        )
    if names:
        log.warning("all checkpoints are damaged: beginning again")
    return None


def pack(arrays: Arrays) -> bytes:
    """Arrays as safetensors: plain numbers, no code."""
    plain = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    # A number without dimensions loses its shape in ascontiguousarray.
    shaped = {name: plain[name].reshape(np.shape(array)) for name, array in arrays.items()}
    return safetensors.numpy.save(shaped)


def unpack(content: bytes) -> Arrays:
    """What `pack` was given."""
    try:
        return safetensors.numpy.load(content)
    except safetensors.SafetensorError as error:
        raise ValueError(str(error)) from error


def _signed(manifest: dict[str, Any]) -> bytes:
    text = json.dumps(manifest, sort_keys=True)
    return f"{text}\n{files.sha256(text.encode())}\n".encode()


def _read(folder: Path, name: str) -> Checkpoint:
    text, checksum = (folder / f"{name}.json").read_text(encoding="utf-8").splitlines()
    if files.sha256(text.encode()) != checksum:
        raise ValueError("its manifest was changed")
    manifest = json.loads(text)
    if manifest["format"] != FORMAT:
        raise InputError(
            f"{folder / name} has format {manifest['format']}, this program reads {FORMAT}: go on "
            "with the version that wrote it, or begin again with another --out"
        )
    content = (folder / f"{name}.safetensors").read_bytes()
    if files.sha256(content) != manifest["sha256"]:
        raise ValueError("its arrays were changed")
    return Checkpoint(manifest["step"], unpack(content), manifest["progress"])


def _names(folder: Path) -> Iterator[str]:
    """Newest first."""
    found = [path for path in folder.glob("step-*.json") if _NAME.fullmatch(path.name)]
    yield from sorted((path.stem for path in found), key=lambda name: -int(name[5:]))


def _prune(folder: Path, newest: str, keep: int) -> None:
    """Drops what is older than wanted, and what has a later step: left by a run that went wrong."""
    names = list(_names(folder))
    kept = set(names[names.index(newest) :][:keep])
    for path in [*folder.glob("step-*"), *folder.glob(".*.new")]:
        # The manifest first: arrays without one are no checkpoint.
        if path.stem not in kept:
            path.with_suffix(".json").unlink(missing_ok=True)
            path.unlink(missing_ok=True)
    files.sync_folder(folder)
