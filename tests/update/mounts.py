"""File systems that lack something, and one that writes down what happens: faults/passthrough.c."""

import contextlib
import ctypes
import os
import select
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
MNT_DETACH = 2
SOURCE = Path(__file__).resolve().parent / "faults" / "passthrough.c"
# What each lacks, and where that is met.
LACKS = {
    "plain": (),
    "norename": ("norename",),  # NFS, sshfs, 9p: no flags of renameat2
    "noexchange": ("noexchange",),  # exFAT, many a FUSE: no exchange, but "not over anything"
    "nolink": ("nolink",),  # FAT, exFAT, some shares: EPERM
    "nolink-unsupported": ("nolink=95",),  # others: EOPNOTSUPP
    "linkino": ("linkino",),  # sshfs: two names of a file look like two files
    "nochmod": ("nochmod",),  # shares that somebody else owns
    "noutimens": ("noutimens",),
    "nofsyncdir": ("nofsyncdir",),
    "nocase": ("nocase",),  # a Mac's or Windows' folder in a container
    # All that there is a way around, and what there is no way around for an update.
    "poor": ("norename", "nochmod", "noutimens", "nofsyncdir"),
    "neither": ("norename", "nolink"),
}


@cache
def passthrough() -> Path:
    """The program, built once for each process of the tests."""
    program = Path(tempfile.mkdtemp(prefix="passthrough-")) / "passthrough"
    command = ["cc", "-O1", "-std=gnu17", "-D_GNU_SOURCE", "-o", program, SOURCE]
    subprocess.run(command, check=True)
    return program


def start(folder, words):
    """The process that serves `folder`; skips the test where the machine does not let it mount."""
    if not os.path.exists("/dev/fuse"):
        pytest.skip("no /dev/fuse: FUSE is not there")
    process = subprocess.Popen(
        [passthrough(), folder, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    ready, _, _ = select.select([process.stdout], [], [], 30)
    if ready and process.stdout.readline() == "ready\n":
        return process
    process.terminate()
    said = process.communicate()[1].strip()
    assert process.returncode == 2, said
    pytest.skip(f"cannot mount with FUSE: {said}")


def unmount(folder, process):
    """In any case: also where a killed run, or another namespace of mounts, still has it."""
    LIBC.umount2(os.fsencode(folder), MNT_DETACH)
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    process.stdout.close()
    process.stderr.close()


@contextlib.contextmanager
def mounted(folder: Path, *switches, log: Path | None = None):
    """
    `folder` lies on a file system of its own, over itself: what was in it is there, under the same
    path. Whatever happens, nothing of it stays mounted.
    """
    process = start(folder, [*(["--log", log] if log else []), *switches])
    try:
        yield folder
    finally:
        unmount(folder, process)


class Remounted:
    """
    A folder that is filled on an ordinary file system, each time anew, and then mounted; not
    mounted where `switches` is None.
    """

    def __init__(self, folder: Path, switches):
        self.folder, self.switches = folder, switches
        self.stack = contextlib.ExitStack()

    def fill(self, prepare):
        self.stack.close()
        prepare()
        if self.switches is None:
            return
        self.stack.enter_context(mounted(self.folder, *self.switches))

    def close(self):
        self.stack.close()
