"""What a run may come to when it is killed or fails: at each call, or at some of them."""

import random

import pytest

from .cases import TOLD, UNTRACKED, again, run
from .faults import SEED, count_calls, fault, points, sample, told_of
from .scenarios import lines
from .world import files_on_disk, put


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


# Either way it gets there; or it had been there and begun again.
RECOVERIES = {"forward": check_forward, "backward": check_backward}


def args_of(case, recovery) -> tuple:
    """What is typed to recover so."""
    return case.args if recovery == "forward" else ("--abort",)


def kill_points(case, size):
    return points(lambda env: run(case, env), size)


def kill_everywhere(case, size, after=False):
    reference = Reference(case)
    more = {"FAILN_AFTER": "1"} if after else {}
    for at in kill_points(case, size):
        for name, recover in RECOVERIES.items():
            run(case, fault(at, "kill", **more))
            with told_of(f"killed at call {at}, {name}"):
                assert_users_files(case)
                assert_whole(case, reference)
                recover(case, reference)


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
        with told_of(f"{kind} at call {at}: {done.out}{done.err}"):
            check_error(case, reference, done)


def fill_disk_everywhere(case, size):
    """No space from some point on: the run goes back by itself, since renames need none."""
    reference = Reference(case)
    for at in kill_points(case, size):
        done = run(case, fault(at, "full", FAILN_FROM="1"))
        with told_of(f"full from call {at}: {done.out}{done.err}"):
            assert done.code in (0, 1, 5)
            for name in ("abort", "journal"):
                assert done.code != 1 or not (case.git_dir / "tmplgen" / name).exists()
            check_error(case, reference, done)


def kill_twice(case, rounds):
    """Killed, and killed again while it recovers, up to four times."""
    reference = Reference(case)
    total = count_calls(lambda env: run(case, env))
    chance = random.Random(SEED)
    for _ in range(rounds):
        name = chance.choice(list(RECOVERIES))
        at = [chance.randint(1, total) for _ in range(chance.randint(2, 5))]
        run(case, fault(at[0], "kill"))
        for later in at[1:]:
            again(case, fault(later, "kill"), *args_of(case, name))
        with told_of(f"killed at {at}, {name}"):
            assert_users_files(case)
            assert_whole(case, reference)
            RECOVERIES[name](case, reference)


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
        assert_users_files(self.case)
        done = again(self.case, None, self.ending)
        with told_of(f"{self.ending} {where}: {done.out}{done.err}"):
            self.check_ended(done)

    def check_ended(self, done):
        case, top = self.case, self.case.top
        assert done.code == 0 or (done.code, done.error["code"] in nothing_to_end(case)) == (
            3,
            True,
        )
        assert files_on_disk(top) == self.files
        if self.ending == "--abort":
            self.reference.assert_old()  # before write-tree, which makes an index
        assert case.world.git("write-tree", cwd=top) == self.tree
        assert case.told == set()
        if self.ending != "--abort":
            assert case.world.tree(child=top) == self.tree
            assert count_commits(case) == self.reference.commits() + 1
            assert_parents(case)
            assert again(case).json["result"] == "up-to-date"
        assert_fsck(case)
        assert case.leftovers() == []


def kill_ending(case, size, ending, prepare):
    """Killed anywhere and run again; every third time killed once more in between."""
    end = Ending(case, ending, prepare)
    chance = random.Random(SEED)
    for at in sample(range(1, end.total + 1), size):
        end.begin(fault(at, "kill"))
        second = chance.randint(1, end.total) if chance.random() < 0.34 else None
        if second:
            again(case, fault(second, "kill"), ending)
        end.check(f"killed at call {at}, then at {second}")


def fail_ending(case, size, ending, prepare, kind):
    """What fails says so, and works when it is run again."""
    end = Ending(case, ending, prepare)
    for at in sample(range(1, end.total + 1), size):
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
