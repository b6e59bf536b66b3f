"""
A rebase of twelve commits that conflicts at the third and the seventh: stopped, continued, aborted,
killed, moved, gone on with by git's own means. The branch moves at the end, or not at all.
"""

import os
import random
import re
import shutil

import pytest

from .faults import SEED, calls_of, clone_folder, count_calls, fault, points, sample, sizes, told_of
from .scenarios import lines, template
from .test_rebase_random import assert_everything, commits_of, differences, everything, raw_commits
from .world import RECORD, assert_seen_by_git, files_on_disk, leftovers, put

OLD = {"a": lines(20), "b": lines(20), "same": lines(9), "gone": lines(12, {1: "gone"})}
NEW = {
    "a": lines(20, {5: "theirs"}),
    "b": lines(20, {5: "theirs"}),
    "same": lines(9),
    "added": "new\n",
}
# What each commit changes; the third and the seventh change what the template changes, too.
COMMITS = {
    1: {"own/1": "1\n"},
    2: {"a": lines(20, {15: "second"})},
    3: {"a": lines(20, {5: "third", 15: "second"}), "own/3": "3\n"},
    4: {},
    5: {"own/5": ("x", "#!/bin/sh\n"), "own/bin": b"\0\1\2"},
    6: {"b": lines(20, {15: "sixth"})},
    7: {"b": lines(20, {5: "seventh", 15: "sixth"}), "own/1": None},
    8: {"a": lines(20, {5: "third", 15: "second", 19: "eighth"})},
    9: {"same": lines(9, {4: "ninth"})},
    10: {"own/3": "10\n"},
    11: {"moved/b": {"from": "b"}},
    12: {"own/12": "12\n"},
}
STOPS = {3: "a", 7: "b"}
SOLVED = {
    3: {"a": lines(20, {5: "both", 15: "second"})},
    7: {"b": lines(20, {5: "both", 15: "sixth"})},
}
# The work tree in the end, but for the record and .gitattributes.
END = {
    "a": lines(20, {5: "both", 15: "second", 19: "eighth"}),
    "moved/b": lines(20, {5: "both", 15: "sixth"}),
    "same": lines(9, {4: "ninth"}),
    "added": "new\n",
    "own/3": "10\n",
    "own/5": "#!/bin/sh\n",
    "own/bin": "\0\1\2",
    "own/12": "12\n",
}
UNTRACKED = {"notes": "note\n", "own/untracked": "mine\n"}
PEOPLE = [("Ann", "ann@example.com"), ("Jörg", "joerg@example.org"), ("李", "lei@example.cn")]


def make_twelve(world):
    world.release("1.0.0", OLD)
    world.new()
    for number, files in COMMITS.items():
        put(world.child, files)
        world.git("add", "-A")
        name, email = PEOPLE[number % 3]
        more = {
            "GIT_AUTHOR_NAME": name,
            "GIT_AUTHOR_EMAIL": email,
            "GIT_AUTHOR_DATE": f"{1600000000 + number} +0{number % 10}30",
        }
        message = f"commit {number}\n\nWhat number {number} is for.\n"
        world.git("commit", "-q", "--allow-empty", "-m", message, env=more)
    world.release("1.1.0", NEW)
    put(world.child, UNTRACKED)
    world.git("gc", "-q")
    twelve, world.stops = Twelve(world), {}
    for number in STOPS:
        done = twelve.run_to(number)
        world.stops[number] = done, twelve.before["index"]
        clone_folder(twelve.child, world.folder / f"stop-{number}")


