{% include 'device/pick.py' %}


{% if template != 'batch' %}
{% include 'device/total.py' %}


{% endif %}
def _gpus() -> int:
    return len(tf.config.list_physical_devices("GPU"))


def _why_no_gpu() -> str:
    if not tf.test.is_built_with_cuda():
        return f"TensorFlow {tf.__version__} was built without CUDA"
    return "no usable GPU, or CUDA's libraries were not found: `make smoke` says which"


def tf_device(device: str) -> str:
    """The device of that name, as TensorFlow calls it."""
    return "/CPU:0" if device == "cpu" else f"/GPU:{device_index(device)}"


def info() -> dict[str, str]:
    """What is installed, for logs, metrics and bug reports."""
    built = tf.sysconfig.get_build_info()
    return {
        "framework": NAME,
        "version": tf.__version__,
        "keras": keras.__version__,
        "cuda": built.get("cuda_version", "none"),
        "cudnn": built.get("cudnn_version", "none"),
    }


def device_name(device: str) -> str:
    """What to call the device: the GPU's own name, or cpu."""
    if device == "cpu":
        return "cpu"
    gpu = tf.config.list_physical_devices("GPU")[device_index(device)]
    return str(tf.config.experimental.get_device_details(gpu).get("device_name", device))


def limit_memory(wanted: str, fraction: float) -> None:
    """Caps this process's share of the memory of what `pick_device` will pick: comes before it."""
    if (device := pick_device(wanted)) == "cpu" or fraction >= 1:
        return
    gpu = tf.config.list_physical_devices("GPU")[device_index(device)]
    limit = int(total_memory(device) * fraction) >> 20
    try:
        tf.config.set_logical_device_configuration(
            gpu, [tf.config.LogicalDeviceConfiguration(memory_limit=limit)]
        )
    except RuntimeError as error:
        raise DeviceError(f"too late to cap the memory of {device}: {error}") from error


def memory(device: str) -> tuple[int, int]:
    """Bytes that this process holds on the device, and the device's all; zeros where unknown."""
    if device == "cpu":
        return 0, 0
    held = tf.config.experimental.get_memory_info(f"GPU:{device_index(device)}")["current"]
    return held, total_memory(device)


def free_memory(device: str) -> None:  # noqa: ARG001
    """Gives cached memory back: what no tensor refers to any more."""
    gc.collect()


def is_out_of_memory(error: BaseException) -> bool:
    """Whether less work at once may succeed where this error was raised."""
    return isinstance(error, tf.errors.ResourceExhaustedError)


def seed(number: int, deterministic: bool = False) -> None:
    """Seeds all generators; `deterministic`, which is for good, refuses what differs each time."""
    keras.utils.set_random_seed(number)
    if deterministic:
        tf.config.experimental.enable_op_determinism()


def sync(device: str) -> None:
    """Waits until the device has done all that it was told to."""
    with tf.device(tf_device(device)):
        tf.constant(0.0).numpy()
