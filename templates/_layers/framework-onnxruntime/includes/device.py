{% include 'device/pick.py' %}


{% if template != 'batch' %}
{% include 'device/total.py' %}


{% endif %}
def _gpus() -> int:
    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        return 0
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int()
    failed = cuda.cuInit(0) or cuda.cuDeviceGetCount(ctypes.byref(count))
    return 0 if failed else count.value


def _why_no_gpu() -> str:
    if "CUDAExecutionProvider" not in onnxruntime.get_available_providers():
        return f"ONNX Runtime {onnxruntime.__version__} was built without CUDA"
    return "no usable GPU: `make smoke` says why"


def info() -> dict[str, str]:
    """What is installed, for logs, metrics and bug reports."""
    return {
        "framework": NAME,
        "version": onnxruntime.__version__,
        "cuda": onnxruntime.cuda_version or "none",
        "providers": " ".join(onnxruntime.get_available_providers()),
    }


def device_name(device: str) -> str:
    """What to call the device; ONNX Runtime has no names for GPUs."""
    return device


_memory_limits: dict[str, int] = {}


def limit_memory(wanted: str, fraction: float) -> None:
    """Caps this process's share of the memory of what `pick_device` will pick: comes before it."""
    if (device := pick_device(wanted)) != "cpu" and fraction < 1:
        _memory_limits[device] = int(total_memory(device) * fraction)


def memory(device: str) -> tuple[int, int]:
    """Bytes that this process holds on the device, and the device's all; zeros where unknown."""
    return 0, 0 if device == "cpu" else total_memory(device)


def free_memory(device: str) -> None:
    """Gives cached memory back: each pass does so by itself."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether less work at once may succeed where this error was raised."""
    text = str(error).lower()
    return isinstance(error, RuntimeError | onnxruntime.capi.onnxruntime_pybind11_state.Fail) and (
        "failed to allocate memory" in text or "out of memory" in text
    )


def seed(number: int, deterministic: bool = False) -> None:
    """Seeds all generators; `deterministic` asks for kernels whose bits are the same each time."""
    np.random.seed(number)
    onnxruntime.set_seed(number)
    global _deterministic
    _deterministic = deterministic


_deterministic = False


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to: a session always does."""


def start_session(model: bytes | str, device: str) -> onnxruntime.InferenceSession:
    """A session on the device, its memory capped, growing by what is asked for and no more."""
    options = onnxruntime.SessionOptions()
    options.use_deterministic_compute = _deterministic
    # It does not read the variable by itself. 0: a thread for each core.
    options.intra_op_num_threads = int(os.environ.get("OMP_NUM_THREADS") or 0)
    if device == "cpu":
        return onnxruntime.InferenceSession(model, options, ["CPUExecutionProvider"])
    cuda = {"device_id": str(device_index(device)), "arena_extend_strategy": "kSameAsRequested"}
    if device in _memory_limits:
        cuda["gpu_mem_limit"] = str(_memory_limits[device])
    session = onnxruntime.InferenceSession(model, options, [("CUDAExecutionProvider", cuda)])
    # It goes on with the CPU where CUDA's libraries cannot be loaded, and only logs that.
    if session.get_providers()[0] != "CUDAExecutionProvider":
        raise DeviceError("ONNX Runtime found no CUDA or cuDNN of its major: see its log above")
    return session
