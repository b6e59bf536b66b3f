"""
Between a kill and the run that recovers from it, somebody goes on: commits, switches, removes the
locks as git advises, moves or copies the repository, mounts it anew, collects garbage. No commit
leaves its branch, no line is lost, and there is always a way out.
"""

import hashlib
import itertools
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from .cases import CASES, TOLD, again, each_case, in_cases, run
from .faults import ALL, calls_of, clone_folder, fault, other_device, sizes, told_of
from .scenarios import lines
from .sweeps import (
    RECOVERIES,
    Reference,
    assert_fsck,
    assert_users_files,
    assert_whole,
    kill_points,
    raw_state,
)
from .world import GIT_COMMANDS, assert_seen_by_git, assert_sound, files_on_disk, put

BASE = "what the templates render to"
WAYS = {"again": (), "continue": ("--continue",), "abort": ("--abort",)}


# ---------------------------------------------------------------- somebody works on


def remove_locks(case):
    """As git's own message says: "remove the file manually to continue"."""
    for folder in {case.git_dir, case.common}:
        for lock in folder.rglob("*.lock"):
            lock.unlink()


def commit_own_file(case):
    put(case.child, {"mine": "mine\n"})
    case.world.git("add", "mine", cwd=case.child)
    case.world.git("commit", "-qm", "MY WORK", cwd=case.child)


def commit_all_tracked(case):
    put(case.child, {"own/file": "own\nmore\n"})
    case.world.git("commit", "-qam", "MY WORK", cwd=case.child)


def commit_twice(case):
    commit_own_file(case)
    put(case.child, {"mine": "mine\nmore\n"})
    case.world.git("commit", "-qam", "MY WORK, too", cwd=case.child)


def switch(case):
    case.world.git("switch", "-qc", "other", cwd=case.top)


def switch_and_commit(case):
    switch(case)
    commit_own_file(case)


def detach(case):
    case.world.git("checkout", "-q", "--detach", cwd=case.top)


def stage_own_file(case):
    put(case.child, {"mine": "mine\n"})
    case.world.git("add", "mine", cwd=case.child)


def stage_what_is_updated(case):
    path = case.child / "edited"
    put(case.child, {"edited": (path.read_text() if path.exists() else "") + "mine\n"})
    case.world.git("add", "edited", cwd=case.child)


def look_at_status(case):
    """Git writes the index anew, though nothing in it changes but times."""
    os.utime(case.child / "own/file")
    case.world.git("status", cwd=case.top)


def merge(case):
    world, top = case.world, case.top
    commit = world.git("commit-tree", "-m", "side", "HEAD^{tree}", "-p", "HEAD", cwd=top)
    world.git("merge", "-q", "--no-ff", "--no-commit", commit, cwd=top, check=False)


DEEDS = [
    commit_own_file,
    commit_all_tracked,
    commit_twice,
    switch,
    switch_and_commit,
    detach,
    stage_own_file,
    stage_what_is_updated,
    look_at_status,
    merge,
]


@dataclass
class Before:
    """What may not be lost."""

    tips: dict
    texts: dict


def look(case) -> Before:
    world, top = case.world, case.top
    refs = world.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads", cwd=top)
    texts = {}
    for path in ("mine", "own/file", "edited"):
        if (case.child / path).is_file():
            texts[path] = (case.child / path).read_text()
    return Before(dict(line.split() for line in refs.splitlines()), texts)


def subjects_of(case, tip):
    """Of the project's commits, not of what a rebase puts below them."""
    told = case.world.git("log", "--format=%s", tip, cwd=case.top).splitlines()
    return [subject for subject in told if subject != BASE]


def assert_no_commit_lost(case, before):
    """
    Only an update's own commit, on which nobody built, may be taken back. What a rebase moved is
    there again; what somebody made upon it was moved by nobody.
    """
    world, top = case.world, case.top
    now = look(case).tips
    for name, tip in before.tips.items():
        subject = world.git("log", "-1", "--format=%s", tip, cwd=top)
        if case.strategy == "rebase" and name in now and "MY WORK" not in subject:
            told, found = subjects_of(case, tip), subjects_of(case, now[name])
            own = [subject for subject in told if not subject.startswith("Update")]
            assert found[-len(own) :] == own, f"{name} was {own}, is {found}"
            continue
        if subject.startswith(("Update", "Adopt")) and "MY WORK" not in subject:
            parents = world.git("log", "-1", "--format=%P", tip, cwd=top).split()
            if not parents:
                continue  # the first commit of a repository that had none
            tip = parents[0]
        if name not in now:  # a branch that the update had made
            assert world.git("branch", "--contains", tip, cwd=top), f"{name} is gone"
            continue
        held = world.git("merge-base", "--is-ancestor", tip, now[name], cwd=top, check=False)
        assert held.returncode == 0, f"{name} lost '{subject}'"


