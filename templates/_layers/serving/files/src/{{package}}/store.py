"""Models from elsewhere: s3://, gs://, hf://, any URL that fsspec knows, and MLflow's models:/.

What was fetched is checked as manifest.py says, and kept by its checksum. Later starts need no
network: they ask for the newest version, and take the last one where nobody answers.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from .files import ModelError, get, is_url
from .manifest import MANIFEST, Manifest, offered, read, seal, verify, write

log = logging.getLogger(__name__)

# What a process that was killed left behind begins so, too.
SCRATCH = "part-"
# The folders that this process has, open until its end: others see by their locks that it does.
_in_use: list[int] = []


def find(source: str, cache: Path, version: str = "", keep: int = 0) -> tuple[Path, Manifest]:
    """The folder of a model that was checked; `version` is how its checksum must begin.

    Of the versions in the cache those used last are kept, as many as `keep`; 0: all.
    """
    if not re.fullmatch("[0-9a-f]{0,64}", version):
        raise ModelError(f"SERVE_MODEL_VERSION: '{version}' is not the beginning of a sha256")
    if is_url(source):
        return _fetch(source.rstrip("/"), cache, version, keep)
    manifest = verify(Path(source))
    _demand(source, manifest, version)
    return Path(source), manifest


def _fetch(source: str, cache: Path, version: str, keep: int) -> tuple[Path, Manifest]:
    last = cache / f"last-{hashlib.sha256(source.encode()).hexdigest()[:16]}"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with _alone(cache):
            # Who fetches is alone: these are of processes that were killed.
            for left in cache.glob(f"{SCRATCH}*"):
                shutil.rmtree(left, ignore_errors=True)
            kept = _kept(cache, version)
            manifest = kept or _newest(source, last)
            if manifest.sha256:
                _demand(source, manifest, version)
            folder = cache / manifest.sha256[:16]
            if not (manifest.sha256 and _is_whole(folder, manifest)):
                folder, manifest = _download(source, manifest, cache, version)
            if not kept:
                last.mkdir(exist_ok=True)
                write(manifest, last)
            _use(folder)
            if keep:
                _forget(cache, keep)
    except OSError as error:
        raise ModelError(f"{error}: SERVE_MODEL_CACHE names a folder to write to") from error
    return folder, manifest


def _demand(source: str, manifest: Manifest, version: str) -> None:
    if not manifest.sha256.startswith(version):
        raise ModelError(f"{source} is version {manifest.sha256[:12]}, not {version}")


@contextmanager
def _alone(cache: Path) -> Iterator[None]:
    """One process at a time: the others then find what it fetched."""
    with (cache / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _use(folder: Path) -> None:
    """Nobody deletes it until this process ends."""
    _in_use.append(os.open(folder, os.O_RDONLY))
    with suppress(OSError):  # where there are no such locks, nothing is ever deleted
        fcntl.flock(_in_use[-1], fcntl.LOCK_SH | fcntl.LOCK_NB)
    with suppress(OSError):
        os.utime(folder)


def _forget(cache: Path, keep: int) -> None:
    """Deletes what is older than the last `keep`, in use nowhere, and no source's newest."""
    newest = {it.sha256[:16] for path in cache.glob(f"last-*/{MANIFEST}") if (it := _known(path))}
    found = [path for path in cache.iterdir() if re.fullmatch("[0-9a-f]{16}", path.name)]
    found.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for old in found[keep:]:
        if old.name not in newest and not _is_used(old):
            log.info("%s: no longer kept", old)
            shutil.rmtree(old, ignore_errors=True)


def _is_used(folder: Path) -> bool:
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(opened)
    return False


def _kept(cache: Path, version: str) -> Manifest | None:
    """The version that is wanted, where it is there already: nobody has to be asked."""
    if version:
        for path in cache.glob(f"{version[:16]}*/{MANIFEST}"):
            manifest = read(path)
            if manifest.sha256.startswith(version):
                return manifest
    return None


def _newest(source: str, last: Path) -> Manifest:
    """What the source has now, or had when it was last asked."""
    known = _known(last / MANIFEST)
    try:
        with TemporaryDirectory(prefix=SCRATCH, dir=last.parent) as scratch:
            return offered(source, known, Path(scratch))
    except (ModelError, FileNotFoundError, PermissionError) as error:
        raise ModelError(f"{source}: {error}") from error
    except Exception as error:
        if not known:
            raise ModelError(f"{source}: {type(error).__name__}: {error}") from error
        log.warning("%s does not answer (%s): the version that it last had serves", source, error)
        return known


def _known(path: Path) -> Manifest | None:
    """A manifest that may be damaged or not there: then it is as if nobody had asked."""
    try:
        return read(path)
    except ModelError:
        return None


def _is_whole(folder: Path, manifest: Manifest) -> bool:
    if not folder.exists():
        return False
    try:
        return verify(folder) == manifest
    except ModelError as error:
        log.warning("%s: it is fetched again", error)
        return False


def _download(source: str, manifest: Manifest, cache: Path, version: str) -> tuple[Path, Manifest]:
    """Everything beside its place, then at once into it."""
    log.info("fetching %s", source)
    with TemporaryDirectory(prefix=SCRATCH, dir=cache) as scratch:
        new = Path(scratch) / "model"
        new.mkdir()
        try:
            get(source, manifest.parts, new)
        except Exception as error:
            raise ModelError(f"{source}: {type(error).__name__}: {error}") from error
        manifest = seal(manifest, new)
        _demand(source, manifest, version)
        folder = cache / manifest.sha256[:16]
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(new, folder)
    log.info("fetched version %s", manifest.sha256[:12])
    return folder, manifest
