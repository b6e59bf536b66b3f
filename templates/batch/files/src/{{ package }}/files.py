"""Files that are whole or not there, whatever happens to the machine while they are written."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path


def write(path: Path, content: bytes) -> None:
    """Writes beside, forces it to the disk, and renames."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with beside.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)
    sync_folder(path.parent)


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