def assert_no_line_lost(case, before):
    """Somebody's own lines are on disk, or in a commit of a branch."""
    for path, text in before.texts.items():
        for line in set(text.splitlines()) & {"mine", "more"}:
            where = case.child / path
            if where.is_file() and line in where.read_text().splitlines():
                continue
            name = str(where.relative_to(case.top))
            words = ("grep", "-q", "-e", f"^{line}$", "HEAD", "--", name)
            kept = case.world.git(*words, cwd=case.top, check=False)
            found = kept.returncode == 0 or is_in_trash(case, line) or was_replayed_upon(case, line)
            assert found, f"'{line}' of {path} is lost"


def was_replayed_upon(case, line):
    """Committed on the detached HEAD of a rebase that was aborted then: as with git's own."""
    words = ("log", "-g", "--format=%h", f"-S{line}", "HEAD")
    return case.strategy == "rebase" and case.world.git(*words, cwd=case.top, check=False).stdout


def is_in_trash(case, line):
    trash = case.git_dir / "tmplgen" / "trash"
    kept = [*(trash.iterdir() if trash.exists() else []), *case.child.rglob("*.tmplgen-kept-*")]
    return any(line in path.read_text().splitlines() for path in kept)


def assert_git_goes_on(case):
    world = case.world
    unmerged = world.git("ls-files", "-u", cwd=case.top)
    waits = (case.git_dir / "tmplgen" / "pending").exists()
    assert waits or case.leftovers() == []
    assert not [*case.git_dir.rglob("*.lock")]
    if not unmerged:
        world.git("commit", "-q", "--allow-empty", "-m", "goes on", cwd=case.top)


def assert_is_so(case, done):
    """What a document says has been done lies there, whole."""
    world, top = case.world, case.top
    if done.json.get("result") == "updated":
        commit = done.json["commit"]
        assert world.git("branch", "--contains", commit, cwd=top), "the commit is on no branch"
        record = world.git("show", f"{commit}:{case.sub}/.tmplgen.yml".replace(":/", ":"), cwd=top)
        assert "1.1.0" in record
        changed = world.git("diff", "--name-only", "HEAD", cwd=top).splitlines()
        own = {f"{case.sub}/{name}".lstrip("/") for name in ("mine", "own/file", "edited")}
        assert set(changed) <= own, changed
    if done.json.get("result") == "conflicts":
        staged = world.git("diff", "--cached", cwd=top)  # by somebody, with the markers
        assert world.git("ls-files", "-u", cwd=top) or "<<<<<<< " in staged, "no conflict"
        assert case.told == TOLD[done.json["strategy"]]


def recover(case, before, args):
    """However it is recovered: if that is refused, --abort is the way out, or nothing is there."""
    done = again(case, None, *args)
    assert done.code in (0, 3, 5), done.out + done.err
    assert_is_so(case, done)
    assert_no_commit_lost(case, before)
    assert_no_line_lost(case, before)
    if done.code == 3 and done.error["code"] in ("changed-meanwhile", "update-interrupted"):
        assert "--abort" in done.error["hint"]
        out = again(case, None, "--abort")
        assert out.code in (0, 3), out.out
        assert out.code == 0 or out.error["code"] == "nothing-in-progress", out.out
        assert_no_commit_lost(case, before)
        assert_no_line_lost(case, before)
    assert_users_files_but_own(case)
    assert_seen_by_git(case.world, case.top)
    assert_fsck(case)
    assert_git_goes_on(case)


def assert_users_files_but_own(case):
    own = case.child / "own/file"
    if own.is_file() and own.read_text().startswith("own\n"):
        text = own.read_text()
        own.write_text("own\n")
        try:
            assert_users_files(case)
        finally:
            own.write_text(text)