class Twelve:
    """The child, kept so that every run starts from a copy, and how its rebase is gone on with."""

    def __init__(self, world):
        self.world = world
        self.commits = commits_of(world, world.child)
        self.tip = self.commits[-1]
        self.child = world.folder / "run"
        self.before = {}
        self.has_reflog = (
            True  # a line of it that cannot be written is no error: ORIG_HEAD is there
        )
        self.fresh()
        self.before = everything(world, self.child)

    def fresh(self):
        """As it was before anything was run."""
        clone_folder(self.world.child, self.child)
        self.world.git("update-index", "-q", "--refresh", cwd=self.child)
        # It has times and numbers of this very copy.
        self.before["index"] = (self.child / ".git/index").read_bytes()

    def git(self, *args, **more):
        return self.world.git(*args, cwd=self.child, **more)

    def update(self, *args, env=None):
        return self.world.update(*args, child=self.child, env=env)

    def begin(self, env=None):
        self.fresh()
        return self.update("--strategy", "rebase", env=env)

    def go_on(self, env=None):
        return self.update("--continue", env=env)

    def solve(self, number):
        put(self.child, SOLVED[number])
        self.git("add", *SOLVED[number])

    def reach(self, number, env=None):
        """Stopped at that commit. `env` is of the run that gets there; without it a copy does."""
        if env:
            return self.run_to(number, env)
        done, self.before["index"] = self.world.stops[number]
        clone_folder(self.world.folder / f"stop-{number}", self.child)
        return done

    def run_to(self, number, env=None):
        if number == 3:
            return self.begin(env)
        self.reach(3)
        self.solve(3)
        return self.go_on(env)

    def finish(self):
        """From the second stop."""
        self.solve(7)
        return self.go_on()

    # ------------------------------------------------------------ what has to be

    def assert_stopped(self, done, number, unmerged=True):
        """At commit `number`, with everything as after a cherry-pick of it."""
        assert (done.code, done.json["result"]) == (5, "conflicts"), done.out + done.err
        entries = done.json["commits"]
        assert [entry["commit"] for entry in entries] == self.commits
        states = [entry["state"] for entry in entries]
        # The first of the list is the commit that `new` made.
        assert states == ["replayed"] * number + ["conflict"] + ["pending"] * (12 - number)
        assert entries[number]["subject"] == f"commit {number}"
        assert STOPS[number] in entries[number]["note"]
        self.assert_state(number, unmerged)

    def assert_state(self, number, unmerged=True):
        read = self.git("rev-parse", "CHERRY_PICK_HEAD", "main").split()
        assert read == [self.commits[number], self.tip]
        assert self.git("symbolic-ref", "-q", "HEAD", check=False).returncode == 1
        self.assert_replayed(number)
        if unmerged:
            self.assert_stages(number)
        # Of the commit, the paths without conflict are there already.
        if number == 3:
            assert self.world.read("own/3", self.child) == "3\n"
        self.assert_untracked()
        assert_fsck(self)

    def assert_replayed(self, number):
        """HEAD is the new base, and so many commits on it, in their authors' words."""
        chain = commits_of(self.world, self.child)
        form = "--format=%an <%ae> %ad%n%B"
        shown = [
            self.git("log", "--date=raw", "--reverse", form, *revs)
            for revs in ([f"{chain[0]}..HEAD"], [self.commits[number - 1]])
        ]
        assert shown[0] == shown[1], shown
        assert RECORD not in self.world.listing(chain[0], child=self.child)

    def assert_stages(self, number):
        """Stage 2 is what was replayed, 3 the commit, 1 the commit's parent."""
        path = STOPS[number]
        revs = {
            "1": self.commits[number - 1],
            "2": "HEAD",
            "3": self.commits[number],
        }
        wanted = {stage: self.git("rev-parse", f"{rev}:{path}") for stage, rev in revs.items()}
        listed = [line.split("\t") for line in self.git("ls-files", "-u").splitlines()]
        assert {name for _, name in listed} == {path}
        assert {meta.split(" ")[2]: meta.split(" ")[1] for meta, _ in listed} == wanted
        text = self.world.read(path, self.child)
        assert "<<<<<<< " in text and "||||||| " in text and ">>>>>>> " in text

    def assert_untracked(self):
        for path, content in UNTRACKED.items():
            assert self.world.read(path, self.child) == content, path

    def assert_ended(self, done=None):
        if done:
            assert (done.code, done.json["result"]) == (0, "updated"), done.out + done.err
            states = {entry["state"] for entry in done.json["commits"]}
            assert states == {"replayed"}, done.json["commits"]
        self.assert_files(END)
        self.assert_replayed(13)
        assert self.git("symbolic-ref", "HEAD") == "refs/heads/main"
        assert self.git("rev-parse", "ORIG_HEAD") == self.tip
        if self.has_reflog:
            assert self.git("rev-parse", "main@{1}") == self.tip
        self.assert_over()
        assert self.update("--strategy", "rebase").json["result"] == "up-to-date"

    def assert_files(self, wanted):
        listed = {
            path: self.world.blob(blob, self.child).decode()
            for path, (_, blob) in self.world.listing(child=self.child).items()
            if path not in (RECORD, ".gitattributes")
        }
        assert listed == wanted
        assert 'version: "1.1.0"' in self.world.read(RECORD, self.child)

    def assert_over(self):
        """git and tmplgen know of nothing that is half done."""
        self.assert_untracked()
        assert self.git("status", "--porcelain", "-uno") == ""
        assert not (self.child / ".git/CHERRY_PICK_HEAD").exists()
        assert not (self.child / ".git/MERGE_MSG").exists()
        status = self.world.tmplgen("status", self.child, "--json")
        assert status.json["in_progress"] is None
        assert_seen_by_git(self.world, self.child)
        assert_fsck(self)
        # What was edited at a stop is put aside when it is given up.
        left = [path for path in leftovers(self.child / ".git") if "/trash/" not in path]
        assert left == []

    def assert_aborted(self, done=None, exact=True):
        """`exact`: nobody else has written the index or ORIG_HEAD meanwhile."""
        if done:
            assert (done.code, done.json["result"]) == (0, "aborted"), done.out + done.err
        now, before = everything(self.world, self.child), self.before
        if not exact:
            now = {**now, "index": before["index"], "ORIG_HEAD": before["ORIG_HEAD"]}
        assert now == before, differences(before, now)
        assert self.git("diff", "--cached", "--name-status", self.tip) == ""
        self.assert_over()


