"""Which engine answers: vLLM on a GPU, Transformers elsewhere."""

from __future__ import annotations

from pathlib import Path

from . import backend, devices
from .config import Settings
from .engine import Engine
from .files import ModelError


def load(settings: Settings) -> Engine:
    """Puts the model on its device: what is slow, and fails where something is missing."""
    if not (Path(settings.model_dir) / "config.json").is_file():
        raise ModelError(f"{settings.model_dir} holds no model: `make model` makes one")
    if settings.precision not in backend.PRECISIONS:
        known = ", ".join(backend.PRECISIONS)
        raise ModelError(f"the precision is one of {known}, not {settings.precision}")
    device = devices.pick_device(settings.device)
    if settings.engine == "vllm" or (settings.engine == "auto" and device != "cpu"):
        from .vllm_engine import VllmEngine

        return VllmEngine(settings, device)
    return backend.TransformersEngine(settings, device)
