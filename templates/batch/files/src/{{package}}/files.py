"""Files that are whole or not there, whatever happens to the machine while they are written."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def write(path: Path, content: bytes, lasting: bool = True) -> None:
    """Writes beside and renames; what shall last is forced to the disk, which takes its time."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    with naming(path):
        try:
            with beside.open("wb") as file:
                file.write(content)
                file.flush()
                if lasting:
                    os.fsync(file.fileno())
            os.replace(beside, path)
        finally:
            beside.unlink(missing_ok=True)
        if lasting:
            sync_folder(path.parent)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Errors in the block say which file it was: of a full disk the system does not."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def sync_folder(folder: Path) -> None:
    """Forces the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def sha256(content: bytes) -> str:
    """The checksum that manifests hold."""
    return hashlib.sha256(content).hexdigest()
