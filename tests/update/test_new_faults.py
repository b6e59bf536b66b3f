"""`tmplgen new`, killed, out of space or failing at any call: nothing, or a complete child."""

import os
import shutil
import subprocess

import pytest

from .faults import fault, points, sizes
from .places import Place, each_place, fail_new, kill_new
from .scenarios import lines
from .world import World


@sizes(few=(6, 3), sample=(40, 3))
@each_place
def test_new_killed_anywhere(place, size):
    kill_new(place, size)


@sizes(few=(8, 2), sample=(16, 5))
@pytest.mark.parametrize("kind", ["EIO", "ENOSPC", "EACCES", "EMFILE"])
@each_place
def test_new_with_error(place, size, kind):
    fail_new(place, size, kind)


@sizes(sample=(24, 2))
@each_place
def test_new_on_a_disk_that_is_full_from_then_on(place, size):
    """Removing needs no space: nothing stays."""
    fail_new(place, size, "full", FAILN_FROM="1")


def test_new_works_after_one_that_was_killed(tmp_path):
    """What it left beside the target is in nobody's way."""
    place = Place(tmp_path, "missing")
    for at in points(place.run, 6):
        place.run(fault(at, "kill"))
        if not place.target.exists():
            where = ("new", place.target, "--type", "app", "--catalog", place.world.catalog)
            assert place.world.tmplgen(*where).code == 0
        assert place.state() == place.new


def test_new_on_a_small_disk(tmp_path):
    """A real file system of 64 KiB to 1 MiB that runs full."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs to mount a file system")
    try:
        world = World(tmp_path / "w")
        world.release("1.0.0", {f"f{i}": lines(200) for i in range(300)})
        codes = set()
        for size in (64, 128, 256, 512, 768, 1024, 4096, 16384):
            subprocess.run(["mount", "-o", f"remount,size={size}k", disk], check=True)
            where = ("new", disk / "child", "--type", "app", "--catalog", world.catalog)
            done = world.tmplgen(*where)
            codes.add(done.code)
            if done.code == 0:
                assert world.git("status", "--porcelain", cwd=disk / "child") == ""
                shutil.rmtree(disk / "child")
            else:
                assert done.code == 1 and "No space left" in done.err, done.err
            assert os.listdir(disk) == []
        assert codes == {0, 1}
    finally:
        subprocess.run(["umount", disk], check=True)
