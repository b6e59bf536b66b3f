"""
An update held at each call that changes the file system, while somebody else does something: an
editor saves, git commits, a second update starts, a signal comes. Then it goes on.
"""

import os
import random
import select
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ..common.program import BINARY
from .cases import again, each_case, in_cases, run
from .faults import SEED, calls_of, fault, sizes, told_of
from .scenarios import LONG, lines
from .sweeps import Reference, assert_fsck, assert_users_files, kill_points, raw_state
from .world import Result, assert_seen_by_git, assert_sound, put


class Held:
    """One update that waits at its Nth call until it may go on."""

    def __init__(self, case, at):
        case.fresh()
        self.start(case.world, case.command(case.args), at)

    @classmethod
    def of(cls, world, command, at, **more):
        """Any other command."""
        held = cls.__new__(cls)
        held.start(world, command, at, **more)
        return held

    def start(self, world, command, at, **more):
        self.fifo = world.folder / "fifo"
        self.fifo.unlink(missing_ok=True)
        os.mkfifo(self.fifo)
        said = os.open(self.fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.run = subprocess.Popen(
            [BINARY, *command],
            env={**world.env, **fault(at, "none", FAILN_STOP=str(self.fifo), **more)},
            start_new_session=True,  # as a shell has it: a group of its own
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.wait(said)
        os.close(said)

    def wait(self, said):
        """Until it is held, or over: the number of calls may differ by some."""
        ready = select.poll()
        ready.register(said, select.POLLIN)
        while not ready.poll(50) and self.run.poll() is None:
            pass
        os.set_blocking(said, True)
        os.read(said, 1)

    def go_on(self):
        while self.run.poll() is None:
            try:
                os.close(os.open(self.fifo, os.O_WRONLY | os.O_NONBLOCK))
                break
            except OSError:  # nobody waits: not yet, or no longer, after a signal
                time.sleep(0.002)
        out, err = self.run.communicate(timeout=120)
        return Result(self.run.returncode, out.decode(), err.decode())


# ---------------------------------------------------------------- an editor


def save_in_place(path, text):
    with open(path, "r+") as file:
        file.seek(0, os.SEEK_END)
        file.write(text)


def save_by_rename(path, text):
    draft = path.with_name("draft~")
    draft.write_text((path.read_text() if path.exists() else "") + text)
    os.replace(draft, path)


SAVES = {"in-place": save_in_place, "by-rename": save_by_rename}


def is_found(case, text):
    """On disk, put aside, or what an update that is half done will bring back."""
    places = [case.child, case.git_dir / "tmplgen"]
    for place in places:
        for path in place.rglob("*"):
            if ".git" not in path.relative_to(place).parts and path.is_file():
                if text in path.read_bytes().decode(errors="replace"):
                    return True
    return False


each_save = pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)


@sizes(sample=(10, 4))
@each_save
@each_case
def test_editor_saves_at_a_call(case, size, save):
    for number, at in enumerate(kill_points(case, size)):
        held, text = Held(case, at), f"saved {number} while it ran\n"
        path = case.child / ("edited" if number % 2 else "moved/a")
        there = path.exists()
        if there:
            save(path, text)
            if number % 3:  # as if it went on seconds later: git compares whole ones
                long_ago = path.stat().st_mtime_ns - 5 * 10**9
                os.utime(path, ns=(long_ago, long_ago))
        done = held.go_on()
        with told_of(f"at call {at}: {done.code} {done.out}{done.err}"):
            assert done.code in (0, 1, 3, 5)
            assert not there or is_found(case, text)
            assert_seen_by_git(case.world, case.top)
            if done.code in (1, 3):
                again(case, None, "--abort")
                assert not there or is_found(case, text), "after --abort"
            assert_users_files(case)
            assert_fsck(case)


def exchange(case, path):
    """The call that exchanges a file for its new version, or takes it away."""
    for call in calls_of(lambda env: run(case, env)):
        if call.name == "renameat2" and str(case.child / path) in call.paths:
            return call
    raise AssertionError(f"{path} is not exchanged")


@pytest.mark.turns(5)
@each_save
@pytest.mark.parametrize("path", ["edited", "moved/a"])  # replaced, taken away
@in_cases("clean", "conflict", "merge", "rebase")
def test_edit_between_the_last_look_and_the_exchange_is_refused(case, path, save):
    """Not only kept somewhere: the run goes back as a whole, and the edit stays where it is."""
    reference = Reference(case)
    held = Held(case, exchange(case, path).number)
    save(case.child / path, "saved at the last moment\n")
    text = (case.child / path).read_text()
    done = held.go_on()
    assert (case.child / path).read_text() == text
    assert_is_refused(case, reference, done, path)


@pytest.mark.parametrize("path", ["edited", "moved/a"])
@in_cases("clean")
def test_a_file_that_goes_between_the_last_look_and_the_exchange_is_told(case, path):
    """The run goes back, and what is committed is there again."""
    reference = Reference(case)
    held = Held(case, exchange(case, path).number)
    (case.child / path).unlink()
    done = held.go_on()
    assert done.code in (1, 3) and done.error["message"], done.out
    reference.assert_old()
    assert case.leftovers() == []
    assert_fsck(case)


@in_cases("clean", "conflict")
def test_edit_through_a_file_that_was_open_when_it_was_exchanged_is_refused(case):
    """The run goes back as a whole; what was written too late lies beside the file."""
    reference, call = Reference(case), exchange(case, "edited")
    held = Held(case, call.number + 1)
    swapped_out = Path(call.paths[0])  # what the editor has open
    lines_before = swapped_out.read_text()
    save_in_place(swapped_out, "saved just after\n")
    text = swapped_out.read_text()
    done = held.go_on()
    kept = case.child / "edited.tmplgen-kept-1"
    assert kept.read_text() == text
    kept.unlink()
    assert (case.child / "edited").read_text() == lines_before
    assert_is_refused(case, reference, done, "edited")


@in_cases("clean")
def test_edit_at_the_exchange_of_a_resumed_run_stays_where_it_is(case):
    """A resumed run goes on without that file, and says so."""
    crash = next(call for call in calls_of(lambda env: run(case, env)) if call.name == "renameat2")
    run(case, fault(crash.number, "kill"))
    calls = calls_of(lambda env: again(case, env))
    at = next(c.number for c in calls if c.paths[-1:] == (str(case.child / "edited"),))
    run(case, fault(crash.number, "kill"))
    held = Held.of(case.world, ["update", case.child, "--json"], at)
    save_by_rename(case.child / "edited", "saved at the last moment\n")
    text = (case.child / "edited").read_text()
    done = held.go_on()
    assert done.code == 0, done.out
    assert (case.child / "edited").read_text() == text
    assert any("edited" in warning for warning in done.json["warnings"]), done.json["warnings"]


def assert_is_refused(case, reference, done, path):
    """Everything is as it was, but for the file that was edited."""
    assert (done.code, done.error["code"]) == (3, "changed-meanwhile"), done.out
    assert f"'{path}'" in done.error["message"]
    now = raw_state(case)
    for state in (now, reference.old):
        del state["files"][path]
    assert now == reference.old
    assert case.leftovers() == []


# ---------------------------------------------------------------- git


@sizes(sample=(12, 3))
@each_case
def test_git_commits_at_a_call(case, size):
    """Git refuses, or the commit stays."""
    for at in kill_points(case, size):
        held = Held(case, at)
        put(case.child, {"mine": "mine\n"})
        world, top = case.world, case.top
        added = world.git("add", "mine", cwd=case.child, check=False).returncode == 0
        made = world.git("commit", "-qm", "mine", cwd=case.child, check=False).returncode == 0
        done = held.go_on()
        with told_of(f"at call {at}: {added} {made} {done.code} {done.out}{done.err}"):
            assert done.code in (0, 1, 3, 5)
            # A rebase that stops has not come to the commits after the one that it stopped at.
            ahead = case.strategy == "rebase" and made and done.code == 5
            if done.code == 1 or (ahead and not (case.child / "mine").exists()):
                again(case, None, "--abort")
            subjects = world.git("log", "--all", "--format=%s", cwd=top).splitlines()
            assert (subjects.count("mine") == 1) == made
            assert (case.child / "mine").read_text() == "mine\n"
            assert_users_files(case)
            assert_fsck(case)


def move_the_branch(case):
    """Without a change of the index, as `git commit` would make one."""
    made = case.world.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", "mine", cwd=case.top)
    case.world.git("update-ref", "HEAD", made, cwd=case.top)


def switch_to_a_branch_of_the_same_commit(case):
    case.world.git("branch", "other", cwd=case.top)
    case.world.git("symbolic-ref", "HEAD", "refs/heads/other", cwd=case.top)


def stage(case):
    put(case.child, {"mine": "mine\n"})
    case.world.git("add", "mine", cwd=case.child)


def what_git_says(case):
    """Branches, HEAD, index and status; asking for them changes no byte of the index."""
    commands = (
        ("show-ref", "--heads"),
        ("symbolic-ref", "HEAD"),
        ("ls-files", "-s"),
        ("status", "-s"),
    )
    quiet = ("--no-optional-locks",)
    return [case.world.git(*quiet, *command, cwd=case.top) for command in commands]


@pytest.mark.parametrize("act", [move_the_branch, switch_to_a_branch_of_the_same_commit, stage])
@in_cases("clean", "conflict")
def test_what_git_did_just_before_the_locks_is_seen_under_them(case, act):
    """Also where the index stays as it is: each of the three is compared for itself."""
    calls = calls_of(lambda env: run(case, env))
    lock = next(c for c in calls if any(path.endswith("/index.lock") for path in c.paths))
    held = Held(case, lock.number)
    act(case)
    before = what_git_says(case)
    done = held.go_on()
    assert (done.code, done.error["code"]) == (3, "changed-meanwhile"), done.out
    assert what_git_says(case) == before
    assert case.leftovers() == []
    assert_users_files(case)


# ---------------------------------------------------------------- a second update


@sizes(sample=(12, 3))
@each_case
def test_second_update_at_a_call(case, size):
    """Another update, or --abort, while one runs: it is refused, and the first one ends as ever."""
    reference, chance = Reference(case), random.Random(SEED)
    for at in kill_points(case, size):
        held = Held(case, at)
        args = chance.choice([(), ("--abort",), ("--continue",), ("--check",), ("--dry-run",)])
        other = case.world.tmplgen("update", case.child, "--json", *args)
        done = held.go_on()
        with told_of(f"{args} at call {at}: {other.out} {done.code} {done.out}{done.err}"):
            assert other.code in (0, 3, 5, 6)
            assert done.code in (0, 3, 5)
            if not args and other.code in (0, 5):  # it came first, and did it once
                subjects = case.world.git("log", "--format=%s", cwd=case.top).splitlines()
                assert sum(line.startswith("Update") for line in subjects) <= 1
            elif done.code == 3:
                assert raw_state(case) == reference.old
            else:
                reference.assert_new()
            assert_fsck(case)


def test_S_80_of_many_updates_at_once_one_does_it(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.release(
        "1.1.0", {"a": lines(20, {15: "theirs"}), **{f"f{i}": f"{i}\n" for i in range(30)}}
    )
    command = [BINARY, "update", world.child, "--json"]
    runs = [subprocess.Popen(command, env=world.env, stdout=subprocess.PIPE) for _ in range(6)]
    outs = [one.communicate()[0] for one in runs]
    codes = {one.returncode for one in runs}
    assert 0 in codes and codes <= {0, 3}, outs
    assert world.git("rev-list", "--count", "HEAD") == "2"
    assert_sound(world)


# ---------------------------------------------------------------- signals


@sizes(few=(6, 2), sample=(20, 3))
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@each_case
def test_signal_at_a_call(case, number, size):
    """129, 130 or 143 with everything as it was, or done; sent to one, or as a terminal does it."""
    reference = Reference(case)
    for turn, at in enumerate(kill_points(case, size)):
        held = Held(case, at)
        (os.killpg if turn % 2 else os.kill)(held.run.pid, number)
        done = held.go_on()
        with told_of(f"signal {number} at call {at}: {done.code} {done.out}{done.err}"):
            assert done.code in (0, 5, 128 + number)
            if done.code == 128 + number:
                assert raw_state(case) == reference.old
            else:
                reference.assert_new()
            assert_users_files(case)
            assert_fsck(case)


@in_cases("clean", "conflict", "staged")
def test_A6_what_a_first_run_puts_aside_is_told(case):
    """Written after the last look, through a file that was open: it is kept, and named."""
    calls = calls_of(lambda env: run(case, env))
    swap = next(c for c in calls if c.name == "renameat2" and str(case.child / "edited") in c.paths)
    last = next(c for c in calls if c.number > swap.number and "index.old" in c.paths[-1])
    held = Held(case, last.number)
    save_in_place(Path(swap.paths[0]), "saved too late\n")
    done = held.go_on()
    if case.conflict or "--no-commit" in case.args:  # it is put aside when the update is ended
        assert done.code in (0, 5), done.out
        put(case.child, {"edited": "resolved\n"})
        case.world.git("add", "edited", cwd=case.child)
        done = again(case, None, "--continue")
    assert done.code == 0, done.out
    kept = case.child / "edited.tmplgen-kept-1"
    assert kept.read_text().endswith("saved too late\n")
    assert any(kept.name in warning for warning in done.json["warnings"]), done.json["warnings"]
