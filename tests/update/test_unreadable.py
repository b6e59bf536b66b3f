"""
What cannot be read, or looked at, is not taken for what is not there: a run does what it does on a
good disk, or says that it failed and leaves all as it was. Each call of the
process that looks at something below the repository fails once, for `new` from then on for that
path; the first and the last of a kind for each path. (Objects are read in a process of their own:
test_signals.py and test_hostile.py are about that one.)
"""

import os

import pytest

from .cases import again, each_case, run
from .faults import calls_of, clone_folder, fault, points, sample, sizes, told_of
from .places import each_place
from .scenarios import lines
from .sweeps import (
    RECOVERIES,
    Ending,
    Reference,
    args_of,
    assert_users_files,
    assert_whole,
    check_error,
    each_ending,
    kill_points,
    nothing_to_end,
)
from .world import files_on_disk, put

each_error = pytest.mark.parametrize("kind", ["EIO", "EACCES", "EMFILE"])


def below(folder):
    return {"FAILN_READS": str(folder)}


def looks(call, folder, size):
    """Numbers of the calls of `call(env)` that look at something below `folder`."""
    found = {}
    for one in calls_of(lambda env: call({**env, **below(folder)})):
        place = os.path.relpath(one.paths[0], folder)
        found.setdefault((one.name, place), []).append(one.number)
    ends = {n for numbers in found.values() for n in (numbers[0], numbers[-1])}
    return sample(sorted(ends), size)


def each(call, folder, size, kind, check, **more):
    """`check(done)` after a run of `call(env)` with each of the faults."""
    for at in looks(call, folder, size):
        done = call(fault(at, kind, **below(folder), **more))
        with told_of(f"{kind} at look {at}: {done.out}{done.err}"):
            check(done)


@sizes(few=(12, 3), sample=(24, 6))
@each_error
@each_case
def test_update_cannot_read(case, kind, size):
    reference = Reference(case)

    def check(done):
        check_error(case, reference, done)

    each(lambda env: run(case, env), case.folder, size, kind, check)


@sizes(few=(6, 3), sample=(24, 5))
@each_error
@each_ending
def test_ending_cannot_read(case, ending, prepare, kind, size):
    end = Ending(case, ending, prepare)

    def check(done):
        assert done.code in (0, 1, 3)
        if done.code == 0:
            assert not done.json.get("error")
            refused = again(end.case, None, ending).error["code"]
            assert refused in nothing_to_end(case), "it was told as done, and was not"
        end.check("after that")

    each(end.begin, case.folder, size, kind, check)


