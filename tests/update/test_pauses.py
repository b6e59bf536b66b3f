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
from .faults import calls_of, count_calls, fast_folder, fault, sample
from .test_faults import (
    CASES,
    Reference,
    again,
    assert_fsck,
    assert_users_files,
    build,
    raw_state,
    run,
)
from .world import Result, assert_seen_by_git, put

SEED = int(os.environ.get("TMPLGEN_SEED", "20260101"))


class Held:
    """One update that waits at its Nth call until it may go on."""

    def __init__(self, case, at):
        case.fresh()
        self.start(case.world, ["update", case.child, "--json", *case.args], at)

    @classmethod
    def of(cls, world, command, at):
        """Any other command."""
        held = cls.__new__(cls)
        held.start(world, command, at)
        return held

    def start(self, world, command, at):
        self.fifo = world.folder / "fifo"
        self.fifo.unlink(missing_ok=True)
        os.mkfifo(self.fifo)
        said = os.open(self.fifo, os.O_RDONLY | os.O_NONBLOCK)
        self.run = subprocess.Popen(
            [BINARY, *command],
            env={**world.env, **fault(at, "none", FAILN_STOP=str(self.fifo))},
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


@pytest.fixture
def case(request):
    folder = fast_folder()
    yield build(folder, **CASES[request.param])
    subprocess.run(["rm", "-rf", folder], check=True)


def points(case, size):
    total = count_calls(lambda env: run(case, env))
    return sample(list(range(1, total + 1)), size, SEED)


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


def edit_everywhere(case, size, save):
    for number, at in enumerate(points(case, size)):
        held, text = Held(case, at), f"saved {number} while it ran\n"
        path = case.child / ("edited" if number % 2 else "moved/a")
        there = path.exists()
        if there:
            save(path, text)
            if number % 3:  # as if it went on seconds later: git compares whole ones
                long_ago = path.stat().st_mtime_ns - 5 * 10**9
                os.utime(path, ns=(long_ago, long_ago))
        done = held.go_on()
        where = f"at call {at} (seed {SEED}): {done.code} {done.out}{done.err}"
        assert done.code in (0, 1, 3, 5), where
        assert not there or is_found(case, text), where
        assert_seen_by_git(case.world, case.top)
        if done.code in (1, 3):
            case.world.tmplgen("update", case.child, "--abort")
            assert not there or is_found(case, text), f"after --abort, {where}"
        assert_users_files(case)
        assert_fsck(case)


@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
@pytest.mark.parametrize("case", ["clean", "conflict"], indirect=True)
def test_editor_saves_at_a_call_few(case, save):
    edit_everywhere(case, 10, save)


@pytest.mark.full
@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
@pytest.mark.parametrize("case", ["clean", "conflict", "staged"], indirect=True)
def test_editor_saves_at_a_call_sample(case, save):
    edit_everywhere(case, 60, save)


@pytest.mark.soak
@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_editor_saves_at_a_call_all(case, save):
    edit_everywhere(case, 1000000, save)


def exchange(case, path):
    """The call that exchanges a file for its new version, or takes it away."""
    for call in calls_of(lambda env: run(case, env)):
        if call.name == "renameat2" and str(case.child / path) in call.paths:
            return call
    raise AssertionError(f"{path} is not exchanged")


@pytest.mark.parametrize("save", SAVES.values(), ids=SAVES)
@pytest.mark.parametrize("path", ["edited", "moved/a"])  # replaced, taken away
@pytest.mark.parametrize("case", ["clean", "conflict"], indirect=True)
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
@pytest.mark.parametrize("case", ["clean"], indirect=True)
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


@pytest.mark.parametrize("case", ["clean", "conflict"], indirect=True)
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


@pytest.mark.parametrize("case", ["clean"], indirect=True)
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


def commit_everywhere(case, size):
    """A commit at each call: git refuses, or the commit stays."""
    for at in points(case, size):
        held = Held(case, at)
        put(case.child, {"mine": "mine\n"})
        world, top = case.world, case.top
        added = world.git("add", "mine", cwd=case.child, check=False).returncode == 0
        made = world.git("commit", "-qm", "mine", cwd=case.child, check=False).returncode == 0
        done = held.go_on()
        where = f"at call {at} (seed {SEED}): {added} {made} {done.code} {done.out}{done.err}"
        assert done.code in (0, 1, 3, 5), where
        if done.code == 1:
            world.tmplgen("update", case.child, "--abort")
        subjects = world.git("log", "--all", "--format=%s", cwd=top).splitlines()
        assert (subjects.count("mine") == 1) == made, where
        assert (case.child / "mine").read_text() == "mine\n", where
        assert_users_files(case)
        assert_fsck(case)


@pytest.mark.parametrize("case", ["clean"], indirect=True)
def test_git_commits_at_a_call_few(case):
    commit_everywhere(case, 10)


@pytest.mark.full
@pytest.mark.parametrize("case", ["clean", "conflict", "linked"], indirect=True)
def test_git_commits_at_a_call_sample(case):
    commit_everywhere(case, 50)


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_git_commits_at_a_call_all(case):
    commit_everywhere(case, 1000000)


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
@pytest.mark.parametrize("case", ["clean", "conflict"], indirect=True)
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


def update_everywhere(case, size):
    """Another update, or --abort, while one runs: it is refused, and the first one ends as ever."""
    reference, chance = Reference(case), random.Random(SEED)
    for at in points(case, size):
        held = Held(case, at)
        args = chance.choice([(), ("--abort",), ("--continue",), ("--check",), ("--dry-run",)])
        other = case.world.tmplgen("update", case.child, "--json", *args)
        done = held.go_on()
        where = f"{args} at call {at} (seed {SEED}): {other.out} {done.code} {done.out}{done.err}"
        assert other.code in (0, 3, 5, 6), where
        assert done.code in (0, 3, 5), where
        if not args and other.code in (0, 5):  # it came first, and did it once
            subjects = case.world.git("log", "--format=%s", cwd=case.top).splitlines()
            assert sum(line.startswith("Update") for line in subjects) <= 1, where
        elif done.code == 3:
            assert raw_state(case) == reference.old, where
        else:
            reference.assert_new()
        assert_fsck(case)


@pytest.mark.parametrize("case", ["clean"], indirect=True)
def test_second_update_at_a_call_few(case):
    update_everywhere(case, 10)


@pytest.mark.full
@pytest.mark.parametrize("case", ["clean", "conflict", "branch"], indirect=True)
def test_second_update_at_a_call_sample(case):
    update_everywhere(case, 40)


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_second_update_at_a_call_all(case):
    update_everywhere(case, 1000000)


# ---------------------------------------------------------------- signals


def signal_everywhere(case, size, number):
    """129, 130 or 143 with everything as it was, or done; sent to one, or as a terminal does it."""
    reference, codes = Reference(case), set()
    for turn, at in enumerate(points(case, size)):
        held = Held(case, at)
        (os.killpg if turn % 2 else os.kill)(held.run.pid, number)
        done = held.go_on()
        where = f"signal {number} at call {at} (seed {SEED}): {done.code} {done.out}{done.err}"
        assert done.code in (0, 5, 128 + number), where
        codes.add(done.code)
        if done.code == 128 + number:
            assert raw_state(case) == reference.old, where
        else:
            reference.assert_new()
        assert_users_files(case)
        assert_fsck(case)
    return codes


NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("case", ["clean"], indirect=True)
def test_signal_at_a_call_few(case, number):
    signal_everywhere(case, 10, number)


@pytest.mark.full
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("case", ["clean", "conflict"], indirect=True)
def test_signal_at_a_call_sample(case, number):
    signal_everywhere(case, 40, number)


@pytest.mark.soak
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_signal_at_a_call_all(case, number):
    signal_everywhere(case, 1000000, number)


@pytest.mark.parametrize("case", ["clean", "conflict", "staged"], indirect=True)
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
