"""`tmplgen new`, killed, out of space or failing at any call: nothing, or a complete child."""

import os
import shutil
import subprocess

import pytest

from .faults import count_calls, fast_folder, fault, sample
from .scenarios import lines
from .world import World, files_on_disk, put

SEED = int(os.environ.get("TMPLGEN_SEED", "20260101"))
FILES = {"a": lines(30), "d/e/f": "f\n", "run.sh": ("x", "#!/bin/sh\n")}
MINE = {"mine": "mine\n", "other/file": "other\n"}


class Place:
    """Where a child is made: what is there before, and what may be there afterwards."""

    def __init__(self, folder, kind):
        self.world = World(folder / "w")
        self.world.release("1.0.0", FILES)
        self.kind = kind
        self.place = folder / "w" / "place"
        self.args = ["--no-git"] if kind == "no-git" else []
        self.target = self.place / {"deep": "x/y/child", "here": ""}.get(kind, "child")
        if kind == "inside":
            self.args = ["--commit"]
        self.prepare()
        self.old = self.state()
        done = self.run(None)
        assert done.code == 0, done.err
        self.new = self.state()

    def prepare(self):
        shutil.rmtree(self.place, ignore_errors=True)
        self.place.mkdir()
        if self.kind == "inside":
            put(self.place, MINE)
            self.world.git("init", "-q", cwd=self.place)
            self.world.commit(cwd=self.place)

    def run(self, env):
        self.prepare()
        return self.make(env)

    def make(self, env=None):
        where = ("new", self.target, "--type", "app", "--catalog", self.world.catalog)
        return self.world.tmplgen(*where, "--json", *self.args, env=env)

    def state(self):
        """Files and commits; folders of a killed run that is still building are not seen."""
        found = {}
        for path, state in files_on_disk(self.place).items():
            if ".tmplgen-" not in path:
                found[path] = state
        repository = self.place if self.kind == "inside" else self.target
        if (repository / ".git").exists():
            found["commit"] = self.world.git("rev-parse", "HEAD^{tree}", cwd=repository)
            found["status"] = self.world.git("status", "--porcelain", cwd=repository)
        return found

    def staging(self):
        return [p for p in self.place.rglob("*") if ".tmplgen-" in p.name and p.is_dir()]

    def assert_sound(self):
        repository = self.place if self.kind == "inside" else self.target
        if not (repository / ".git").exists():
            return
        done = self.world.git("fsck", "--strict", "--no-dangling", cwd=repository, check=False)
        assert done.returncode == 0 and not done.stderr, done.stderr


KINDS = ["missing", "deep", "here", "no-git", "inside"]


@pytest.fixture
def place(request):
    folder = fast_folder()
    yield Place(folder, request.param)
    shutil.rmtree(folder)


def points(place, size):
    total = count_calls(place.run)
    return sample(list(range(1, total + 1)), size, SEED)


def kill_everywhere(place, size):
    for at in points(place, size):
        place.run(fault(at, "kill"))
        where = f"killed at call {at} (seed {SEED})"
        state = place.state()
        if place.kind in ("here", "inside"):  # name by name, the repository's folder first or last
            assert all(
                state[path] in (place.old.get(path), place.new[path])
                for path in state
                if path not in ("commit", "status")
            ), where
        else:
            assert state in (place.old, place.new), where
        place.assert_sound()
        if place.kind == "inside":
            for path, text in MINE.items():
                assert (place.place / path).read_text() == text, where
            assert place.world.git("rev-parse", "HEAD^{tree}", cwd=place.place) in (
                place.old["commit"],
                place.new["commit"],
            ), where


@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_killed_anywhere_few(place):
    kill_everywhere(place, 8)


@pytest.mark.full
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_killed_anywhere_sample(place):
    kill_everywhere(place, 60)


@pytest.mark.soak
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_killed_anywhere_all(place):
    kill_everywhere(place, 1000000)


def fail_everywhere(place, size, kind, **more):
    """A run that fails says so and cleans up after itself, staging folder and all."""
    for at in points(place, size):
        done = place.run(fault(at, kind, **more))
        where = f"{kind} at call {at} (seed {SEED}): {done.out}{done.err}"
        place.assert_sound()
        if done.code == 0:
            assert place.state() == place.new, where
            continue
        assert done.code == 1, where
        assert done.error["message"], where
        if not more:
            assert place.state() == place.old, where
            assert place.staging() == [], where
            assert place.target.exists() == (place.kind == "here"), where


@pytest.mark.parametrize("place", ["missing", "inside"], indirect=True)
def test_new_with_error_few(place):
    fail_everywhere(place, 10, "EIO")


@pytest.mark.full
@pytest.mark.parametrize("kind", ["EIO", "ENOSPC", "EACCES"])
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_with_error_sample(place, kind):
    fail_everywhere(place, 20, kind)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["EIO", "ENOSPC", "EACCES", "EMFILE"])
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_with_error_all(place, kind):
    fail_everywhere(place, 1000000, kind)


@pytest.mark.full
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_on_a_disk_that_is_full_from_then_on(place):
    """Removing needs no space: nothing stays."""
    for at in points(place, 40):
        done = place.run(fault(at, "full", FAILN_FROM="1"))
        where = f"full from call {at} (seed {SEED}): {done.out}{done.err}"
        assert done.code in (0, 1), where
        assert place.state() == (place.new if done.code == 0 else place.old), where
        assert place.staging() == [], where


def test_new_works_after_one_that_was_killed(tmp_path):
    """What it left beside the target is in nobody's way."""
    place = Place(tmp_path, "missing")
    for at in points(place, 6):
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
