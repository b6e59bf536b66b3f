"""All that this project asks of PyTorch. No other file imports it.

A backend for another framework has the same names; tests/test_backend.py says what they promise.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from . import features

# Memory is taken in pieces that grow, so that batches of many sizes do not leave holes. By this
# name: not all releases heed the newer one for CUDA, and where both are set this one counts.
if "PYTORCH_ALLOC_CONF" not in os.environ:
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

import torch
from safetensors.torch import load_file, save_file
from torch import nn

NAME = "pytorch"
PRECISIONS = ("float32", "bfloat16")
WIDTH = 16


class DeviceError(RuntimeError):
    """The device that was asked for cannot be used; the message says why."""


def pick_device(wanted: str) -> str:
    """The device to use for `auto`, `cpu`, `cuda` or `cuda:N`."""
    if wanted == "auto":
        return "cuda:0" if _gpus() else "cpu"
    kind, colon, number = wanted.partition(":")
    if wanted == "cpu":
        return "cpu"
    if kind != "cuda" or (colon and not number.isdecimal()):
        raise DeviceError(f"'{wanted}' is not a device: use auto, cpu, cuda or cuda:N")
    if _gpus() == 0:
        raise DeviceError(_why_no_gpu())
    if int(number or 0) >= _gpus():
        raise DeviceError(f"there are {_gpus()} GPUs, no {wanted}")
    return f"cuda:{int(number or 0)}"


def _gpus() -> int:
    return torch.cuda.device_count() if torch.cuda.is_available() else 0


def _why_no_gpu() -> str:
    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} was built without CUDA"
    return "no usable GPU: `make smoke` says why"


def info() -> dict[str, str]:
    """What is installed, for logs, metrics and bug reports."""
    return {
        "framework": NAME,
        "version": torch.__version__,
        "cuda": torch.version.cuda or "none",
        "cudnn": str(torch.backends.cudnn.version() or "none"),
        "architectures": " ".join(torch.cuda.get_arch_list()) or "none",
    }


def device_name(device: str) -> str:
    """What to call the device: the GPU's own name, or cpu."""
    return torch.cuda.get_device_name(device) if device != "cpu" else "cpu"


def limit_memory(device: str, fraction: float) -> None:
    """Caps this process's share of the device's memory; before anything is on the device."""
    if device != "cpu":
        torch.cuda.set_per_process_memory_fraction(fraction, device)


def memory(device: str) -> tuple[int, int]:
    """Bytes that this process holds on the device, and the device's all; zeros where unknown."""
    if device == "cpu":
        return 0, 0
    return torch.cuda.memory_reserved(device), torch.cuda.get_device_properties(device).total_memory


def free_memory(device: str) -> None:
    """Gives cached memory back."""
    if device != "cpu":
        torch.cuda.empty_cache()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether less work at once may succeed where this error was raised."""
    if isinstance(error, torch.cuda.OutOfMemoryError):
        return True
    # What CUDA and cuBLAS say when others have taken the memory.
    return isinstance(error, RuntimeError) and any(
        mark in str(error) for mark in ("CUDA error: out of memory", "CUBLAS_STATUS_ALLOC_FAILED")
    )


def seed(number: int, deterministic: bool = False) -> None:
    """Seeds all generators; `deterministic` refuses operations whose bits differ between runs."""
    if deterministic:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.manual_seed(number)
    torch.use_deterministic_algorithms(deterministic)


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to."""
    if device != "cpu":
        torch.cuda.synchronize(device)


class Network:
    """A text classifier: embeddings of hashed features, their mean, one linear layer."""

    def __init__(self, labels: int, device: str, seed: int = 0, precision: str = "float32") -> None:
        self.device = device
        self._half = precision == "bfloat16"
        torch.manual_seed(seed)
        self._embed = nn.EmbeddingBag(features.BUCKETS, WIDTH, mode="mean", device=device)
        # Nearly nothing: what was never seen must not speak.
        nn.init.normal_(self._embed.weight, std=0.01)
        self._linear = nn.Linear(WIDTH, labels, device=device)
        self._module = nn.ModuleDict({"embed": self._embed, "linear": self._linear})

    def _logits(self, texts: Sequence[str]) -> torch.Tensor:
        rows = [features.extract(text) for text in texts]
        starts = [0]
        for row in rows[:-1]:
            starts.append(starts[-1] + len(row))
        flat = [feature for row in rows for feature in row]
        numbers = torch.tensor(flat, dtype=torch.long, device=self.device)
        bags = self._embed(numbers, torch.tensor(starts, dtype=torch.long, device=self.device))
        logits: torch.Tensor = self._linear(bags)
        return logits

    def fit(
        self, texts: Sequence[str], targets: Sequence[int], epochs: int, batch: int = 32
    ) -> float:
        """Trains on all texts `epochs` times in a fixed order; returns the last mean loss."""
        order = torch.Generator().manual_seed(0)
        wanted = torch.tensor(targets, dtype=torch.long, device=self.device)
        optimizer = torch.optim.Adam(self._module.parameters(), lr=0.02)
        total = 0.0
        for _ in range(epochs):
            total = 0.0
            for chosen in torch.randperm(len(texts), generator=order).split(batch):
                logits = self._logits([texts[i] for i in chosen.tolist()])
                loss = nn.functional.cross_entropy(logits, wanted[chosen.to(self.device)])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                total += loss.item() * len(chosen)
        return total / max(len(texts), 1)

    def predict(self, texts: Sequence[str]) -> list[list[float]]:
        """Probabilities, one list for each text; returns when the device has really finished."""
        kind = self.device.partition(":")[0]
        with torch.inference_mode(), torch.autocast(kind, torch.bfloat16, enabled=self._half):
            probabilities = self._logits(texts).float().softmax(dim=1)
            scores: list[list[float]] = probabilities.cpu().tolist()
        return scores

    def save(self, folder: Path) -> None:
        """Writes the weights as safetensors: plain numbers, no code."""
        state = {key: value.cpu().contiguous() for key, value in self._module.state_dict().items()}
        save_file(state, folder / "weights.safetensors")

    def load(self, folder: Path) -> None:
        """Reads weights that `save` wrote for as many labels."""
        self._module.load_state_dict(load_file(folder / "weights.safetensors", device=self.device))
