{% include 'device/pick.py' %}


def _gpus() -> int:
    return 0  # NumPy computes on the CPU. A backend of your own knows better.


def _why_no_gpu() -> str:
    return "NumPy computes on the CPU only: put a backend for GPUs in {{ 'backend' if template in ['batch', 'library'] else 'devices' }}.py"


def info() -> dict[str, str]:
    """What is installed, for logs, metrics and bug reports."""
    return {"framework": NAME, "version": np.__version__, "cuda": "none"}


def device_name(device: str) -> str:
    """What to call the device."""
    return device


def limit_memory(wanted: str, fraction: float) -> None:
    """Caps this process's share of the device's memory; there is none to cap."""


def memory(device: str) -> tuple[int, int]:  # noqa: ARG001
    """Bytes that this process holds on the device, and the device's all; zeros where unknown."""
    return 0, 0


def free_memory(device: str) -> None:
    """Gives cached memory back."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether less work at once may succeed where this error was raised."""
    return isinstance(error, MemoryError)


def seed(number: int, deterministic: bool = False) -> None:  # noqa: ARG001
    """Seeds all generators; what NumPy computes is the same each time."""
    np.random.seed(number)


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to."""
