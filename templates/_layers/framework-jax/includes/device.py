{% include 'device/pick.py' %}


def _gpus() -> int:
    try:
        return len(jax.devices("gpu"))
    except RuntimeError:
        return 0


def _why_no_gpu() -> str:
    if importlib.util.find_spec("jax_plugins") is None:
        return f"JAX {jax.__version__} was installed without CUDA"
    return "no usable GPU: `make smoke` says why"


def jax_device(device: str) -> jax.Device:
    """The device of that name, as JAX has it."""
    kind, _, number = device.partition(":")
    return jax.devices("gpu" if kind == "cuda" else kind)[int(number or 0)]


def info() -> dict[str, str]:
    """What is installed, for logs, metrics and bug reports."""
    plugins = "none" if importlib.util.find_spec("jax_plugins") is None else "installed"
    return {"framework": NAME, "version": jax.__version__, "cuda": plugins}


def device_name(device: str) -> str:
    """What to call the device: the GPU's own name, or cpu."""
    return str(jax_device(device).device_kind)


def limit_memory(wanted: str, fraction: float) -> None:
    """Caps this process's share of the memory of what `pick_device` will pick: comes before it."""
    if wanted != "cpu" and fraction < 1:
        # Read when JAX is asked for a device for the first time, and never again.
        os.environ["XLA_CLIENT_MEM_FRACTION"] = str(fraction)
        # The older name beside it is an error.
        os.environ.pop("XLA_PYTHON_CLIENT_MEM_FRACTION", None)


def memory(device: str) -> tuple[int, int]:
    """Bytes that this process holds on the device, and all that it may; zeros where unknown."""
    stats = jax_device(device).memory_stats() or {}
    return stats.get("bytes_in_use", 0), stats.get("bytes_limit", 0)


def free_memory(device: str) -> None:  # noqa: ARG001
    """Gives cached memory back: what no array refers to any more."""
    gc.collect()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether less work at once may succeed where this error was raised."""
    return isinstance(error, jax.errors.JaxRuntimeError) and "RESOURCE_EXHAUSTED" in str(error)


def seed(number: int, deterministic: bool = False) -> None:
    """Seeds all generators; JAX itself has keys. `deterministic` must come before the first use."""
    np.random.seed(number)
    if deterministic:
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"{flags} --xla_gpu_deterministic_ops=true".strip()


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to."""
    jax.device_put(0.0, jax_device(device)).block_until_ready()
