"""
Killed at any point, out of space, failing anywhere: the branch is old or new, the user's files are
byte for byte what they were, and a later run or `--abort` finishes the job.
"""

import os
import random
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from .faults import calls_of, clone_folder, count_calls, fast_folder, fault, sample
from .scenarios import lines
from .world import World, files_on_disk, leftovers, put

SEED = int(os.environ.get("TMPLGEN_SEED", "20260101"))

OLD = {
    "edited": lines(20),
    "same": lines(10),
    "dropped/deep/x": lines(5),
    "file-to-folder": "1\n",
    "folder-to-file/x": "1\n",
    "run.sh": "#!/bin/sh\n",
    "moved/a": lines(30),
}
NEW = {
    "edited": lines(20, {15: "theirs"}),
    "same": lines(10),
    "new/deep/y": lines(7),
    "file-to-folder/x": "2\n",
    "folder-to-file": "2\n",
    "run.sh": ("x", "#!/bin/sh\n"),
    "elsewhere/a": lines(30, {30: "theirs"}),
}
MOVES = "migrations:\n  - {from: '<1.1', rename_files: {moved/a: elsewhere/a}}\n"
MINE = {
    "edited": lines(20, {3: "mine"}),
    "moved/a": lines(30, {1: "mine"}),
    "own/file": "own\n",
    ".gitignore": "secret\nbuild/\n",
}
CONFLICT = {**MINE, "edited": lines(20, {15: "mine"})}
# By strategy, what git is told of a stop, in files of its folder.
TOLD = {
    "pick": {"CHERRY_PICK_HEAD"},
    "merge": {"MERGE_HEAD", "MERGE_MODE"},
    "rebase": {"CHERRY_PICK_HEAD"},
}
# What is committed after that: of a rebase that stops it is not in the work tree meanwhile.
LATER = [
    {"own/later": "later\n", "same": lines(10, {4: "later"})},
    {"own/later": "later\nstill\n", "edited": lines(20, {3: "mine", 19: "later"})},
]
LATER_CONFLICT = [LATER[0], {"own/later": "later\nstill\n"}]
# What no run may ever touch: not tracked, ignored, dirty elsewhere, staged nowhere.
UNTRACKED = {"secret": "token\n", "build/out": "artefact\n", "notes": "note\n"}


@dataclass
class Case:
    """A child that is ready to be updated, kept so that every run starts from a copy."""

    world: World
    pristine: Path
    args: tuple
    conflict: bool
    sub: str = ""  # the child's folder in its repository
    linked: bool = False  # a work tree that lies beside its main one
    place: str = "run"  # where the copy lies that is run in

    def fresh(self):
        self.place = "run"
        clone_folder(self.pristine, self.folder)

    @property
    def strategy(self):
        return self.args[1] if "--strategy" in self.args else "pick"

    @property
    def told(self):
        return {name for names in TOLD.values() for name in names if (self.git_dir / name).exists()}

    @property
    def folder(self):
        return self.world.folder / self.place

    @property
    def top(self):
        return self.folder / ("linked" if self.linked else "")

    @property
    def child(self):
        return self.top / self.sub

    @property
    def common(self):
        return self.folder / ("main/.git" if self.linked else ".git")

    @property
    def git_dir(self):
        return self.common / ("worktrees/linked" if self.linked else "")

    @property
    def adopts(self):
        return "--type" in self.args

    def leftovers(self):
        return leftovers(self.git_dir) + (leftovers(self.common) if self.linked else [])


def link(world, top):
    """The child on a branch of its own in a linked work tree; all paths as they are in the copy."""
    folder = world.folder / "pristine"
    os.rename(top, world.folder / "main")
    folder.mkdir()
    os.rename(world.folder / "main", folder / "main")
    world.git("checkout", "-q", "-b", "other", cwd=folder / "main")
    world.git("worktree", "add", "-q", folder / "linked", "main", cwd=folder / "main")
    put(folder / "linked", UNTRACKED)
    for path in (folder / "linked/.git", folder / "main/.git/worktrees/linked/gitdir"):
        path.write_text(path.read_text().replace("/pristine/", "/run/"))
    return folder