def assert_fsck(twelve):
    done = twelve.git("fsck", "--strict", "--no-dangling", check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.fixture
def twelve(world, stock):
    return Twelve(stock.take(world, make_twelve))


each_stop = pytest.mark.parametrize("number", STOPS)
each_after = pytest.mark.parametrize("more", [{}, {"FAILN_AFTER": "1"}], ids=["before", "after"])


# ---------------------------------------------------------------- continued, aborted


def test_S_117_stops_at_the_third_and_the_seventh_and_ends(twelve):
    twelve.assert_stopped(twelve.begin(), 3)
    twelve.solve(3)
    twelve.assert_stopped(twelve.go_on(), 7)
    twelve.assert_ended(twelve.finish())


def test_S_117_the_commit_is_named_in_words(twelve):
    twelve.fresh()
    done = twelve.world.tmplgen("update", twelve.child, "--strategy", "rebase")
    assert done.code == 5
    assert "commit 3" in done.out and twelve.commits[3][:7] in done.out, done.out
    assert "--continue" in done.out and "--abort" in done.out, done.out
    aborted = twelve.world.tmplgen("update", twelve.child, "--abort")
    assert aborted.out == "Everything is as it was before the update\n"


@each_stop
def test_S_117_abort_returns_to_the_exact_old_tip(twelve, number):
    twelve.assert_stopped(twelve.reach(number), number)
    twelve.assert_aborted(twelve.update("--abort"))


def test_S_117_abort_after_the_last_conflict_is_resolved(twelve):
    twelve.reach(7)
    twelve.solve(7)
    twelve.assert_aborted(twelve.update("--abort"))


def test_after_an_abort_it_can_be_done_again(twelve):
    for number in STOPS:
        twelve.reach(number)
        assert twelve.update("--abort").code == 0
    shutil.rmtree(twelve.child / ".git/tmplgen")
    twelve.assert_stopped(twelve.update("--strategy", "rebase"), 3)


@each_stop
def test_abort_puts_aside_what_was_edited_since(twelve, number):
    twelve.reach(number)
    put(twelve.child, {STOPS[number]: "half solved\n", "same": "edited since\n"})
    done = twelve.update("--abort")
    twelve.assert_aborted(done)
    aside = [re.search(r"\(now (.*)\)$", text) for text in done.json["warnings"]]
    kept = sorted(open(found[1]).read() for found in aside if found)
    assert kept == ["edited since\n", "half solved\n"], done.json["warnings"]


def conflict_in_the_root(world):
    """The first commit was amended, and that is what conflicts."""
    world.release("1.0.0", OLD)
    world.new()
    put(world.child, {"a": lines(20, {5: "mine"})})
    world.git("add", "-A")
    world.git("commit", "-q", "--amend", "-m", "begun")
    world.edit({"own/1": "1\n"}, "second")
    world.release("1.1.0", NEW)
    before = everything(world, world.child)
    done = world.update("--strategy", "rebase")
    assert done.code == 5, done.out
    assert [entry["state"] for entry in done.json["commits"]] == ["conflict", "pending"]
    return before


def test_a_stop_at_the_first_commit_is_gone_on_from(world):
    """HEAD is the new rendering, which has no record: what waits is known all the same."""
    conflict_in_the_root(world)
    assert world.tmplgen("status", world.child, "--json").json["replay"]["step"] == 1
    put(world.child, {"a": lines(20, {5: "both"})})
    world.git("add", "a")
    done = world.update("--continue")
    assert (done.code, done.json["result"]) == (0, "updated"), done.out
    assert world.git("log", "--format=%s").splitlines()[:2] == ["second", "begun"]
    assert world.read("a") == lines(20, {5: "both"})
    assert world.update("--strategy", "rebase").json["result"] == "up-to-date"


@pytest.mark.turns(3)
@pytest.mark.parametrize("files", [1, 2, 3, 4, 5, 9])
def test_stops_of_many_files_add_up(world, files):
    """What was set apart at a stop comes back from the journal, and the next stop adds to it."""
    both = [[f"{stop}/{number}" for number in range(files)] for stop in range(3)]
    names = [name for stop in both for name in stop]
    world.release("1.0.0", {name: lines(9) for name in names})
    world.new()
    for stop in both:
        world.edit({name: lines(9, {4: "mine"}) for name in stop}, "mine")
    world.release("1.1.0", {name: lines(9, {4: "theirs"}) for name in names})
    done = world.update("--strategy", "rebase")
    for stop in both:
        assert done.code == 5, done.out + done.err
        put(world.child, {name: lines(9, {4: "both"}) for name in stop})
        world.git("add", *stop)
        done = world.update("--continue")
    assert (done.code, done.json["result"]) == (0, "updated"), done.out + done.err
    assert {world.read(name) for name in names} == {lines(9, {4: "both"})}


@pytest.mark.parametrize("offline", [False, True])
def test_behind_a_stop_at_the_first_commit_declared_renames_still_count(world, offline):
    """A later commit edits what the new version has by another name; the catalog may be gone."""
    world.release("1.0.0", {"a": lines(20), "c": lines(20)})
    world.new()
    put(world.child, {"c": lines(20, {5: "mine"})})
    world.git("commit", "-q", "-a", "--amend", "-m", "begun")
    world.edit({"a": lines(20, {15: "mine"})}, "second")
    renames = template(migrations="  - {from: '<1.1', rename_files: {a: b}}\n")
    new = {"b": lines(20, {3: "theirs"}), "c": lines(20, {5: "theirs"})}
    world.release("1.1.0", new, template=renames)
    done = world.update("--strategy", "rebase")
    assert (done.code, done.paths) == (5, {"b": "renamed", "c": "conflict"}), done.out
    put(world.child, {"c": lines(20, {5: "both"})})
    world.git("add", "c")
    if offline:
        world.catalog.rename(world.folder / "elsewhere")
    done = world.update("--continue")
    assert done.code == 0, done.out
    assert [entry["state"] for entry in done.json["commits"]] == ["replayed", "replayed"]
    assert world.read("b") == lines(20, {3: "theirs", 15: "mine"})
    assert not (world.child / "a").exists()


@pytest.mark.parametrize("leave", [False, True])
def test_a_stop_at_the_first_commit_is_aborted(world, leave):
    before = conflict_in_the_root(world)
    if leave:
        world.git("checkout", "-q", "-f", "main")
        before["index"] = (world.child / ".git/index").read_bytes()
    assert world.update("--abort").code == 0
    assert_everything(world, world.child, before)


# ---------------------------------------------------------------- said to be half done


@each_stop
def test_while_it_waits_nothing_else_begins(twelve, number):
    twelve.reach(number)
    before = everything(twelve.world, twelve.child)
    for args in ((), ("--strategy", "pick"), ("--strategy", "rebase"), ("--dry-run",)):
        done = twelve.update(*args)
        assert (done.code, done.error["code"]) == (3, "update-in-progress"), done.out
        assert "--continue" in done.error["hint"] and "--abort" in done.error["hint"]
    assert_everything(twelve.world, twelve.child, before)
    status = twelve.world.tmplgen("status", twelve.child, "--json")
    assert status.json["in_progress"] == "conflicts"
    assert status.json["replay"] == {
        "branch": "main",
        "commit": twelve.commits[number],
        "subject": f"commit {number}",
        "step": number + 1,
        "steps": 13,
    }
    words = twelve.world.tmplgen("status", twelve.child)
    assert words.code == 0 and "--continue" in words.out, words.out


@each_stop
def test_a_second_run_on_the_old_branch_says_that_it_is_half_done(twelve, number):
    """The branch is as it was; whoever checks it out again is told, not let begin anew."""
    twelve.reach(number)
    twelve.git("checkout", "-q", "-f", "main")
    for args in ((), ("--strategy", "rebase")):
        done = twelve.update(*args)
        assert done.code == 3, done.out
        assert "--abort" in done.error["hint"], done.error
    twelve.assert_aborted(twelve.update("--abort"), exact=False)


# ---------------------------------------------------------------- not yet resolved


@each_stop
def test_continue_with_files_in_conflict_says_which(twelve, number):
    twelve.reach(number)
    before = everything(twelve.world, twelve.child)
    done = twelve.go_on()
    assert done.code == 5, done.out
    assert any(STOPS[number] in text for text in done.json["warnings"]), done.out
    assert_everything(twelve.world, twelve.child, before)
    twelve.assert_state(number)


@each_stop
def test_continue_with_markers_left_says_where(twelve, number):
    twelve.reach(number)
    twelve.git("add", STOPS[number])
    before = everything(twelve.world, twelve.child)
    done = twelve.go_on()
    assert done.code == 5, done.out
    assert any(STOPS[number] in text for text in done.json["warnings"]), done.out
    assert_everything(twelve.world, twelve.child, before)


# ---------------------------------------------------------------- resolved in other ways


def states_of(done) -> dict:
    """By the number of the commit."""
    return {at: entry["state"] for at, entry in enumerate(done.json["commits"])}


def test_a_commit_that_is_resolved_to_nothing_is_dropped_and_told(twelve):
    twelve.reach(7)
    twelve.git("checkout", "HEAD", "--", "b", "own/1")
    done = twelve.go_on()
    assert done.code == 0, done.out
    assert states_of(done)[7] == "dropped"
    entry = done.json["commits"][7]
    assert entry["note"] and entry["to"] is None, entry
    assert "commit 7" not in twelve.git("log", "--format=%s").splitlines()
    ours = lines(20, {5: "theirs", 15: "sixth"})
    twelve.assert_files({**END, "own/1": "1\n", "moved/b": ours})
    twelve.assert_over()


def test_a_resolution_may_change_more_than_was_in_conflict(twelve):
    twelve.begin()
    twelve.solve(3)
    put(twelve.child, {"by-hand": "x\n"})
    twelve.git("add", "by-hand")
    twelve.assert_stopped(twelve.go_on(), 7)
    assert twelve.finish().code == 0
    twelve.assert_files({**END, "by-hand": "x\n"})
    named = twelve.git("log", "--format=%s", "--diff-filter=A", "--", "by-hand")
    assert named == "commit 3"


# More than was in conflict: a new file, an edit, one less, one that the template has as well.
MORE = {"by-hand": "x\n", "same": lines(9, {7: "by hand"}), "own/1": None, "added": "mine\n"}


def resolve_more(twelve):
    twelve.begin()
    twelve.solve(3)
    put(twelve.child, MORE)
    twelve.git("add", "-A", *MORE)


def abort_all_of_it(twelve, env=None):
    """Both stops resolved with more, the first one committed."""
    resolve_more(twelve)
    assert twelve.go_on().code == 5
    return twelve.update("--abort", env=env)


def abort_what_git_committed(twelve, env=None):
    resolve_more(twelve)
    twelve.git("commit", "-q", "--no-edit")
    return twelve.update("--abort", env=env)


each_abort = pytest.mark.parametrize("run", [abort_all_of_it, abort_what_git_committed])


@each_abort
def test_abort_takes_back_what_was_committed_beyond_the_conflict(twelve, run):
    twelve.assert_aborted(run(twelve), exact=False)


@sizes(few=(5, 2), sample=(12, 2))
@each_after
@each_abort
def test_such_an_abort_that_is_killed_ends_as_it_would_have(twelve, run, more, size):
    for at in points(lambda env: run(twelve, env), size):
        run(twelve, fault(at, "kill", **more))
        with told_of(f"killed at call {at}"):
            twelve.assert_untracked()
            done = twelve.update("--abort")
            assert done.code == 0 or done.error["code"] == "nothing-in-progress", done.out
            # Cut off between two stops, what is staged there may be somebody's: it stays so.
            assert_only_more_is_staged(twelve)
            twelve.git("reset", "-q", "--hard")
            remove_bases(twelve)
            twelve.assert_aborted(exact=False)


def assert_only_more_is_staged(twelve):
    staged = twelve.git("diff", "--cached", "--name-only").splitlines()
    assert set(staged) <= {"a", *MORE}


def remove_bases(twelve):
    """Refs of bases that nothing needs any more go with the next update."""
    for ref in set(everything(twelve.world, twelve.child)["refs"]) - set(twelve.before["refs"]):
        assert ref.startswith("refs/tmplgen/base/"), ref
        twelve.git("update-ref", "-d", ref.split()[0])


def test_abort_makes_no_copy_of_what_is_committed(twelve):
    twelve.begin()
    twelve.solve(3)
    twelve.git("commit", "-q", "--no-edit")
    put(twelve.child, {"by-hand": "x\n"})
    twelve.git("add", "by-hand")  # in the way of the short way back
    done = twelve.update("--abort")
    assert (done.code, done.json["warnings"]) == (0, []), done.out
    assert list((twelve.child / ".git/tmplgen").glob("trash/*")) == []
    twelve.assert_untracked()


@each_abort
def test_such_an_abort_on_a_full_disk_loses_nothing(twelve, run):
    """No room for what was deleted: in the worst case what was committed stays, staged."""
    done = run(twelve, fault(1, "full", FAILN_FROM="1"))
    assert done.code in (0, 1), done.out
    if done.code == 1:
        assert twelve.update("--abort").code == 0
    assert twelve.git("rev-parse", "HEAD", "main").split() == [twelve.tip] * 2
    twelve.assert_untracked()
    assert_only_more_is_staged(twelve)
    twelve.git("reset", "-q", "--hard")
    assert twelve.update("--strategy", "rebase").code == 5


def by_cherry_pick(twelve):
    twelve.git("cherry-pick", "--continue")


def by_commit(twelve):
    twelve.git("commit", "-q", "--no-edit")


def by_commit_and_amend(twelve):
    by_commit(twelve)
    twelve.git("commit", "-q", "--amend", "--no-edit")


OWN_MEANS = [by_cherry_pick, by_commit, by_commit_and_amend]


@pytest.mark.turns(2)
@pytest.mark.parametrize("commit", OWN_MEANS)
def test_a_stop_that_git_committed_is_gone_on_from(twelve, commit):
    twelve.begin()
    twelve.solve(3)
    commit(twelve)
    made = twelve.git("rev-parse", "HEAD")
    done = twelve.go_on()
    twelve.assert_stopped(done, 7)
    assert done.json["commits"][3]["to"] == made
    twelve.solve(7)
    commit(twelve)
    twelve.assert_ended(twelve.go_on())


@pytest.mark.turns(3)
@pytest.mark.parametrize("commit", OWN_MEANS)
@each_stop
def test_a_stop_that_git_committed_is_aborted(twelve, commit, number):
    twelve.reach(number)
    twelve.solve(number)
    commit(twelve)
    twelve.assert_aborted(twelve.update("--abort"), exact=False)


def test_a_stop_that_git_committed_in_words_of_its_own(twelve):
    """The message and the author of whoever commits are the user's to change."""
    twelve.begin()
    twelve.solve(3)
    twelve.git("commit", "-q", "-m", "said otherwise")
    assert twelve.go_on().code == 5
    assert twelve.finish().code == 0
    twelve.assert_files(END)
    assert "said otherwise" in twelve.git("log", "--format=%s").splitlines()


def test_a_further_commit_at_a_stop_is_not_lost(twelve):
    """Either it is gone on from, or it is refused, and the commit is still there."""
    twelve.begin()
    twelve.solve(3)
    by_commit(twelve)
    put(twelve.child, {"further": "x\n"})
    twelve.git("add", "further")
    twelve.git("commit", "-q", "-m", "a further one")
    further = twelve.git("rev-parse", "HEAD")
    done = twelve.go_on()
    if done.code == 3:
        assert done.error["hint"], done.out
        assert twelve.git("rev-parse", "HEAD") == further
        return
    assert done.code == 5, done.out
    assert twelve.finish().code == 0
    twelve.assert_files({**END, "further": "x\n"})


@each_stop
def test_a_stop_that_git_gave_up_is_gone_on_with_or_aborted(twelve, number):
    """`git cherry-pick --abort` of the one commit: nothing of it may be taken for resolved."""
    twelve.run_to(number)  # git asks for the times of the very files
    twelve.git("cherry-pick", "--abort")
    done = twelve.go_on()
    assert done.code in (3, 5), done.out
    assert twelve.git("rev-parse", "main") == twelve.tip
    twelve.assert_aborted(twelve.update("--abort"), exact=False)


# ---------------------------------------------------------------- HEAD is elsewhere


def checked_out(twelve):
    twelve.git("checkout", "-q", "-f", "main")


def switched(twelve):
    twelve.git("cherry-pick", "--quit")
    twelve.git("switch", "-q", "-f", "main")


def reset(twelve):
    twelve.git("reset", "-q", "--hard")


def reset_and_switched(twelve):
    twelve.git("reset", "-q", "--hard")
    twelve.git("switch", "-q", "main")


@pytest.mark.turns(4)
@pytest.mark.parametrize("leave", [checked_out, switched, reset, reset_and_switched])
@each_stop
def test_abort_works_after_the_branch_was_checked_out_again(twelve, number, leave):
    twelve.reach(number)
    leave(twelve)
    twelve.assert_aborted(twelve.update("--abort"), exact=False)


def test_abort_leaves_a_commit_that_was_made_on_the_old_branch(twelve):
    """It never moves a branch over somebody's commit."""
    twelve.begin()
    twelve.git("checkout", "-q", "-f", "main")
    put(twelve.child, {"mine": "x\n"})
    twelve.git("add", "mine")
    twelve.git("commit", "-q", "-m", "meanwhile")
    mine = twelve.git("rev-parse", "HEAD")
    done = twelve.update("--abort")
    assert done.code == 0, done.out
    assert "it is left where it is, and so are files" in done.json["warnings"][0]
    assert twelve.git("rev-parse", "main", "HEAD").split() == [mine] * 2
    assert twelve.world.read("mine", twelve.child) == "x\n"
    assert_fsck(twelve)
    assert twelve.update("--check").code == 6


def test_the_branch_that_moved_meanwhile_is_not_overwritten(twelve):
    """`git branch -f`, or a push into it: `--continue` refuses, and `--abort` leaves it."""
    twelve.reach(7)
    twelve.git("branch", "-q", "-f", "main", twelve.commits[5])
    twelve.solve(7)
    done = twelve.go_on()
    assert done.code == 3, done.out
    assert twelve.git("rev-parse", "main") == twelve.commits[5]
    done = twelve.update("--abort")
    assert done.code in (0, 3), done.out
    assert twelve.git("rev-parse", "main") == twelve.commits[5]
    assert_fsck(twelve)


@each_stop
@pytest.mark.parametrize("ending", ["--continue", "--abort"])
def test_a_moved_repository_is_gone_on_with_or_aborted(twelve, number, ending):
    twelve.reach(number)
    target = twelve.world.folder / "elsewhere" / "moved"
    target.parent.mkdir()
    os.rename(twelve.child, target)
    twelve.child = target
    if ending == "--abort":
        twelve.assert_aborted(twelve.update("--abort"))
        return
    if number == 3:
        twelve.solve(3)
        twelve.assert_stopped(twelve.go_on(), 7)
    twelve.assert_ended(twelve.finish())


def test_gc_between_the_stops_loses_nothing(twelve):
    """What is replayed is reachable, and what it came from, too."""
    twelve.reach(7)
    twelve.git("-c", "gc.reflogExpire=now", "gc", "-q", "--prune=now")
    twelve.assert_ended(twelve.finish())


# ---------------------------------------------------------------- resolved once before


def test_a_recorded_resolution_is_offered_and_never_committed_silently(twelve):
    twelve.reach(7)
    assert twelve.update("--abort").code == 0
    done = twelve.update("--strategy", "rebase")
    twelve.assert_stopped(done, 3, unmerged=False)
    assert twelve.git("ls-files", "-u") == ""
    assert twelve.world.read("a", twelve.child) == SOLVED[3]["a"]
    assert twelve.git("diff", "--name-only") == ""
    notes = {line["path"]: line["note"] for line in done.json["paths"]}
    assert "resolved as you did before" in notes["a"], notes
    twelve.assert_stopped(twelve.go_on(), 7)
    twelve.assert_ended(twelve.finish())


def test_a_recorded_resolution_is_of_that_conflict_alone(twelve):
    """Another text in conflict at the same path is another conflict."""
    twelve.reach(7)
    assert twelve.update("--abort").code == 0
    twelve.world.release("1.2.0", {**NEW, "a": lines(20, {5: "theirs anew"})})
    done = twelve.update("--strategy", "rebase")
    twelve.assert_stopped(done, 3)
    assert twelve.update("--abort").code == 0


# ---------------------------------------------------------------- killed


def shape(twelve) -> dict:
    """What a run comes to, without what a clock makes different."""
    index = twelve.git("ls-files", "-s")
    chain = commits_of(twelve.world, twelve.child)
    raw = raw_commits(twelve.world, twelve.child, chain)
    tips = twelve.git("for-each-ref", "--format=%(refname) %(tree)", "refs/heads")
    return {
        "files": files_on_disk(twelve.child),
        "index": index,
        "commits": [(raw[c][0]["tree"], raw[c][0]["author"], raw[c][1]) for c in chain],
        "tips": tips,
        "detached": twelve.git("symbolic-ref", "-q", "HEAD", check=False).returncode,
        "pick": (twelve.child / ".git/CHERRY_PICK_HEAD").exists(),
    }


def first_run(twelve, env=None):
    return twelve.begin(env)


def first_continue(twelve, env=None):
    return twelve.reach(7, env)


def last_continue(twelve, env=None):
    twelve.reach(7)
    twelve.solve(7)
    return twelve.go_on(env)


def abort_at_3(twelve, env=None):
    twelve.reach(3)
    return twelve.update("--abort", env=env)


def abort_at_7(twelve, env=None):
    twelve.reach(7)
    return twelve.update("--abort", env=env)


class Killed:
    """A run that is killed at any call, and what it must come to either way."""

    def __init__(self, twelve, run):
        self.twelve, self.run = twelve, run
        done = run(twelve)
        self.code = 5 if run in (first_run, first_continue) else 0
        assert done.code == self.code, done.out
        self.shape = shape(twelve)
        self.total = count_calls(lambda env: run(twelve, env))

    def again(self):
        """Whoever was killed is run again."""
        if self.run is first_run:
            return self.twelve.update("--strategy", "rebase")
        ending = "--abort" if self.run in (abort_at_3, abort_at_7) else "--continue"
        return self.twelve.update(ending)

    def forward(self, second=None):
        twelve = self.twelve
        if second:
            ending = "--abort" if self.run in (abort_at_3, abort_at_7) else "--continue"
            args = ["--strategy", "rebase"] if self.run is first_run else [ending]
            twelve.update(*args, env=fault(second, "kill"))
        done = self.again()
        if done.code == 3:
            over = "nothing-in-progress" if self.code == 0 else "update-in-progress"
            assert done.error["code"] == over, done.out
        else:
            assert done.code == self.code, done.out + done.err
        assert shape(twelve) == self.shape
        self.go_to_the_end()

    def go_to_the_end(self):
        twelve = self.twelve
        if self.run in (abort_at_3, abort_at_7):
            twelve.assert_aborted()
            return
        if self.run is first_run:
            twelve.solve(3)
            twelve.assert_stopped(twelve.go_on(), 7)
        if self.run is not last_continue:
            assert twelve.finish().code == 0
        twelve.assert_ended()

    def backward(self, second=None):
        twelve = self.twelve
        if second:
            twelve.update("--abort", env=fault(second, "kill"))
        done = twelve.update("--abort")
        if done.code == 3:
            assert done.error["code"] == "nothing-in-progress", done.out
            if self.run is last_continue and twelve.git("rev-parse", "main") != twelve.tip:
                twelve.assert_ended()
                return
        else:
            assert done.code == 0, done.out + done.err
        twelve.assert_aborted()

    def sweep(self, size, **more):
        """Killed there, run on or back, every third time killed once more in between."""
        chance = random.Random(SEED)
        for at in sample(range(1, self.total + 1), size):
            for way in (self.forward, self.backward):
                second = chance.randint(1, self.total) if chance.random() < 0.34 else None
                self.run(self.twelve, fault(at, "kill", **more))
                with told_of(f"killed at call {at}, then at {second}, {way.__name__}"):
                    self.twelve.assert_untracked()
                    moved = self.twelve.git("rev-parse", "main") != self.twelve.tip
                    assert not moved or self.run is last_continue
                    way(second)


each_run = pytest.mark.parametrize(
    "run", [first_run, first_continue, last_continue, abort_at_3, abort_at_7]
)


@sizes(few=(3, 3), sample=(16, 2))
@each_after
@each_run
def test_killed(twelve, run, more, size):
    Killed(twelve, run).sweep(size, **more)


# ---------------------------------------------------------------- errors, no space


@sizes(few=(4, 3), sample=(12, 3))
@pytest.mark.parametrize("kind", ["EIO", "ENOSPC", "EACCES", "EMFILE", "EINTR", "short"])
@each_run
def test_error(twelve, run, kind, size):
    """What fails says so; run again, or back, it comes to what it must."""
    killed = Killed(twelve, run)
    calls = {call.number: call for call in calls_of(lambda env: run(twelve, env))}
    for at in sample(range(1, killed.total + 1), size):
        twelve.has_reflog = not any("/logs" in path for path in calls[at].paths)
        done = run(twelve, fault(at, kind))
        with told_of(f"{kind} at call {at}: {done.out}{done.err}"):
            twelve.assert_untracked()
            assert done.code in (killed.code, 1)
            if done.code == 1 and (twelve.child / ".git/tmplgen/journal").exists():
                assert "--abort" in done.error["hint"]
            killed.forward()


@each_stop
def test_abort_needs_no_disk_space(twelve, number):
    twelve.reach(number)
    done = twelve.update("--abort", env=fault(1, "full", FAILN_FROM="1"))
    twelve.assert_aborted(done)