@sizes(few=(4, 2), sample=(8, 4), every=100)
@each_error
@each_case
def test_recovery_cannot_read(case, kind, size):
    """Killed, then the run that recovers cannot read; then one can."""
    reference = Reference(case)
    for at in kill_points(case, size // 2):
        for name, recover in RECOVERIES.items():

            def begin(env, at=at, name=name):
                run(case, fault(at, "kill"))
                return again(case, env, *args_of(case, name))

            def check(done, recover=recover):
                assert done.code != 0 or not done.json.get("error")
                assert_users_files(case)
                assert_whole(case, reference)
                recover(case, reference)

            each(begin, case.folder, size, kind, check)


TELLS = {"status": ("status",), "check": ("update", "--check"), "dry-run": ("update", "--dry-run")}


@sizes(few=(16, 2), sample=(24, 4))
@each_error
@pytest.mark.parametrize("args", TELLS.values(), ids=TELLS)
@each_case
def test_what_tells_cannot_read(case, args, kind, size):
    """The same words, or an error: never another answer."""
    case.fresh()

    def tell(env=None):
        return case.world.tmplgen(*args, case.child, "--json", env=env)

    told = tell()

    def check(done):
        if done.code != told.code:
            assert done.code == 1, done.out
        else:
            assert done.json == told.json

    each(tell, case.folder, size, kind, check)


# A repository that this user may not look into is none, as for git: no EACCES.
@sizes(few=(12, 1), sample=(24, 3))
@pytest.mark.parametrize("kind", ["EIO", "EMFILE"])
@each_place
def test_new_cannot_read(place, kind, size):
    """What it has made and cannot open any more it cannot remove, either."""

    def check(done):
        place.assert_sound()
        if done.code == 0:
            assert place.state() == place.new
            return
        assert done.code in (1, 2, 3) and done.error["message"]
        hidden = place.staging() and "status"
        assert {k: v for k, v in place.state().items() if k != hidden} == {
            k: v for k, v in place.old.items() if k != hidden
        }

    each(place.run, place.place, size, kind, check, FAILN_SAME="1")


# ---------------------------------------------------------------- one file that decides


def crlf(world):
    put(world.child, {".git/info/attributes": "a text eol=crlf\n"})
    return ".git/info/attributes"


def nested(world):
    world.git("init", "-q", "sub")
    return "sub/.git"


def picking(world):
    head = world.git("rev-parse", "HEAD")
    put(world.child, {".git/CHERRY_PICK_HEAD": f"{head}\n"})
    return ".git/CHERRY_PICK_HEAD"


def elsewhere(world):
    """The branch is checked out in another work tree, too."""
    world.git("worktree", "add", "-q", "--force", world.folder / "other", "main")
    return ".git/worktrees/other/HEAD"


@pytest.mark.parametrize("prepare", [crlf, nested, picking, elsewhere])
def test_what_decides_and_cannot_be_read_is_not_decided_without(world, prepare):
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    world.release("1.1.0", {"a": lines(20, {5: "theirs"}), "sub/new": "new\n"})
    place = prepare(world)
    before = files_on_disk(world.child)
    pristine = world.copy("pristine")
    reads = {"FAILN_READS": str(world.child / place)}
    calls = calls_of(lambda env: world.update(env={**env, **reads}))
    assert calls
    expected = files_on_disk(world.child)
    for at in range(1, len(calls) + 1):
        clone_folder(pristine, world.child)
        done = world.update(env=fault(at, "EIO", **reads))
        assert files_on_disk(world.child) in (before, expected), at
        if done.code == 0:
            assert files_on_disk(world.child) == expected, at


def test_a_journal_that_cannot_be_read_once_is_nobody_elses(world):
    """In a copy that went without the lock of updates, whose text the journal has."""
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    world.release("1.1.0", {"a": lines(20, {5: "theirs"})})
    before, pristine = files_on_disk(world.child), world.copy("pristine")
    calls = calls_of(lambda env: world.update(env=env))
    moves = [c.number for c in calls if c.paths[-1].endswith(".git/refs/heads/main")]
    clone_folder(pristine, world.child)
    world.update(env=fault(moves[0], "kill"))
    (world.child / ".git/tmplgen/lock").unlink()
    killed = world.copy("killed")
    reads = {"FAILN_READS": str(world.child / ".git/tmplgen/journal")}
    looks_at_it = calls_of(lambda env: world.update("--abort", env={**env, **reads}))
    assert looks_at_it and files_on_disk(world.child) == before
    for at in range(1, len(looks_at_it) + 1):
        clone_folder(killed, world.child)
        if world.update("--abort", env=fault(at, "EIO", **reads)).code:
            done = world.update("--abort")
            assert done.code == 0 or done.error["code"] == "nothing-in-progress", done.out
        assert files_on_disk(world.child) == before, at


@pytest.mark.parametrize("name", ["tip.new", "head.new"])
def test_a_text_that_is_gone_and_cannot_be_written_again_is_not_passed_over(world, name):
    """Somebody tidied up in git's folder after the run was killed, and then the disk fails."""
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    world.release("1.1.0", {"a": lines(20, {5: "theirs"})})
    pristine = world.copy("pristine")

    def update(*more, env=None):
        return world.update("--branch", "topic", *more, env=env)

    calls = calls_of(lambda env: update(env=env))
    ended = files_on_disk(world.child)
    lock = [c.number for c in calls if c.paths[-1].endswith(".git/HEAD.lock")][0]
    clone_folder(pristine, world.child)
    update(env=fault(lock + 1, "kill"))
    [text] = (world.child / ".git/tmplgen").rglob(name)
    text.unlink()
    killed = world.copy("killed")
    for at in points(lambda env: update(env=env), 25):
        clone_folder(killed, world.child)
        if update(env=fault(at, "EIO")).code == 0:
            assert files_on_disk(world.child) == ended, at
            assert world.git("rev-parse", "--abbrev-ref", "HEAD") == "topic", at
            assert world.git("rev-list", "--count", "HEAD") == "2", at


@pytest.mark.parametrize("place", ["/dev/null", "folder", "none"])
def test_attributes_that_are_no_file_are_none_as_for_git(world, place):
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    (world.folder / "folder").mkdir()
    world.git("config", "core.attributesFile", world.folder / place)
    world.release("1.1.0", {"a": lines(20, {5: "theirs"})})
    assert world.git("status", "--porcelain") == ""
    assert world.update().code == 0
    assert world.git("status", "--porcelain") == ""


def test_a_folder_above_that_leads_nowhere_is_no_repository(world, tmp_path):
    world.release("1.0.0", {"a": lines(20)})
    (tmp_path / "up/in").mkdir(parents=True)
    (tmp_path / "up/.git").symlink_to(".git")
    world.new(path=tmp_path / "up/in/child")
    assert world.git("status", "--porcelain", cwd=tmp_path / "up/in/child") == ""
