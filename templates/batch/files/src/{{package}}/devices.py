"""Which device a name means: auto, cpu, cuda or cuda:N."""

from __future__ import annotations

from collections.abc import Callable

from .errors import DeviceError


def pick(wanted: str, gpus: Callable[[], int], why_none: Callable[[], str]) -> str:
    """The device to use, given how many GPUs there are, or why there are none."""
    if wanted == "auto":
        return "cuda:0" if gpus() else "cpu"
    kind, colon, number = wanted.partition(":")
    if wanted == "cpu":
        return "cpu"
    if kind != "cuda" or (colon and not number.isdecimal()):
        raise DeviceError(f"'{wanted}' is not a device: use auto, cpu, cuda or cuda:N")
    count = gpus()
    if count == 0:
        raise DeviceError(why_none())
    if int(number or 0) >= count:
        raise DeviceError(f"there are {count} GPUs, no {wanted}")
    return f"cuda:{int(number or 0)}"
