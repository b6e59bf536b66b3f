"""The model: what is on disk, and how it answers. What computes is in backend.py."""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from . import backend, devices, schemas
from .manifest import FORMAT, MANIFEST, Manifest, ModelError, sha256_of, verify, write

_INSTANCE: TypeAdapter[Any] = TypeAdapter(schemas.Instance)


class Model:
    """A loaded model on one device."""

    def __init__(
        self, network: backend.Network, manifest: Manifest, precision: str = "float32"
    ) -> None:
        self._network = network
        self._answer = manifest.answer
        self._tolerance = backend.PRECISIONS[precision]
        try:
            self._probe = _INSTANCE.validate_python(manifest.probe)
        except ValidationError as error:
            raise ModelError(f"{MANIFEST}: the probe is not an instance: {error}") from error
        self.version = manifest.sha256[:12]
        # Of those that can: None where backend.py has no such method.
        self.stream: Callable[[schemas.Instance], Iterator[schemas.Prediction]] | None
        self.stream = getattr(network, "stream", None)

    def predict(self, instances: Sequence[schemas.Instance]) -> list[schemas.Prediction]:
        """One answer to each instance."""
        return self._network.predict(instances)

    def prove(self) -> None:
        """Runs a known instance on the device: raises unless the answer is the known one."""
        answer = _plain(self.predict([self._probe])[0])
        if not alike(answer, self._answer, self._tolerance):
            raise ModelError(f"{self._network.device} computes {answer}, not {self._answer}")

    def warm_up(self, max_batch: int, worked: Callable[[], None] = lambda: None) -> int:
        """Runs batches of all sizes that come first; returns the largest that fits.

        Calls `worked` after each: all of them may take longer than a pass may that is not stuck.
        """
        fits = 0
        for size in [*(1 << power for power in range(max_batch.bit_length())), max_batch]:
            try:
                self.predict([self._probe] * size)
            except Exception as error:
                if fits == 0 or not self.is_out_of_memory(error):
                    raise
                break
            fits = size
            worked()
        return fits

    def info(self) -> dict[str, str]:
        """What runs where, for logs and metrics."""
        device = self._network.device
        return {
            "model": self.version,
            "device": device,
            "device_name": devices.device_name(device),
            **devices.info(),
        }

    def memory(self) -> tuple[int, int]:
        """Bytes held on the device by this process, and the device's all."""
        return devices.memory(self._network.device)

    def is_out_of_memory(self, error: BaseException) -> bool:
        """Whether a smaller batch may succeed; frees what can be freed."""
        if not devices.is_out_of_memory(error):
            return False
        devices.free_memory(self._network.device)
        return True


def alike(one: Any, other: Any, tolerance: float) -> bool:
    """Whether two answers are the same but for numbers that differ by the tolerance at most."""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        same_keys = one.keys() == other.keys()
        return same_keys and all(alike(one[key], other[key], tolerance) for key in one)
    if isinstance(one, list) and isinstance(other, list):
        pairs = zip(one, other, strict=False)
        return len(one) == len(other) and all(alike(*pair, tolerance) for pair in pairs)
    if isinstance(one, int | float) and isinstance(other, int | float):
        return math.isclose(one, other, rel_tol=tolerance, abs_tol=tolerance)
    return bool(one == other)


def _plain(prediction: schemas.Prediction) -> Any:
    """As JSON has it."""
    return prediction.model_dump(mode="json")


def save(
    network: backend.Network, probe: schemas.Instance, metrics: dict[str, float], folder: Path
) -> None:
    """Writes weights, then manifest: a reader finds the old model or the new one, never a mix."""
    folder.mkdir(parents=True, exist_ok=True)
    new = folder / "weights.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    network.save(new)
    for path in new.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    sha256 = sha256_of(new)
    manifest = Manifest(
        format=FORMAT,
        weights=f"weights-{sha256[:12]}",
        sha256=sha256,
        framework=devices.NAME,
        metrics=metrics,
        probe=_INSTANCE.dump_python(probe, mode="json"),
        answer=_plain(network.predict([probe])[0]),
    )
    shutil.rmtree(folder / manifest.weights, ignore_errors=True)
    os.replace(new, folder / manifest.weights)
    write(manifest, folder)
    for old in folder.glob("weights-*"):
        if old.name != manifest.weights:
            shutil.rmtree(old)


def load(
    folder: Path,
    device: str,
    memory_fraction: float = 1.0,
    precision: str = "float32",
    checked: Manifest | None = None,
) -> Model:
    """Checks a model unless it was, puts it on the device and proves that it works there."""
    if precision not in backend.PRECISIONS:
        known = ", ".join(backend.PRECISIONS)
        raise ModelError(f"this model computes in {known}, not in {precision}")
    manifest = checked or verify(folder)
    devices.limit_memory(device, memory_fraction)
    chosen = devices.pick_device(device)
    network = backend.Network(chosen, precision)
    network.load(folder / manifest.weights)
    model = Model(network, manifest, precision)
    model.prove()
    return model
