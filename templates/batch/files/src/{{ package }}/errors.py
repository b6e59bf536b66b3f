"""How a run ends: exit codes, which the job's runner acts on, and the errors that lead to them."""

from __future__ import annotations

DONE = 0  # the work is finished
BUG = 1  # a bug, or a failure of the machine
BAD_INPUT = 42  # bad configuration or data: running it again does not help
AGAIN = 75  # stopped with a checkpoint: run me again
NO_GPU = 77  # no usable GPU here


class InputError(ValueError):
    """Configuration or data that cannot be used; the message says where and why."""


class DeviceError(RuntimeError):
    """The device that was asked for cannot be used; the message says why."""


class Stopped(RuntimeError):
    """The run was told to stop, and has saved what it had."""
