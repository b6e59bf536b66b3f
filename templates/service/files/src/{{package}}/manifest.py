"""A model on disk: weights, and a manifest with their checksum and a known answer."""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .files import ModelError as ModelError
from .files import get
from .files import sha256_of as sha256_of

MANIFEST = "manifest.json"
FORMAT = 3


@dataclass(frozen=True)
class Manifest:
    """What belongs to the weights: enough to load them, and to know whether they work."""

    format: int
    # The folder of the weights, beside this file, and what is in it.
    weights: str
    sha256: str
    framework: str
    metrics: dict[str, float]
    # An instance, and what this model answered to it where it was trained; both as JSON.
    probe: Any
    answer: Any

    @property
    def parts(self) -> list[str]:
        """What is fetched with it."""
        return [self.weights]


def write(manifest: Manifest, folder: Path) -> None:
    """Puts it where readers find the old one or this one, never a part."""
    text = folder / (MANIFEST + ".new")
    text.write_text(json.dumps(asdict(manifest), indent=2) + "\n", encoding="utf-8")
    os.replace(text, folder / MANIFEST)


def verify(folder: Path) -> Manifest:
    """The manifest of a folder whose weights are those that it was written for."""
    manifest = read(folder / MANIFEST)
    weights = folder / manifest.weights
    try:
        if sha256_of(weights) != manifest.sha256:
            raise ModelError(f"{weights} is not what {MANIFEST} was written for")
    except OSError as error:
        raise ModelError(f"{weights}: {error.strerror}") from error
    return manifest


def read(path: Path) -> Manifest:
    """A manifest, without a look at the weights."""
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}: `make model` trains one") from error
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from error
    if not isinstance(written, dict) or written.get("format") != FORMAT:
        found = written.get("format") if isinstance(written, dict) else None
        raise ModelError(
            f"{path}: format {found}, this program reads {FORMAT}: `make model` trains it anew"
        )
    try:
        manifest = Manifest(**written)
    except TypeError as error:
        raise ModelError(f"{path}: {error}") from error
    if Path(manifest.weights).name != manifest.weights:
        raise ModelError(f"{path}: the weights are not beside it")
    if not re.fullmatch(r"[0-9a-f]{64}", manifest.sha256):
        raise ModelError(f"{path}: '{manifest.sha256}' is not a sha256")
    return manifest


def offered(source: str, _: Manifest | None, scratch: Path) -> Manifest:
    """What a source has now, by the manifest that is there."""
    get(source, [MANIFEST], scratch)
    return read(scratch / MANIFEST)


def seal(manifest: Manifest, folder: Path) -> Manifest:
    """Makes weights that were fetched a model, if they are those that were wanted."""
    write(manifest, folder)
    return verify(folder)