@sizes(few=(2, 3), sample=(10, 5))
@each_case
def test_A1_somebody_works_between_a_kill_and_recovery(case, size):
    """Each deed by turns, with each way to recover; every deed at every call where size is ALL."""
    turns = itertools.cycle(DEEDS)
    for at in kill_points(case, size):
        for way, args in WAYS.items():
            for deed in DEEDS if size == ALL else [next(turns)]:
                work_between(case, at, deed, way, args)


def work_between(case, at, deed, way, args):
    run(case, fault(at, "kill"))
    remove_locks(case)
    try:
        deed(case)
    except AssertionError:  # git itself would not, in this state
        return
    with told_of(f"killed at call {at}, {deed.__name__}, {way}"):
        recover(case, look(case), args)


def kill_at(case, wanted, *args):
    """Killed before the first call for which `wanted(call)`."""
    calls = calls_of(lambda env: run(case, env, *args))
    at = next(call.number for call in calls if wanted(call))
    run(case, fault(at, "kill"), *args)
    return at


def is_lock_of_index(call):
    return call.name == "linkat" and call.paths[-1].endswith("/index.lock")


@in_cases("clean")
def test_A1a_commit_after_the_journal_and_before_any_lock(case):
    """Nothing stops git there: the commit stays, and the update is made upon it."""
    kill_at(case, is_lock_of_index)
    assert (case.git_dir / "tmplgen/journal").exists()
    assert not (case.git_dir / "index.lock").exists()
    commit_own_file(case)
    done = again(case)
    assert done.code == 0, done.out
    subjects = case.world.git("log", "--format=%s", cwd=case.top).splitlines()
    assert subjects[0].startswith("Update") and subjects[1] == "MY WORK", subjects
    assert case.world.git("status", "--porcelain", "-uno", cwd=case.top) == ""
    assert any("undone first" in warning for warning in done.json["warnings"]), done.json


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@in_cases("clean")
def test_A1_what_was_staged_since_is_still_staged(case, way):
    """Of a file of the update, and nowhere else: on disk is what was there before."""
    kill_at(case, is_lock_of_index)
    before = (case.child / "edited").read_text()
    put(case.child, {"edited": "staged only\n"})
    case.world.git("add", "edited", cwd=case.child)
    put(case.child, {"edited": before})
    done = again(case, None, *way)
    assert done.code in (0, 3), done.out
    assert case.world.git("show", ":edited", cwd=case.top) == "staged only"
    if done.code == 3 and done.error["code"] == "changed-meanwhile":
        assert again(case, None, "--abort").code == 0
        assert case.world.git("show", ":edited", cwd=case.top) == "staged only"
    assert_fsck(case)
    assert not list(case.git_dir.rglob("*.lock"))


def is_move_of_branch(call):
    return call.paths[-1].endswith("/refs/heads/main")


def is_move_of_index(call):
    return call.paths[-1].endswith("/.git/index")


@in_cases("clean", "merge", "rebase")
def test_A1_what_was_staged_before_the_index_came_is_all_that_is_staged(case):
    """The branch has moved by then, and the index is still the one of before."""
    calls = calls_of(lambda env: run(case, env))
    [branch] = [call.number for call in calls if is_move_of_branch(call) and "rename" in call.name]
    [index] = [call.number for call in calls if is_move_of_index(call)]
    for at in (branch + 1, index):
        run(case, fault(at, "kill"))
        remove_locks(case)
        stage_own_file(case)
        done = again(case)
        assert (done.code, done.json["result"]) == (0, "updated"), done.out
        assert case.world.git("status", "--porcelain", "-uno", cwd=case.top) == "A  mine", at


@pytest.mark.parametrize("way", [(), ("--abort",)], ids=["again", "abort"])
@in_cases("clean")
def test_A1b_what_somebody_committed_of_the_update_stays(case, way):
    """Half of it was on disk, and went into a commit: nobody takes that back from the files."""
    swap = ("renameat2", str(case.child / "edited"))
    calls = calls_of(lambda env: run(case, env))
    at = next(c.number for c in calls if c.name == swap[0] and swap[1] in c.paths)
    run(case, fault(at + 1, "kill"))
    remove_locks(case)
    committed = (case.child / "edited").read_text()
    assert "theirs" in committed
    commit_all_tracked(case)
    done = again(case, None, *way)
    assert done.code == 0, done.out
    assert (case.child / "edited").read_text() == committed
    assert case.world.git("show", "HEAD:edited", cwd=case.top) == committed.rstrip("\n")
    assert case.world.git("diff", "--name-only", "HEAD", cwd=case.top) == ""
    assert_fsck(case)