def build(tmp, conflict=False, args=(), sub="", linked=False, adopt="", later=()):
    if adopt:
        return build_adopted(tmp, adopt, conflict, args, sub)
    world = World(tmp / "w")
    world.release("1.0.0", OLD)
    top = world.folder / "pristine"
    if sub:
        top.mkdir()
        world.git("init", "-q", cwd=top)
        put(top, {"other/file": "other\n"})
        world.commit(cwd=top)
        world.child = top / sub
        world.new("--commit")
    else:
        world.child = top
        world.new()
    for files in (CONFLICT if conflict else MINE, *later):
        world.edit(files)
    world.release("1.1.0", NEW, template="description: a test\nstack: none\n" + MOVES)
    put(world.child, UNTRACKED)
    world.git("gc", "-q", cwd=top)
    pristine = link(world, top) if linked else top
    return Case(world, pristine, args, conflict, sub, linked)


# Of the one file that is merged the older version is the one it is most like.
TO_MERGE = {**NEW, "edited": lines(20, {10: "theirs", 15: "theirs"})}


def build_adopted(tmp, adopt, conflict=False, args=(), sub=""):
    """A repository that was not made from the template; "empty": one without a commit."""
    world = World(tmp / "w")
    world.release("1.0.0", OLD)
    world.release("1.1.0", TO_MERGE)
    top = world.folder / "pristine"
    world.child = top / sub
    world.child.mkdir(parents=True)
    world.git("init", "-q", cwd=top)
    if sub:
        put(top, {"other/file": "other\n"})
    if adopt == "empty":
        put(world.child, {"own/file": "own\n"})
    else:
        world.edit(CONFLICT if conflict else MINE)
    put(world.child, UNTRACKED)
    world.git("gc", "-q", cwd=top)
    merge = ("--merge", "edited") if adopt != "empty" else ()
    words = ("--type", "app", "--catalog", world.catalog, "--name", "shop", *merge, *args)
    return Case(world, top, words, conflict, sub)


MERGE = ("--strategy", "merge")
REBASE = ("--strategy", "rebase")
CASES = {
    "clean": {},
    "conflict": {"conflict": True},
    "staged": {"args": ("--no-commit",)},
    "branch": {"args": ("--branch", "topic/update")},
    "branch-conflict": {"conflict": True, "args": ("--branch", "topic/update")},
    "folder": {"sub": "services/a"},
    "folder-conflict": {"conflict": True, "sub": "services/a"},
    "linked": {"linked": True},
    "linked-conflict": {"linked": True, "conflict": True},
    "adopt": {"adopt": "mine"},
    "adopt-staged": {"adopt": "mine", "args": ("--no-commit",)},
    "adopt-conflict": {"adopt": "mine", "conflict": True},
    "adopt-folder": {"adopt": "mine", "sub": "services/a"},
    "adopt-empty": {"adopt": "empty"},
    "adopt-empty-staged": {"adopt": "empty", "args": ("--no-commit",)},
    "merge": {"args": MERGE},
    "merge-conflict": {"conflict": True, "args": MERGE},
    "merge-staged": {"args": (*MERGE, "--no-commit")},
    "rebase": {"args": REBASE, "later": LATER},
    "rebase-conflict": {"conflict": True, "args": REBASE, "later": LATER_CONFLICT},
}


@pytest.fixture
def case(request):
    folder = fast_folder()
    yield build(folder, **CASES[request.param])
    shutil.rmtree(folder)


def raw_state(case) -> dict:
    """Files, refs and index as bytes: what `--abort` must bring back exactly."""
    git = case.common
    state = {"files": files_on_disk(case.top), "HEAD": (case.git_dir / "HEAD").read_text()}
    packed = git / "packed-refs"
    for line in packed.read_text().splitlines() if packed.exists() else []:
        if " refs/" in line and "refs/tmplgen" not in line:
            oid, name = line.split(" ")
            state[name] = oid
    for path in sorted((git / "refs").rglob("*")):
        if path.is_file() and "tmplgen" not in path.parts:
            state[str(path.relative_to(git))] = path.read_text().strip()
    index = case.git_dir / "index"
    state["index"] = index.read_bytes() if index.exists() else None
    state["told"] = case.told
    return state


