"""How a run ends: exit codes, which the job's runner acts on, and the errors that lead to them."""

from __future__ import annotations

import errno

DONE = 0  # the work is finished
BUG = 1  # a bug, or a failure of the machine
BAD_INPUT = 42  # bad configuration or data: running it again does not help
AGAIN = 75  # stopped with a checkpoint: run me again
NO_GPU = 77  # no usable GPU here


class InputError(ValueError):
    """Configuration or data that cannot be used; the message says where and why."""


class DeviceError(RuntimeError):
    """The device that was asked for cannot be used; the message says why."""


class WorkerError(RuntimeError):
    """A process that helps this one is gone; the message says what to do."""


class Stopped(RuntimeError):
    """The run was told to stop, and has saved what it had."""


class GivenUp(RuntimeError):
    """A run of a sweep is not worth going on with: others did better."""


# Failures of the machine whose traceback would tell nothing, and what to do about each.
REMEDIES = {
    errno.ENOSPC: "make room, then run the same command again: it goes on from its last checkpoint",
    errno.EDQUOT: "make room, then run the same command again: it goes on from its last checkpoint",
    errno.EFBIG: "make room, then run the same command again: it goes on from its last checkpoint",
    errno.EROFS: "give a folder that can be written to",
    errno.EACCES: "give a folder that this user may write to",
    errno.EPERM: "give a folder that this user may write to",
}


def in_one_line(error: Exception) -> str | None:
    """What failed, where, and what to do; None for errors that may be bugs."""
    if isinstance(error, WorkerError):
        return str(error)
    if not isinstance(error, OSError) or error.errno not in REMEDIES:
        return None
    return f"{error.filename or 'a file'}: {error.strerror}: {REMEDIES[error.errno]}"