@in_cases("clean")
def test_A1d_switch_after_the_journal(case):
    """The other branch gets an update of its own, or none: never the files of this one's."""
    kill_at(case, is_lock_of_index)
    switch(case)
    tip = case.world.git("rev-parse", "main", cwd=case.top)
    done = again(case)
    assert done.code == 0, done.out
    assert case.world.git("rev-parse", "main", cwd=case.top) == tip
    assert case.world.git("status", "--porcelain", "-uno", cwd=case.top) == ""
    assert case.world.git("log", "-1", "--format=%s", "other", cwd=case.top).startswith("Update")


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
@in_cases("conflict", "merge-conflict")
def test_A1c_continue_is_killed_and_git_continues(case, way):
    """The commit of `--continue` was prepared; git made it instead, and one more."""
    world, env = case.world, lambda at: fault(at, "kill")

    def resolve():
        run(case)
        put(case.child, {"edited": "resolved\n"})
        world.git("add", "-A", ".", cwd=case.child)

    def count(kill):
        resolve()
        again(case, kill, "--continue")

    calls = calls_of(count)
    at = next(c.number for c in calls if is_lock_of_index(c))
    resolve()
    again(case, env(at), "--continue")
    world.git(GIT_COMMANDS[case.strategy], "--continue", cwd=case.top)
    commit_own_file(case)
    tip = world.git("rev-parse", "HEAD", cwd=case.top)
    done = again(case, None, *way)
    assert done.code in (0, 3), done.out
    assert world.git("rev-parse", "HEAD", cwd=case.top) == tip
    assert case.leftovers() == [] or again(case, None, "--check").code == 0
    assert_fsck(case)


# ---------------------------------------------------------------- the repository goes elsewhere


def move(case):
    """Away; what lies at the old place then is somebody else's, with an update of its own."""
    moved = case.world.folder / "moved here"
    shutil.rmtree(moved, ignore_errors=True)
    os.rename(case.folder, moved)
    case.place = moved.name
    return {}


def copy(case):
    target = case.world.folder / "copy"
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["cp", "-a", case.folder, target], check=True)
    case.place = target.name
    return {}


def copy_without_links(case):
    """As many a backup does it: what were two names of one file are two files."""
    target = case.world.folder / "copy"
    shutil.rmtree(target, ignore_errors=True)
    flags = ["--recursive", "--no-preserve=links", "--preserve=mode,timestamps", "-P"]
    subprocess.run(["cp", *flags, case.folder, target], check=True)
    case.place = target.name
    return {}


def mount_anew(case):
    del case
    return other_device()


def collect_garbage(case):
    case.world.git("gc", "-q", "--prune=now", cwd=case.top, check=False)
    return {}


def remove_the_locks(case):
    remove_locks(case)
    return {}


TRIPS = [move, copy, copy_without_links, mount_anew, collect_garbage, remove_the_locks]


def same_but_for_index(case, reference):
    """A copy's index has the times of other files, and another device."""
    state = raw_state(case)
    return {k: v for k, v in state.items() if k != "index"} == {
        k: v for k, v in reference.old.items() if k != "index"
    }


class Elsewhere(Reference):
    def __init__(self, reference):
        self.__dict__ = reference.__dict__

    def assert_old(self):
        assert same_but_for_index(self.case, self)
        self.case.world.git("update-index", "-q", "--refresh", cwd=self.case.top, check=False)


TRAVELLERS = [name for name in CASES if not name.startswith("linked")]


@sizes(few=(3, 2), sample=(8, 5))
@in_cases(*TRAVELLERS)
def test_A2_A3_the_repository_travels_between_a_kill_and_recovery(case, size):
    turns, reference = itertools.cycle(TRIPS), Elsewhere(Reference(case))
    for at in kill_points(case, size):
        for name in RECOVERIES:
            for trip in TRIPS if size == ALL else [next(turns)]:
                with told_of(f"killed at call {at}, {trip.__name__}, {name}"):
                    travel_between(case, reference, at, trip, name)


