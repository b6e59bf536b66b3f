"""
Children of 0.2.0 in which somebody put a model of their own, updated to the catalog as it is here.

tests/data/users/ has what users of 0.2.0 did: in the service four measures instead of a text, in 17
files; in batch pictures and a network for them, in 10; in the library a function of their own.
KIND.patch is what they did on every framework, KIND-FRAMEWORK.patch what the framework's own code
took. The judge of every file is `git merge-file` on what the template was, what the child is, and
what the template is now: there is a conflict where that has one, and everywhere its very text.
"""

import re
import subprocess
from collections import Counter

import pytest
import yaml

from ..common.program import ROOT
from .builds import once, release_of_today
from .world import RECORD, World, assert_sound

USERS = ROOT / "tests/data/users"
# By exact release, so that the update asks for the same.
FRAMEWORKS = {
    "pytorch": "pytorch==2.13.0",
    "tensorflow": "tensorflow==2.21.0",
    "jax": "jax==0.10.2",
    "onnxruntime": "onnxruntime==1.31.1",
    "xgboost": "xgboost==3.2.0",
    "transformers": "transformers==5.20.2",
    "none": "none",
}
KINDS = ["service", "batch", "library"]
WITH = {"transformers": ["--with", "torch==2.13.0"]}
# Files that the template has no more, nor their like: what a user made of one is a conflict.
GONE = {"tests/test_backend.py", "tests/gpu/test_ops_gpu.py"}  # of the library
CONFLICT = "a conflict"
MARKER = re.compile(rb"^(<{7}|\|{7}|={7}|>{7})( .*)?\n", re.M)


@pytest.fixture(scope="module")
def newest(tmp_path_factory):
    [made] = once(tmp_path_factory, "today", lambda folder: [release_of_today(folder)])
    return made


def manifest_of(kind):
    return yaml.safe_load((ROOT / f"templates/{kind}/template.yml").read_text())


def pairs():
    for kind in KINDS:
        for framework in manifest_of(kind)["frameworks"]:
            yield pytest.param((kind, framework), id=f"{kind}-{framework}")


class Child:
    """A child of 0.2.0 before the user's work, with it, and what the template is by now."""

    def __init__(self, world, kind, framework):
        self.world = world
        words = ["--type", kind, "--framework", FRAMEWORKS[framework], "--python", "3.11"]
        words += [*WITH.get(framework, []), "--name", "own", "--catalog", "builtin@v0.2.0"]
        done = world.tmplgen("new", world.child, *words)
        assert done.code == 0, done.err
        untouched = world.copy("untouched")
        self.base = contents(untouched)
        self.apply(USERS / f"{kind}.patch")
        if kind != "library":  # which is the same on all of them
            self.apply(USERS / f"{kind}-{framework}.patch")
        self.ours = contents(world.child)
        self.done = world.update(child=untouched)
        self.theirs = contents(untouched)
        for old, new in renames(kind).items():  # by the name that it has in the end
            for files in (self.base, self.ours):
                files |= {new: files.pop(old)} if old in files else {}

    def apply(self, patch):
        """One commit of the user's for each patch."""
        self.world.git("apply", "--unidiff-zero", patch)
        self.world.commit(f"Our own: {patch.stem}")

    def judged(self):
        """What each path must hold: content, nothing (None), or a conflict."""
        paths = self.base | self.ours | self.theirs
        return {path: self.judge(path) for path in paths}

    def judge(self, path):
        base, ours, theirs = (files.get(path) for files in (self.base, self.ours, self.theirs))
        if ours in (base, theirs):
            return theirs
        if theirs == base:
            return ours
        if ours is None:
            return None  # what the user deleted stays so
        if base is None or theirs is None:
            return CONFLICT
        code, merged = self.merge_file(path)
        return CONFLICT if code else merged

    def merge_file(self, path):
        """What git makes of a file that all three have: its conflicts' number, and the text."""
        names = ["ours.txt", "base.txt", "theirs.txt"]
        for name, files in zip(names, (self.ours, self.base, self.theirs), strict=True):
            (self.world.folder / name).write_bytes(files[path])
        command = ["git", "merge-file", "-p", "--diff3", *names]
        done = subprocess.run(command, cwd=self.world.folder, capture_output=True, check=False)
        assert 0 <= done.returncode < 128, done.stderr
        return done.returncode, done.stdout

    def assert_hunks_are_as_of_git(self, conflicts):
        """In a file with conflicts, too, what only one side changed is merged."""
        after = contents(self.world.child)
        sides = (self.base, self.ours, self.theirs)
        shared = [path for path in conflicts if all(path in files for files in sides)]
        assert shared
        for path in shared:
            _, merged = self.merge_file(path)
            assert without_names(after[path]) == without_names(merged), path

    def assert_no_line_of_the_users_is_lost(self):
        after = contents(self.world.child)
        for path, content in self.ours.items():
            added = Counter(content.splitlines()) - Counter(self.base.get(path, b"").splitlines())
            there = Counter(after.get(path, b"").splitlines())
            lost = [line for line in added if there[line] < added[line]]
            assert not lost, f"{path}: {lost}"

    def assert_as_judged(self, conflicts):
        """`conflicts` are the paths that the update, or its steps, stopped at."""
        judged, after = self.judged(), contents(self.world.child)
        assert conflicts == {path for path, want in judged.items() if want == CONFLICT}
        for path in judged.keys() - conflicts:
            assert after.get(path) == judged[path], path
        self.assert_no_line_of_the_users_is_lost()


