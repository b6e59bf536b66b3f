"""Weights from elsewhere: what backend.py can load becomes a model with a manifest.

Weights are read where they are, and written as backend.py writes its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from . import backend, devices, labels, model, schemas
from .manifest import ModelError

# Whose files they are: the framework, as `tmplgen new --framework` calls it.
FRAMEWORKS = {
    ".keras": "tensorflow",
    ".onnx": "onnxruntime",
    ".safetensors": "pytorch",
    ".ubj": "xgboost",
}
PICKLES = {".bin", ".ckpt", ".joblib", ".pickle", ".pkl", ".pt", ".pth"}


def run(source: Path, out: Path, names: Sequence[str] = ()) -> str:
    """Makes the model `out` of a file or a folder of weights; returns a line about it.

    `names` are the labels, in the order of the model's outputs, where the folder does not say.
    """
    files = sorted(source.iterdir()) if source.is_dir() else [source]
    if not source.exists():
        raise ModelError(f"{source}: there is no such file or folder")
    network = backend.Network(devices.pick_device("cpu"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        name, weights = _find(source, files)
        for path in files:
            (folder / (name if path == weights else path.name)).symlink_to(path.resolve())
        if names:
            (folder / labels.FILE).unlink(missing_ok=True)
            labels.save(names, folder)
        try:
            network.load(folder)
            network.predict(schemas.EXAMPLES)
        except Exception as error:
            raise ModelError(f"{source}: not a model of backend.py: {_why(error)}") from error
        model.save(network, schemas.EXAMPLES[0], {}, out)
    return f"{out}: {devices.NAME} from {weights}, not measured on any data"


def _find(source: Path, files: Sequence[Path]) -> tuple[str, Path]:
    """The file of weights, and the name under which backend.py loads it."""
    files = [path for path in files if path.name != labels.FILE]
    for name in backend.FILES:
        of_kind = [path for path in files if path.suffix == Path(name).suffix]
        exact = [path for path in of_kind if path.name == name]
        if len(exact or of_kind) == 1:
            return name, (exact or of_kind)[0]
        if of_kind:
            found = ", ".join(path.name for path in of_kind)
            raise ModelError(f"{source}: which of {found}? Name the file, or call it {name}")
    wanted = " or ".join(backend.FILES)
    raise ModelError(f"{source}: backend.py loads {wanted}, which is not there{_instead(files)}")


def _instead(files: Sequence[Path]) -> str:
    """What is there, and what to do with it."""
    for path in files:
        if path.suffix in PICKLES:
            return f"; {path.name} is a pickle, which runs code when it is loaded: convert it"
        if path.suffix in FRAMEWORKS:
            framework = FRAMEWORKS[path.suffix]
            return f"; {path.name} is for `tmplgen new --type service --framework {framework}`"
    return ""


def _why(error: Exception) -> str:
    if isinstance(error, FileNotFoundError) and str(error.filename).endswith(labels.FILE):
        return f"no {labels.FILE}: say --labels, in the order of its outputs"
    return f"{type(error).__name__}: {error}"