def travel_between(case, reference, at, trip, name):
    run(case, fault(at, "kill"))
    left, usual = case.folder, case.world.env
    env = trip(case)
    origin = files_on_disk(left) if left.exists() and left != case.folder else None
    case.world.env = {**usual, **env}
    try:
        status = case.world.tmplgen("status", case.child, "--json")
        assert status.code in ((0, 3) if case.adopts else (0,)), status.out + status.err
        RECOVERIES[name](case, reference)
        assert_whole(case, reference)
        assert origin is None or files_on_disk(left) == origin, "the original changed"
    finally:
        case.world.env = usual


@pytest.mark.turns(5)
@pytest.mark.parametrize("trip", TRIPS[:4])
@pytest.mark.parametrize("way", ["--continue", "--abort"])
@in_cases("conflict", "staged")
def test_A3_a_stopped_update_is_ended_elsewhere(case, way, trip):
    reference, world = Elsewhere(Reference(case)), case.world
    run(case)
    left, env = case.folder, trip(case)
    origin = files_on_disk(left) if left.exists() and left != case.folder else None
    status = world.tmplgen("status", case.child, "--json", env=env)
    waits = "conflicts" if case.conflict else "staged"
    assert (status.code, status.json["in_progress"]) == (0, waits), status.out
    if way == "--continue" and case.conflict:
        put(case.child, {"edited": "resolved\n"})
        world.git("add", "edited", cwd=case.child)
    done = again(case, env, way)
    assert done.code == 0, done.out
    if way == "--abort":
        reference.assert_old()
    else:
        assert world.git("log", "-1", "--format=%s", cwd=case.top).startswith("Update")
    assert case.leftovers() == []
    assert origin is None or files_on_disk(left) == origin
    assert again(case, env).code in (0, 5)


@in_cases("branch-conflict")
def test_A3_abort_takes_refs_back_that_git_has_packed(case):
    refs = case.world.git("for-each-ref", cwd=case.pristine)
    run(case)
    case.world.git("pack-refs", "--all", cwd=case.top)
    assert case.world.git("for-each-ref", cwd=case.top) != refs
    assert again(case, None, "--abort").code == 0
    assert case.world.git("for-each-ref", cwd=case.top) == refs


@in_cases("conflict")
def test_A3_another_repository_at_the_old_place_is_not_touched(case):
    """Its own stopped update has a stage where the moved one's was."""
    run(case)
    os.rename(case.folder, case.world.folder / "moved here")
    run(case)
    stage = case.git_dir / "tmplgen" / "work" / "stage"
    before = {p.name: p.read_bytes() for p in stage.iterdir() if p.is_file()}
    assert before
    case.place = "moved here"
    assert again(case, None, "--abort").code == 0
    case.place = "run"
    assert {p.name: p.read_bytes() for p in stage.iterdir() if p.is_file()} == before
    assert again(case, None, "--abort").code == 0


@in_cases("conflict")
def test_a_journal_of_another_repository_is_refused(case):
    """Not of a copy of it: of one that was made on its own."""
    run(case)
    journal = (case.git_dir / "tmplgen/pending").read_bytes()
    again(case, None, "--abort")
    shutil.rmtree(case.git_dir / "tmplgen")
    run(case)
    again(case, None, "--abort")
    (case.git_dir / "tmplgen/pending").write_bytes(journal)
    done = again(case)
    assert (done.code, done.error["code"]) == (3, "foreign-journal"), done.out
    assert "delete" in done.error["hint"]


def is_mount_possible():
    return os.geteuid() == 0 and shutil.which("mkfs.ext4") and Path("/dev/loop-control").exists()


