"""Where `new` makes a child: killed or failing at each call it makes nothing, or all of it."""

import shutil

import pytest

from .faults import fault, points, told_of
from .scenarios import lines
from .world import World, files_on_disk, put

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
        if (self.repository / ".git").exists():
            found["commit"] = self.world.git("rev-parse", "HEAD^{tree}", cwd=self.repository)
            found["status"] = self.world.git("status", "--porcelain", cwd=self.repository)
        return found

    @property
    def repository(self):
        return self.place if self.kind == "inside" else self.target

    def staging(self):
        return [p for p in self.place.rglob("*") if ".tmplgen-" in p.name and p.is_dir()]

    def assert_sound(self):
        if (self.repository / ".git").exists():
            words = ("fsck", "--strict", "--no-dangling")
            done = self.world.git(*words, cwd=self.repository, check=False)
            assert done.returncode == 0 and not done.stderr, done.stderr

    def assert_files_whole(self, found):
        """Each is as it was or as it was to be; some may be missing."""
        for path, seen in found.items():
            if path not in ("commit", "status"):
                assert seen in (self.old.get(path), self.new.get(path)), path

    def assert_mine(self):
        """What the repository around the child was stays: files, branch, objects."""
        for path, text in MINE.items():
            assert (self.place / path).read_text() == text
        self.assert_sound()
        assert self.state()["commit"] in (self.old["commit"], self.new["commit"])


KINDS = ["missing", "deep", "here", "no-git", "inside"]
each_place = pytest.mark.parametrize("place", KINDS, indirect=True)


def kill_new(place, size):
    for at in points(place.run, size):
        place.run(fault(at, "kill"))
        with told_of(f"killed at call {at}"):
            if place.kind in (
                "here",
                "inside",
            ):  # name by name, the repository's folder first or last
                place.assert_files_whole(place.state())
            else:
                assert place.state() in (place.old, place.new)
            place.assert_sound()
            if place.kind == "inside":
                place.assert_mine()


def fail_new(place, size, kind, **more):
    """A run that fails says so and cleans up after itself, staging folder and all."""
    for at in points(place.run, size):
        done = place.run(fault(at, kind, **more))
        with told_of(f"{kind} at call {at}: {done.out}{done.err}"):
            place.assert_sound()
            if done.code == 0:
                assert place.state() == place.new
                continue
            assert done.code == 1 and done.error["message"]
            assert place.state() == place.old
            assert place.staging() == []
            assert place.target.exists() == (place.kind == "here")
