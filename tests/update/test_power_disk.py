"""
Power cuts under a real file system: ext4 on a disk of which each write and flush is written down,
so that disks can be made that have any of what was written since the last flush.
"""

import contextlib
import os
import random
import shutil
import subprocess

import pytest

from .cases import again, each_case
from .faults import SEED, sizes, told_of
from .mounts import mounted
from .power import Record, apply_content
from .sweeps import RECOVERIES, Reference, assert_users_files, assert_whole

SIZE = 8 << 20
PATH = "/usr/sbin:/sbin:/usr/bin:/bin"
LIKELY = (0, 0.2, 0.5, 0.8, 1)  # that a write that was not flushed is there
# The second promises less: bytes may reach the disk after the names of their files.
OPTIONS = {"ordered": "loop,data=ordered", "writeback": "loop,data=writeback"}


@contextlib.contextmanager
def on_disk(image, folder, options):
    command = ["mount", "-t", "ext4", "-o", options, image, folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"cannot mount a disk: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", folder], check=True)


class Disk:
    """A disk that has what is in a folder, and what a run in that folder wrote to it."""

    def __init__(self, folder, options):
        self.folder, self.options = folder, options
        self.place = folder.parent / "disk"
        self.place.mkdir()
        self.image = self.place / "image"
        with self.image.open("wb") as file:
            file.truncate(SIZE)
        make = ["mke2fs", "-q", "-t", "ext4", "-d", folder, self.image]
        subprocess.run(make, check=True, env={**os.environ, "PATH": PATH})
        shutil.rmtree(folder)
        folder.mkdir()

    def mounted(self):
        return on_disk(self.image, self.folder, self.options)

    def write_down(self, function):
        """What it writes until it says that it is done; not what comes after."""
        self.record = Record(self.place)
        self.number = self.image.stat().st_ino
        log, end = self.folder.parent / "disk.log", self.place / "end"
        with mounted(self.place, log=log):
            with self.mounted():
                function()
                end.touch()
        self.record.read(log)
        self.end = next(n for n, c in enumerate(self.record.changes) if c.where == "end")
        end.unlink()
        log.unlink()

    def cut(self, at, likely, chance):
        """The disk after so many writes: of those since the last flush each is there or not."""
        cut = self.record.cut(at)
        before = cut.synced_files.get(self.number, self.record.inodes[self.number])
        loose = cut.files.get(self.number, [])
        kept = [change for change in loose if chance.random() < likely]
        self.image.write_bytes(apply_content(before, kept).data)
        return f"{len(kept)} of {len(loose)} writes since the last flush"

    def cuts(self, size, seed):
        """So many disks, mounted; the first when it had just said that it was done."""
        chance = random.Random(seed)
        for number in range(size):
            at = self.end if number < size // 5 else chance.randint(1, self.end)
            what = self.cut(at, chance.choice(LIKELY), chance)
            with self.mounted():
                shutil.rmtree(self.folder / "lost+found", ignore_errors=True)
                yield number, f"cut {number}, after write {at} of {self.end}: {what}"


needs_ext4 = pytest.mark.skipif(not shutil.which("mke2fs", path=PATH), reason="needs mke2fs")


@needs_ext4
@pytest.mark.full
def test_on_such_a_disk_only_what_was_synced_is_sure(tmp_path):
    folder, found = tmp_path / "run", {"synced": set(), "not": set()}
    folder.mkdir()

    def write():
        for name in ("not", "synced"):
            with (folder / name).open("w") as file:
                file.write(name * 1000)
        for path in (folder / "synced", folder):
            fd = os.open(path, os.O_RDONLY)
            os.fsync(fd)
            os.close(fd)

    disk = Disk(folder, OPTIONS["writeback"])
    disk.write_down(write)
    for number, _ in disk.cuts(20, SEED):
        if number < 4:  # at the end
            for name, seen in found.items():
                seen.add((folder / name).read_text() if (folder / name).exists() else None)
    assert found["synced"] == {"synced" * 1000}
    assert found["not"] - {"not" * 1000}


@needs_ext4
@sizes(sample=(12, 1), every=1000)
@pytest.mark.parametrize("options", OPTIONS)
@each_case
def test_power_cut_of_a_disk(case, options, size):
    reference = Reference(case)
    case.fresh()
    disk = Disk(case.world.folder / "run", OPTIONS[options])
    disk.write_down(lambda: again(case, None, *case.args))
    for number, where in disk.cuts(size, SEED):
        way = list(RECOVERIES)[number % 2]
        with told_of(f"{where}, {way}"):
            assert_users_files(case)
            assert_whole(case, reference)
            RECOVERIES[way](case, reference)