def count_commits(case):
    """Of the project: what a merge brings from the template is none."""
    words = ("rev-list", "--count", "--first-parent", "HEAD")
    log = case.world.git(*words, cwd=case.top, check=False)
    return int(log.stdout or 0)  # none where nothing was committed yet


def assert_parents(case):
    """The update's commit is what its strategy makes."""
    parents = case.world.git("show", "-s", "--format=%P", "HEAD", cwd=case.top).split()
    first = count_commits(case) == 1  # of a repository that had none
    assert len(parents) == (2 if case.strategy == "merge" else 0 if first else 1)


def head_of(case):
    """What HEAD says; a commit, of which there is another each time, by what is in its history."""
    text = (case.git_dir / "HEAD").read_text()
    if text.startswith("ref: "):
        return text
    form = "--format=%T %an <%ae> %ad%n%B"
    return case.world.git("log", "--date=raw", form, "HEAD", cwd=case.top)


class Reference:
    """The states that a run may end in."""

    def __init__(self, case):
        self.case = case
        case.fresh()
        self.old = raw_state(case)
        self.old_commits = count_commits(case)
        done = run(case)
        assert done.code == (5 if case.conflict else 0), done.out + done.err
        self.new_files = files_on_disk(case.top)
        self.new_index = case.world.git("ls-files", "-s", cwd=case.top)
        self.new_head = head_of(case)

    def assert_new(self):
        world, top = self.case.world, self.case.top
        assert files_on_disk(top) == self.new_files
        assert world.git("ls-files", "-s", cwd=top) == self.new_index
        assert head_of(self.case) == self.new_head
        staged = "--no-commit" in self.case.args
        stops = self.case.conflict or (staged and self.case.strategy == "merge")
        assert self.case.told == (TOLD[self.case.strategy] if stops else set())
        if not self.case.conflict and not staged:
            assert world.git("write-tree", cwd=top) == world.tree(child=top)
            assert count_commits(self.case) == self.commits() + 1
            assert_parents(self.case)

    def commits(self):
        return self.old_commits

    def assert_old(self):
        assert raw_state(self.case) == self.old


def run(case, env=None, *args):
    case.fresh()
    return again(case, env, *(args or case.args))


def again(case, env=None, *args):
    command = "adopt" if "--type" in args else "update"
    return case.world.tmplgen(command, case.child, "--json", *args, env=env)


def assert_users_files(case):
    """At once, before anything recovers: nothing of the user's is touched or torn."""
    for path, content in UNTRACKED.items():
        assert (case.child / path).read_text() == content, path
    assert (case.child / "own/file").read_text() == "own\n"
    if case.sub:
        assert (case.top / "other/file").read_text() == "other\n"


def assert_whole(case, reference):
    """Every file is as it was or as it will be: none is torn."""
    for path, state in files_on_disk(case.top).items():
        if path.startswith(".tmplgen-stage"):
            continue
        old = reference.old["files"].get(path)
        assert state in (old, reference.new_files.get(path)), path


def assert_fsck(case):
    done = case.world.git("fsck", "--strict", "--no-dangling", cwd=case.top, check=False)
    told = [line for line in done.stderr.splitlines() if not line.startswith(b"notice: ")]
    assert done.returncode == 0 and not told, done.stderr


def is_pending(case):
    return (case.git_dir / "tmplgen" / "pending").exists()


def check_forward(case, reference):
    """A later run finishes what was begun, or does it from the start."""
    done = again(case, None, *case.args)
    if is_pending(case):
        assert done.code in (0, 3, 5), done.out
        if done.code == 3:
            assert done.error["code"] == "update-in-progress"
    elif done.code == 3 and case.args[:1] == ("--branch",):
        # It had made the branch and everything else before it died.
        assert done.error["code"] == "branch-exists"
    elif done.code == 3 and case.adopts:
        assert done.error["code"] == "already-adopted"
    else:
        assert done.code == 0, done.out
    reference.assert_new()
    assert_fsck(case)
    if not is_pending(case):
        assert case.leftovers() == []