@pytest.mark.full
@pytest.mark.skipif(not is_mount_possible(), reason="no loop devices here")
@pytest.mark.parametrize("way", [(), ("--abort",)], ids=["again", "abort"])
@in_cases("clean", "conflict")
def test_A2_a_real_disk_is_mounted_on_another_device(case, tmp_path, way):
    """Killed, unmounted, and mounted again through another loop device."""
    reference = Elsewhere(Reference(case))
    points = kill_points(case, 6)
    image, spare = tmp_path / "disk", tmp_path / "spare"
    for path in (image, spare):
        with open(path, "wb") as file:
            file.truncate(64 << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    place = case.world.folder / "mounted"
    place.mkdir()
    for at in points:
        first = attach(image)
        subprocess.run(["mount", first, place], check=True)
        try:
            subprocess.run(["rm", "-rf", place / "run"], check=True)
            subprocess.run(["cp", "-a", case.pristine, place / "run"], check=True)
            case.place = "mounted/run"
            again(case, fault(at, "kill"))
            number = os.stat(place).st_dev
        finally:
            unmount(place)
            subprocess.run(["losetup", "-d", first], check=True)
        subprocess.run(["losetup", first, spare], check=True)
        second = attach(image)
        try:
            subprocess.run(["mount", second, place], check=True)
            assert os.stat(place).st_dev != number
            RECOVERIES["backward" if way else "forward"](case, reference)
        finally:
            unmount(place)
            for device in (first, second):
                subprocess.run(["losetup", "-d", device], check=False)


def attach(image):
    done = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, check=False)
    if done.returncode:
        pytest.skip(f"no loop device can be had here: {done.stderr.decode().strip()}")
    return done.stdout.decode().strip()


def unmount(place):
    """What was killed may still be about to end."""
    for _ in range(100):
        if subprocess.run(["umount", place], capture_output=True, check=False).returncode == 0:
            return
        time.sleep(0.05)
    raise AssertionError(f"cannot unmount {place}")


# ---------------------------------------------------------------- journals of 0.2


def fields(text):
    """The words of a journal's line: a number, or bytes with their length before them."""
    found, at = [], 0
    while at < len(text):
        end = at
        while text[end : end + 1].isdigit() or text[end : end + 1].isalnum():
            end += 1
        if text[end : end + 1] == b":":
            size = int(text[at:end])
            found.append(text[at : end + 2 + size])
            at = end + 2 + size
        else:
            found.append(text[at : end + 1])
            at = end + 1
    return found


def string(text):
    return b"%d:%s " % (len(text), text)


def as_0_2(case):
    """The state as 0.2 left it: a path, a device and an inode in the journal, locks by links."""
    folder = case.git_dir / "tmplgen"
    lock = folder / "lock"
    locks = [p for p in case.git_dir.rglob("*.lock") if p.read_bytes() == lock.read_bytes()]
    for path in [p for name in ("journal", "abort", "pending") if (p := folder / name).exists()]:
        whole = path.read_bytes()
        body = whole[: whole.rindex(b"end ")]
        first, rest = body.split(b"\n", 1)
        assert first == b"tmplgen-journal 4"
        words = fields(rest)
        line = words.index(b"sequence ")
        del words[line : words.index(b"\n", line) + 1]
        info = os.stat(case.git_dir)
        kind, head = words[1], words[2:]
        head = [b"%d " % info.st_dev, b"%d " % info.st_ino, *head[1:]]
        # head: dev ino old new branch old-id new-id strategy pseudoref brought has message who what
        # index pack in-tree report
        strategy, pseudoref = head[7], head[8]
        assert strategy in (b"0: ", b"4:pick "), strategy
        assert pseudoref in (b"0: ", b"16:CHERRY_PICK_HEAD "), pseudoref
        stage = string(os.fsencode(folder / "work/stage"))
        head = [*head[:7], *head[9:15], stage, *head[17:]]
        text = b"tmplgen-journal 1\n" + words[0] + kind + b"".join(head)
        path.write_bytes(text + b"end " + hashlib.sha256(text).hexdigest().encode() + b"\n")
    if lock.exists():
        lock.write_bytes(b"")
    for path in locks:
        path.unlink(missing_ok=True)
        os.link(lock, path)


@sizes(few=(4, 3), sample=(30, 3))
@pytest.mark.parametrize("way", RECOVERIES)
@in_cases("clean", "conflict", "staged")
def test_updates_that_0_2_left_half_done_are_finished_and_undone(case, way, size):
    reference = Reference(case)
    for at in kill_points(case, size):
        run(case, fault(at, "kill"))
        as_0_2(case)
        with told_of(f"killed at call {at}, {way}"):
            RECOVERIES[way](case, reference)