def without_names(text):
    """Of the sides of a conflict, which each merge calls as it likes."""
    return MARKER.sub(rb"\1\n", text)


def contents(folder):
    """Every file but the record and what is git's."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    named = {path.relative_to(folder).as_posix(): path for path in paths}
    return {
        name: path.read_bytes()
        for name, path in named.items()
        if name != RECORD and not name.startswith(".git/")
    }


def renames(kind):
    """What the template says of files that have another name since 0.2.0."""
    found = {}
    for migration in manifest_of(kind).get("migrations", []):
        found |= migration.get("rename_files", {})
    return found


@pytest.fixture(params=pairs())
def child(request, tmp_path, newest):
    world = World(tmp_path / "w")
    world.binary = newest
    return Child(world, *request.param)


def unmerged(world):
    return set(world.git("diff", "--name-only", "--diff-filter=U").splitlines())


@pytest.mark.turns(3)
def test_without_the_users_work_there_is_no_conflict(child):
    """And a file that went without a word of `rename_files` would leave the user alone with it."""
    assert (child.done.code, child.done.json["result"]) == (0, "updated"), child.done.out
    assert child.done.json["from"]["version"] == "0.2.0"
    assert_sound(child.world, child.world.folder / "untouched")
    changed = {path for path in child.ours if path in child.base}
    changed = {path for path in changed if child.ours[path] != child.base[path]}
    assert sorted(changed - child.theirs.keys() - GONE) == []


@pytest.mark.turns(4)
@pytest.mark.parametrize("strategy", ["pick", "merge"])
def test_an_update_conflicts_where_git_does_and_loses_nothing(child, strategy):
    done = child.world.update("--strategy", strategy)
    assert done.code in (0, 5), done.out + done.err
    conflicts = {path for path, state in done.paths.items() if state == "conflict"}
    assert conflicts == unmerged(child.world)
    child.assert_as_judged(conflicts)
    child.assert_hunks_are_as_of_git(conflicts)


@pytest.mark.turns(3)
def test_so_does_a_rebase_of_the_users_commits(child):
    world, conflicts = child.world, set()
    done = world.update("--strategy", "rebase")
    while done.code == 5:
        stopped = unmerged(world)
        assert stopped and not stopped & conflicts
        conflicts |= stopped
        for path in stopped:  # all sides are kept: only that nothing is lost counts here
            file = world.child / path
            file.write_bytes(MARKER.sub(b"", file.read_bytes()))
        world.git("add", "-A")
        done = world.update("--continue")
    assert done.code == 0, done.out + done.err
    subjects = world.git("log", "--format=%s").splitlines()
    assert [line for line in subjects if line.startswith("Our own: ")]
    child.assert_as_judged(conflicts)
    assert_sound(world)