def nothing_to_end(case) -> set:
    """What an end says where it is over: of an adoption that is undone there is no trace."""
    return {"nothing-in-progress", *(("no-record",) if case.adopts else ())}


def check_backward(case, reference):
    """`--abort` brings everything back, or there was nothing to bring back."""
    done = again(case, None, "--abort")
    assert done.code in (0, 3), done.out
    if done.code == 3:
        assert done.error["code"] in nothing_to_end(case)
        try:
            reference.assert_old()
        except AssertionError:
            reference.assert_new()
    else:
        reference.assert_old()
        assert case.leftovers() == []
    assert_fsck(case)


RECOVERIES = {"forward": check_forward, "backward": check_backward}


def kill_points(case, size, **more):
    total = count_calls(lambda env: run(case, env))
    return sample(list(range(1, total + 1)), size, SEED)


def kill_everywhere(case, size, after=False):
    reference = Reference(case)
    more = {"FAILN_AFTER": "1"} if after else {}
    for at in kill_points(case, size):
        for name, recover in RECOVERIES.items():
            run(case, fault(at, "kill", **more))
            try:
                assert_users_files(case)
                assert_whole(case, reference)
                recover(case, reference)
            except AssertionError as error:
                raise AssertionError(
                    f"killed at call {at} (seed {SEED}), {name}: {error}"
                ) from error


@pytest.mark.turns(8)
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_killed_anywhere_few(case):
    kill_everywhere(case, 5)


@pytest.mark.turns(10)
@pytest.mark.full
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_killed_anywhere_sample(case):
    kill_everywhere(case, 30)


@pytest.mark.soak
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_killed_anywhere_all(case, after):
    kill_everywhere(case, 1000000, after)


# ---------------------------------------------------------------- errors


def check_failed(case, reference, done):
    """A run that says it failed left everything as it was, or says how to go back."""
    error = done.error
    if (case.git_dir / "tmplgen" / "abort").exists() or (
        case.git_dir / "tmplgen" / "journal"
    ).exists():
        assert "update --abort" in error["hint"], error
        assert again(case, None, "--abort").code == 0
    reference.assert_old()
    assert_fsck(case)
    again(case, None, "--check")


def check_error(case, reference, done):
    assert_users_files(case)
    if done.code in (0, 5):
        reference.assert_new()
    else:
        check_failed(case, reference, done)


def fail_everywhere(case, size, kind, **more):
    reference = Reference(case)
    for at in kill_points(case, size):
        done = run(case, fault(at, kind, **more))
        try:
            check_error(case, reference, done)
        except (AssertionError, ValueError) as error:
            message = f"{kind} at call {at} (seed {SEED}): {error}; {done.out}{done.err}"
            raise AssertionError(message) from error


ERRORS = ["EIO", "ENOSPC", "EACCES", "EMFILE", "EINTR", "short"]
SOME = ["clean", "conflict", "branch", "merge-conflict", "rebase-conflict", "adopt-empty"]


@pytest.mark.parametrize(("case", "size"), [("clean", 1000), ("conflict", 60)], indirect=["case"])
def test_error_anywhere_few(case, size):
    fail_everywhere(case, size, "EIO")


@pytest.mark.parametrize(
    "case", ["branch-conflict", "merge-conflict", "rebase-conflict"], indirect=True
)
def test_error_at_what_is_prepared(case):
    """Texts of refs, the index, the message: without one of them nothing begins."""
    reference = Reference(case)
    calls = calls_of(lambda env: run(case, env))
    texts = [call for call in calls if "/tmplgen/work" in call.paths[0]]
    names = {Path(call.paths[0]).name for call in texts}
    head = {"head.new", "head.old"}
    known = {"merge": {"mode"}, "pick": {*head, "tip.new"}, "rebase": head}
    assert {"pick", "message", *known[case.strategy]} <= names
    for call in texts:
        done = run(case, fault(call.number, "EIO"))
        check_error(case, reference, done)