@pytest.mark.parametrize("way", ["--continue", "--abort"])
@in_cases("conflict", "staged")
def test_a_stop_of_0_2_is_ended(case, way):
    reference = Reference(case)
    run(case)
    as_0_2(case)
    if case.conflict and way == "--continue":
        put(case.child, {"edited": "resolved\n"})
        case.world.git("add", "edited", cwd=case.child)
    done = again(case, None, way)
    assert done.code == 0, done.out
    assert case.leftovers() == []
    if way == "--abort":
        reference.assert_old()


# ---------------------------------------------------------------- a phase proves nothing


@pytest.mark.turns(2)
@pytest.mark.parametrize("deed", [look_at_status, stage_own_file, commit_own_file])
@in_cases("clean", "conflict")
def test_killed_while_the_index_is_made_it_is_not_taken_for_done(case, deed):
    """The old index is kept, the new one is not there yet: as after it got its place."""
    calls = calls_of(lambda env: run(case, env))
    kept = next(c.number for c in calls if c.paths[-1].endswith("index.old"))
    new = next(c.number for c in calls if c.number > kept and "index.new" in c.paths[-1])
    for at in range(kept + 1, new + 1):
        for way in WAYS.values():
            run(case, fault(at, "kill"))
            remove_locks(case)
            deed(case)
            recover(case, look(case), way)


@pytest.mark.turns(4)
@pytest.mark.parametrize("gone", ["tip.new", "ref.0", "message", "pick", "index.old", "*"])
@in_cases("clean", "conflict")
def test_what_was_prepared_is_gone(case, gone):
    """Somebody tidied up in git's folder: it is made again, or going back brings everything."""
    reference = Elsewhere(Reference(case))
    calls = calls_of(lambda env: run(case, env))
    swaps = [c.number for c in calls if c.name == "renameat2"]
    ends = [c.number for c in calls if c.name == "renameat" and c.number > swaps[-1]]
    for at in (swaps[1], ends[0], ends[-1]):
        for name, check in RECOVERIES.items():
            if gone == "*" and at == swaps[1]:
                continue  # the user's old files were in there
            run(case, fault(at, "kill"))
            for path in (case.git_dir / "tmplgen" / "work").glob(gone):
                if path.is_file():
                    path.unlink()
            with told_of(f"killed at call {at}, {gone} gone, {name}"):
                check(case, reference)


# ---------------------------------------------------------------- --continue, staged anew


def test_continue_that_was_cut_off_takes_what_was_staged_since(world):
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    world.edit({"a": lines(20, {5: "mine"})})
    world.release("1.1.0", {"a": lines(20, {5: "theirs"}), "b": "new\n"})
    assert world.update().code == 5
    put(world.child, {"a": "first\n"})
    world.git("add", "a")
    pristine = world.copy("pristine")
    calls = calls_of(lambda env: world.update("--continue", env=env))
    journal = [c.number for c in calls if c.paths[-1].endswith("/tmplgen/journal")]
    for at in range(journal[0] + 1, len(calls) + 1):
        clone_folder(pristine, world.child)
        world.update("--continue", env=fault(at, "kill"))
        if world.git("log", "-1", "--format=%s") != "edit":
            break  # it is committed: what is staged now is another commit's
        put(world.child, {"a": "second\n"})
        (world.child / ".git/index.lock").unlink(missing_ok=True)  # as git advises
        world.git("add", "a")
        done = world.update("--continue")
        assert done.code == 0, done.out
        assert world.git("show", "HEAD:a") == "second"
        assert world.git("status", "--porcelain") == ""
    assert at > journal[0] + 1
    assert world.update("--continue").code == 0  # it ends the stop as well
    assert_sound(world)


def test_abort_tells_that_somebody_went_on_since(world):
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    world.release("1.1.0", {"a": lines(20, {5: "theirs"})})
    pristine = world.copy("pristine")
    calls = calls_of(lambda env: world.update(env=env))
    [at] = [c.number for c in calls if c.paths[-1].endswith("/.git/index")]
    clone_folder(pristine, world.child)
    world.update(env=fault(at, "kill"))
    for lock in ("index.lock", "refs/heads/main.lock"):  # as git advises
        (world.child / ".git" / lock).unlink()
    put(world.child, {"own": "own\n"})
    world.git("add", "own")
    world.git("commit", "-q", "-m", "own", "--", "own")
    done = world.update("--abort")
    assert done.code == 0, done.out
    assert any("that is left as it is" in text for text in done.json["warnings"]), done.out
