{% if template == 'batch' %}
def pick_device(wanted: str) -> str:
    """The device to use for `auto`, `cpu`, `cuda` or `cuda:N`."""
    return pick(wanted, _gpus, _why_no_gpu)
{% else %}
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
{% endif %}