@pytest.mark.turns(12)
@pytest.mark.full
@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("case", SOME, indirect=True)
def test_error_anywhere_sample(case, kind):
    fail_everywhere(case, 22, kind)


@pytest.mark.soak
@pytest.mark.parametrize("kind", ERRORS)
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_error_anywhere_all(case, kind):
    fail_everywhere(case, 1000000, kind)


@pytest.mark.full
@pytest.mark.parametrize("kind", ["EIO", "EROFS"])
@pytest.mark.parametrize("case", SOME, indirect=True)
def test_error_that_stays_sample(case, kind):
    """Going back fails, too: then the journal stays, and `--abort` goes back later."""
    fail_everywhere(case, 22, kind, FAILN_FROM="1")


def test_short_writes_change_nothing():
    folder = fast_folder()
    case = build(folder)
    reference = Reference(case)
    for at in kill_points(case, 10):
        assert run(case, fault(at, "short", FAILN_FROM="1")).code == 0
        reference.assert_new()
    shutil.rmtree(folder)


def fill_disk_everywhere(case, size):
    """No space from some point on: the run goes back by itself, since renames need none."""
    reference = Reference(case)
    for at in kill_points(case, size):
        done = run(case, fault(at, "full", FAILN_FROM="1"))
        assert_users_files(case)
        if done.code in (0, 5):
            reference.assert_new()
            continue
        assert done.code == 1, done.out
        assert not (case.git_dir / "tmplgen" / "abort").exists(), (at, done.out)
        assert not (case.git_dir / "tmplgen" / "journal").exists(), (at, done.out)
        reference.assert_old()
        assert_fsck(case)


@pytest.mark.parametrize("case", ["clean", "conflict"], indirect=True)
def test_full_disk_few(case):
    fill_disk_everywhere(case, 8)


@pytest.mark.turns(10)
@pytest.mark.full
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_full_disk_sample(case):
    fill_disk_everywhere(case, 50)


@pytest.mark.parametrize(
    "case",
    ["conflict", "staged", "branch-conflict", "merge-conflict", "merge-staged"],
    indirect=True,
)
def test_abort_needs_no_disk_space(case):
    reference = Reference(case)
    run(case)
    done = again(case, fault(1, "full", FAILN_FROM="1"), "--abort")
    assert done.code == 0, done.out
    reference.assert_old()


# ---------------------------------------------------------------- more than one


def kill_twice(case, rounds):
    """Killed, and killed again while it recovers, up to four times."""
    reference = Reference(case)
    total = count_calls(lambda env: run(case, env))
    chance = random.Random(SEED)
    for number in range(rounds):
        points = [chance.randint(1, total)]
        run(case, fault(points[0], "kill"))
        forward = chance.random() < 0.5
        for _ in range(chance.randint(1, 4)):
            points.append(chance.randint(1, total))
            args = case.args if forward else ("--abort",)
            again(case, fault(points[-1], "kill"), *args)
        try:
            assert_users_files(case)
            assert_whole(case, reference)
            settle(case, reference, forward)
        except AssertionError as error:
            message = f"round {number}, killed at {points} (seed {SEED}), {forward}: {error}"
            raise AssertionError(message) from error


def settle(case, reference, forward):
    """Whichever way it was going, it gets there; or it had been there and begun again."""
    if forward:
        check_forward(case, reference)
    else:
        check_backward(case, reference)


@pytest.mark.parametrize("case", ["clean", "conflict"], indirect=True)
def test_killed_again_in_recovery_few(case):
    kill_twice(case, 8)


@pytest.mark.turns(10)
@pytest.mark.full
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_killed_again_in_recovery_sample(case):
    kill_twice(case, 32)


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_killed_again_in_recovery_all(case):
    kill_twice(case, 2000)


# ---------------------------------------------------------------- continue and abort


def solve(case):
    put(case.child, {"edited": lines(20, {15: "both"})})
    case.world.git("add", "edited", cwd=case.child)


