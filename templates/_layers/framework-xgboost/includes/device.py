{% include 'device/pick.py' %}


def _gpus() -> int:
    if not xgboost.build_info().get("USE_CUDA"):
        return 0
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    failed = cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count))
    return 0 if failed else count.value


def _why_no_gpu() -> str:
    if not xgboost.build_info().get("USE_CUDA"):
        return f"XGBoost {xgboost.__version__} was built without CUDA"
    return "no usable GPU: `make smoke` says why"


def info() -> dict[str, str]:
    """What is installed, for logs, metrics and bug reports."""
    built = xgboost.build_info()
    version = ".".join(map(str, built.get("CUDA_VERSION", ()))) or "none"
    return {"framework": NAME, "version": xgboost.__version__, "cuda": version}


def device_name(device: str) -> str:
    """What to call the device; XGBoost has no names for GPUs."""
    return device


def limit_memory(wanted: str, fraction: float) -> None:
    """XGBoost cannot cap its share of the device's memory: this refuses to pretend."""
    if pick_device(wanted) != "cpu" and fraction < 1:
        raise DeviceError("XGBoost has no memory cap: share the GPU by MIG or MPS instead")


def memory(device: str) -> tuple[int, int]:  # noqa: ARG001
    """Bytes that this process holds on the device, and the device's all; zeros where unknown."""
    return 0, 0


def free_memory(device: str) -> None:  # noqa: ARG001
    """Gives cached memory back: what dead boosters held."""
    gc.collect()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether less work at once may succeed where this error was raised."""
    text = str(error).lower()
    return isinstance(error, xgboost.core.XGBoostError) and any(
        mark in text for mark in ("out of memory", "bad_alloc", "memory allocation")
    )


def seed(number: int, deterministic: bool = False) -> None:  # noqa: ARG001
    """Seeds all generators; XGBoost's histograms are the same each time, on GPUs too."""
    np.random.seed(number)


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to: XGBoost always does."""
