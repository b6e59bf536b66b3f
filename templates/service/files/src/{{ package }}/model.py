"""The model: what is on disk, and how it answers. Knows no framework: backend.py does."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from . import backend

MANIFEST = "manifest.json"
FORMAT = 2
# How far a device may be from the scores of the one that trained the model.
TOLERANCES = {"float32": 1e-3, "bfloat16": 5e-2}


class ModelError(RuntimeError):
    """A model that cannot be used; the message says why."""


@dataclass(frozen=True)
class Manifest:
    """What belongs to the weights: enough to load them, and to know whether they work."""

    format: int
    labels: list[str]
    # The folder of the weights, beside this file, and what is in it.
    weights: str
    sha256: str
    framework: str
    accuracy: float
    # A text, and the probabilities that this model gave for it where it was trained.
    probe_text: str
    probe_scores: list[float]


class TextModel:
    """A loaded model on one device."""

    def __init__(
        self, network: backend.Network, manifest: Manifest, precision: str = "float32"
    ) -> None:
        self._network = network
        self._manifest = manifest
        self._tolerance = TOLERANCES[precision]
        self.labels = manifest.labels
        self.version = manifest.sha256[:12]

    def classify(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities of all labels, one list for each text."""
        return self._network.predict(texts)

    def prove(self) -> None:
        """Runs a known text on the device: raises unless the answer is the known one."""
        expected = self._manifest.probe_scores
        scores = self.classify([self._manifest.probe_text])[0]
        if len(scores) != len(expected) or any(
            not abs(got - wanted) <= self._tolerance
            for got, wanted in zip(scores, expected, strict=True)
        ):
            raise ModelError(f"{self._network.device} computes {scores}, not {expected}")

    def warm_up(self, max_batch: int) -> int:
        """Runs batches of all sizes that come first; returns the largest that fits."""
        fits = 0
        for size in [*(1 << power for power in range(max_batch.bit_length())), max_batch]:
            try:
                self.classify([self._manifest.probe_text] * size)
            except Exception as error:
                if fits == 0 or not self.is_out_of_memory(error):
                    raise
                break
            fits = size
        return fits

    def info(self) -> dict[str, str]:
        """What runs where, for logs and metrics."""
        device = self._network.device
        return {
            "model": self.version,
            "device": device,
            "device_name": backend.device_name(device),
            **backend.info(),
        }

    def memory(self) -> tuple[int, int]:
        """Bytes held on the device by this process, and the device's all."""
        return backend.memory(self._network.device)

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether a smaller batch may succeed; frees what can be freed."""
        if not backend.is_out_of_memory(error):
            return False
        backend.free_memory(self._network.device)
        return True


def save(network: backend.Network, manifest: Manifest, folder: Path) -> None:
    """Writes weights, then manifest: a reader finds the old model or the new one, never a mix."""
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / "weights.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    network.save(new)
    for path in new.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    sha256 = _sha256(new)
    weights = f"weights-{sha256[:12]}"
    shutil.rmtree(folder / weights, ignore_errors=True)
    os.replace(new, folder / weights)
    complete = {**asdict(manifest), "weights": weights, "sha256": sha256}
    text = folder / (MANIFEST + ".new")
    text.write_text(json.dumps(complete, indent=2) + "\n", encoding="utf-8")
    os.replace(text, folder / MANIFEST)
    for old in folder.glob("weights-*"):
        if old.name != weights:
            shutil.rmtree(old)


def load(
    folder: Path, device: str, memory_fraction: float = 1.0, precision: str = "float32"
) -> TextModel:
    """Reads and checks a model, puts it on the device and proves that it works there."""
    if precision not in backend.PRECISIONS:
        known = ", ".join(backend.PRECISIONS)
        raise ModelError(f"{backend.NAME} computes here in {known}, not in {precision}")
    manifest = _read_manifest(folder / MANIFEST)
    weights = folder / manifest.weights
    try:
        if _sha256(weights) != manifest.sha256:
            raise ModelError(f"{weights} is not what {MANIFEST} was written for")
    except OSError as error:
        raise ModelError(f"{weights}: {error.strerror}") from error
    chosen = backend.pick_device(device)
    backend.limit_memory(chosen, memory_fraction)
    network = backend.Network(len(manifest.labels), chosen, precision=precision)
    network.load(weights)
    model = TextModel(network, manifest, precision)
    model.prove()
    return model


def _read_manifest(path: Path) -> Manifest:
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ModelError(f"{path}: {error.strerror}: `make model` trains one") from error
    except ValueError as error:
        raise ModelError(f"{path}: {error}") from error
    if not isinstance(written, dict) or written.get("format") != FORMAT:
        found = written.get("format") if isinstance(written, dict) else None
        raise ModelError(f"{path}: format {found}, this program reads {FORMAT}: `make model`")
    try:
        manifest = Manifest(**written)
    except TypeError as error:
        raise ModelError(f"{path}: {error}") from error
    if Path(manifest.weights).name != manifest.weights:
        raise ModelError(f"{path}: the weights are not beside it")
    return manifest


def _sha256(folder: Path) -> str:
    """Of all files of a folder, by their names."""
    total = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        total.update(f"{path.relative_to(folder).as_posix()}\0".encode())
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()