def leave(case):
    """Nothing to do before it ends."""


class Ending:
    """`--continue` or `--abort` of a stopped update, and what it must come to."""

    def __init__(self, case, ending, prepare):
        self.case, self.ending, self.prepare = case, ending, prepare
        self.reference = Reference(case)
        self.begin(None)
        self.tree = case.world.git("write-tree", cwd=case.top)
        self.files = files_on_disk(case.top)
        self.total = count_calls(self.begin)

    def begin(self, env):
        run(self.case)
        self.prepare(self.case)
        return again(self.case, env, self.ending)

    def check(self, where):
        case, top = self.case, self.case.top
        assert_users_files(case)
        done = again(case, None, self.ending)
        where = f"{self.ending} {where} (seed {SEED}): {done.out}{done.err}"
        if done.code == 3:
            assert done.error["code"] in nothing_to_end(case), where
        else:
            assert done.code == 0, where
        assert files_on_disk(top) == self.files, where
        if self.ending == "--abort":
            self.reference.assert_old()  # before write-tree, which makes an index
        assert case.world.git("write-tree", cwd=top) == self.tree, where
        assert case.told == set(), where
        if self.ending != "--abort":
            assert case.world.tree(child=top) == self.tree, where
            assert count_commits(case) == self.reference.commits() + 1, where
            assert_parents(case)
            assert again(case).json["result"] == "up-to-date"
        assert_fsck(case)
        assert case.leftovers() == [], where


def kill_ending(case, size, ending, prepare):
    """Killed anywhere and run again; every third time killed once more in between."""
    end = Ending(case, ending, prepare)
    chance = random.Random(SEED)
    for at in sample(list(range(1, end.total + 1)), size, SEED):
        end.begin(fault(at, "kill"))
        second = chance.randint(1, end.total) if chance.random() < 0.34 else None
        if second:
            again(case, fault(second, "kill"), ending)
        end.check(f"killed at call {at}, then at {second}")


def fail_ending(case, size, ending, prepare, kind):
    """What fails says so, and works when it is run again."""
    end = Ending(case, ending, prepare)
    for at in sample(list(range(1, end.total + 1)), size, SEED):
        done = end.begin(fault(at, kind))
        assert done.code in (0, 1), (at, done.out)
        end.check(f"with {kind} at call {at}")


ENDINGS = {
    "continue": ("conflict", "--continue", solve),
    "abort": ("conflict", "--abort", leave),
    "branch-continue": ("branch-conflict", "--continue", solve),
    "branch-abort": ("branch-conflict", "--abort", leave),
    "staged-continue": ("staged", "--continue", leave),
    "staged-abort": ("staged", "--abort", leave),
    "folder-continue": ("folder-conflict", "--continue", solve),
    "folder-abort": ("folder-conflict", "--abort", leave),
    "linked-continue": ("linked-conflict", "--continue", solve),
    "linked-abort": ("linked-conflict", "--abort", leave),
    "adopt-continue": ("adopt-conflict", "--continue", solve),
    "adopt-abort": ("adopt-conflict", "--abort", leave),
    "adopt-empty-continue": ("adopt-empty-staged", "--continue", leave),
    "adopt-empty-abort": ("adopt-empty-staged", "--abort", leave),
    "merge-continue": ("merge-conflict", "--continue", solve),
    "merge-abort": ("merge-conflict", "--abort", leave),
    "merge-staged-continue": ("merge-staged", "--continue", leave),
    "merge-staged-abort": ("merge-staged", "--abort", leave),
    "rebase-continue": ("rebase-conflict", "--continue", solve),
    "rebase-abort": ("rebase-conflict", "--abort", leave),
}
each_ending = pytest.mark.parametrize(
    ("case", "ending", "prepare"), ENDINGS.values(), ids=ENDINGS, indirect=["case"]
)


@pytest.mark.turns(8)
@each_ending
def test_ending_killed_few(case, ending, prepare):
    kill_ending(case, 3, ending, prepare)


