"""Devices as PyTorch knows them: which there are, their memory, their errors."""

from __future__ import annotations

import os

import torch

NAME = "pytorch"


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


def limit_memory(wanted: str, fraction: float) -> None:
    """Caps this process's share of the memory of what `pick_device` will pick: comes before it."""
    if (device := pick_device(wanted)) != "cpu":
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
    # No step reads memory that nothing was written to; filling all of it first costs 3 % of one.
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to."""
    if device != "cpu":
        torch.cuda.synchronize(device)
