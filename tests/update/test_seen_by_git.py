"""
What somebody saves while an update runs, or between a kill and the run that finishes it, is not
only there: git sees it. An index that calls such a file unchanged lets the next `git switch`
overwrite it without a word.
"""

import os
import shutil
import time

from .cases import again, each_case, in_cases, run
from .faults import calls_of, fault, sample, sizes, told_of
from .sweeps import RECOVERIES, args_of, assert_fsck, kill_points
from .test_pauses import Held, exchange, is_found
from .world import assert_seen_by_git

EDITED = ["edited", "moved/a", "elsewhere/a", "run.sh", "folder-to-file", ".tmplgen.yml"]


def save_early(path, text):
    """Saved some seconds before the index is written: git compares whole seconds."""
    with open(path, "a") as file:
        file.write(text)
    long_ago = path.stat().st_mtime_ns - 5 * 10**9
    os.utime(path, ns=(long_ago, long_ago))


def edit_all(case):
    """Appends a line of its own to every file of the update that is there."""
    texts = {path: f"saved in {path}\n" for path in EDITED if (case.child / path).is_file()}
    for path, text in texts.items():
        save_early(case.child / path, text)
    return texts.values()


@sizes(few=(6, 2), sample=(15, 4))
@each_case
def test_edit_between_a_kill_and_the_next_run(case, size):
    for at in kill_points(case, size):
        for recovery in RECOVERIES:
            run(case, fault(at, "kill"))
            texts = edit_all(case)
            done = again(case, None, *args_of(case, recovery))
            with told_of(f"killed at call {at}, {recovery}: {done.code} {done.out}{done.err}"):
                assert done.code in (0, 3, 5)
                for text in texts:
                    assert is_found(case, text), text
                assert_seen_by_git(case.world, case.top)
                assert_fsck(case)


@in_cases("clean")
def test_edit_that_git_switch_would_have_overwritten(case):
    """Killed after an exchange, edited, resumed: git refuses to switch away from the edit."""
    world, top = case.world, case.top
    run(case, fault(exchange(case, "edited").number + 1, "kill"))
    text = (top / "edited").read_text()
    assert "theirs" in text
    save_early(top / "edited", "mine\n")
    done = again(case)
    assert done.code == 0 and any("edited" in warning for warning in done.json["warnings"])
    assert world.git("status", "--porcelain", "edited", cwd=top) == " M edited"
    assert world.git("switch", "-c", "side", "HEAD~1", cwd=top, check=False).returncode != 0
    assert (top / "edited").read_text() == text + "mine\n"


def first(calls, what):
    """The number of the first call that is about it."""
    return next(call.number for call in calls if call.paths[-1].endswith(what))


def wait_for_the_next_second():
    time.sleep(1.02 - time.time() % 1)


@in_cases("clean")
def test_edit_of_equal_size_in_the_second_of_the_update_is_seen(case):
    """The index says no later time than that at which its files were looked at."""
    # They were looked at by then, and nothing of the new index is on disk.
    at = first(calls_of(lambda env: run(case, env)), "/index.new.lock") + 1
    wait_for_the_next_second()
    held = Held(case, at)
    path = case.child / "edited"
    text = path.read_text()
    with open(path, "r+") as file:
        file.write(text.replace("line 7\n", "LINE 7\n"))
    wait_for_the_next_second()
    assert held.go_on().code == 0
    assert case.world.git("status", "--porcelain", "edited", cwd=case.top) == " M edited"


# ---------------------------------------------------------------- new --commit


def test_edit_while_new_commits_into_a_repository_is_seen(world):
    """Held where the child is there and the index does not have it yet."""
    world.release("1.0.0", {"a": "1\n", "b": "2\n"})
    top = world.folder / "top"
    command = ("new", top / "child", "--type", "app", "--catalog", world.catalog, "--commit")

    def fresh():
        shutil.rmtree(top, ignore_errors=True)
        top.mkdir()
        world.git("init", "-q", cwd=top)
        world.git("commit", "-q", "--allow-empty", "-m", "first", cwd=top)

    def new(env):
        fresh()
        return world.tmplgen(*command, env=env)

    calls = calls_of(new)
    for at in sample(range(first(calls, "/top/child") + 1, first(calls, "/.git/index") + 1), 10):
        fresh()
        held = Held.of(world, [*command, "--json"], at)
        save_early(top / "child/a", "mine\n")
        done = held.go_on()
        with told_of(f"held at call {at}: {done.out}{done.err}"):
            assert done.code == 0
            assert_seen_by_git(world, top)