@pytest.mark.turns(10)
@pytest.mark.full
@each_ending
def test_ending_killed_sample(case, ending, prepare):
    kill_ending(case, 22, ending, prepare)


@pytest.mark.soak
@each_ending
def test_ending_killed_all(case, ending, prepare):
    kill_ending(case, 1000000, ending, prepare)


@pytest.mark.parametrize(("ending", "size"), [("continue", 40), ("abort", 1000)])
def test_ending_with_error_few(ending, size):
    name, word, prepare = ENDINGS[ending]
    folder = fast_folder()
    fail_ending(build(folder, **CASES[name]), size, word, prepare, "EIO")
    shutil.rmtree(folder)


@pytest.mark.turns(10)
@pytest.mark.full
@each_ending
def test_ending_with_error_sample(case, ending, prepare):
    fail_ending(case, 8, ending, prepare, "EIO")


@pytest.mark.soak
@pytest.mark.parametrize("kind", ERRORS)
@each_ending
def test_ending_with_error_all(case, ending, prepare, kind):
    fail_ending(case, 1000000, ending, prepare, kind)


# ---------------------------------------------------------------- the proof itself

CHANGING = {
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir"),
    *("mkdirat", "rmdir", "fsync", "fdatasync", "ftruncate", "truncate", "fchmod", "chmod"),
    *("fchmodat", "fchown", "fchownat", "symlink", "symlinkat", "creat", "pwrite64", "writev"),
    *("pwritev", "fallocate", "utimensat", "utimes", "mknodat", "copy_file_range", "setxattr"),
    *("fsetxattr", "sync", "syncfs", "io_uring_setup"),
}
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")


def changes_something(line: str) -> bool:
    found = re.match(r"(?:\d+ +)?(\w+)\((.*)", line)
    if not found:
        return False
    call, rest = found.groups()
    if call in ("open", "openat", "openat2"):
        return bool(WRITING.search(rest)) and "/dev/null" not in rest
    if call == "write":
        return int(rest.split(",")[0]) > 2
    if call == "mmap":
        return "MAP_SHARED" in rest and "PROT_WRITE" in rest
    return call in CHANGING


@pytest.mark.turns(10)
@pytest.mark.full
@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_no_call_that_changes_a_file_escapes_the_shim(case):
    """What the kernel sees of the process is what is counted, call by call."""
    total = count_calls(lambda env: run(case, env))
    case.fresh()
    log = case.world.folder / "trace"
    names = ",".join(sorted(CHANGING | {"open", "openat", "openat2", "write", "mmap"}))
    prefix = ("strace", "-f", "-o", log, "-e", f"trace={names}")
    command = "adopt" if case.adopts else "update"
    case.world.tmplgen(command, case.child, "--json", *case.args, prefix=prefix)
    seen = [line for line in log.read_text().splitlines() if changes_something(line)]
    assert len(seen) == total, seen


# ---------------------------------------------------------------- a real disk


def fill(path):
    """Until there is no space at all."""
    with open(path, "ab", buffering=0) as file:
        try:
            while file.write(b"\0" * 4096):
                pass
        except OSError:
            return


@pytest.mark.full
@pytest.mark.parametrize("conflict", [False, True], ids=["clean", "conflict"])
def test_update_on_a_real_disk_without_space(tmp_path, conflict):
    """A file system of 2 MiB with less and less left: done, or all as it was; --abort works."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs to mount a file system")
    try:
        case = build(disk, conflict)
        reference, codes = Reference(case), set()
        for left in (0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256):
            case.fresh()
            filler = disk / "filler"
            free = shutil.disk_usage(disk).free
            filler.write_bytes(b"\0" * max(free - left * 1024, 0))
            done = again(case, None)
            codes.add(done.code)
            assert_users_files(case)
            if done.code == 1:
                reference.assert_old()
            else:
                reference.assert_new()
                if conflict:
                    fill(filler)
                    assert again(case, None, "--abort").code == 0
                    reference.assert_old()
            filler.unlink()
            assert_fsck(case)
        assert codes == {1, 5 if conflict else 0}
    finally:
        subprocess.run(["umount", disk], check=True)
