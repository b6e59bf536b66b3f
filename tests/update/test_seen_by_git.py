"""
What somebody saves while an update runs, or between a kill and the run that finishes it, is not
only there: git sees it. An index that calls such a file unchanged lets the next `git switch`
overwrite it without a word.
"""

import os
import random
import shutil
import time

import pytest

from .faults import count_calls, fast_folder, fault, sample
from .test_faults import CASES, SEED, again, assert_fsck, build, run
from .test_pauses import Held, is_found
from .world import assert_seen_by_git

EDITED = ["edited", "moved/a", "elsewhere/a", "run.sh", "folder-to-file", ".tmplgen.yml"]


@pytest.fixture
def case(request):
    folder = fast_folder()
    yield build(folder, **CASES[request.param])
    shutil.rmtree(folder)


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


def check_all(case, texts, where):
    try:
        for text in texts:
            assert is_found(case, text), text
        assert_seen_by_git(case.world, case.top)
        assert_fsck(case)
    except AssertionError as error:
        raise AssertionError(f"{where} (seed {SEED}): {error}") from error


def edit_after_kills(case, size):
    total = count_calls(lambda env: run(case, env))
    for at in sample(list(range(1, total + 1)), size, SEED):
        for args in (case.args, ("--abort",)):
            run(case, fault(at, "kill"))
            texts = edit_all(case)
            done = again(case, None, *args)
            where = f"killed at call {at}, then {args}: {done.code} {done.out}{done.err}"
            assert done.code in (0, 3, 5), where
            check_all(case, texts, where)


@pytest.mark.parametrize("case", ["clean", "conflict", "staged"], indirect=True)
def test_edit_between_a_kill_and_the_next_run_few(case):
    edit_after_kills(case, 12)


@pytest.mark.turns(10)
@pytest.mark.full
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_edit_between_a_kill_and_the_next_run_sample(case):
    edit_after_kills(case, 30)


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_edit_between_a_kill_and_the_next_run_all(case):
    edit_after_kills(case, 1000000)


@pytest.mark.parametrize("case", ["clean"], indirect=True)
def test_edit_that_git_switch_would_have_overwritten(case):
    """Killed after an exchange, edited, resumed: git refuses to switch away from the edit."""
    world, top = case.world, case.top
    total = count_calls(lambda env: run(case, env))
    for at in range(total, 0, -1):
        run(case, fault(at, "kill"))
        if "theirs" not in (top / "edited").read_text():
            continue
        text = (top / "edited").read_text()
        save_early(top / "edited", "mine\n")
        done = again(case)
        if done.code == 0 and any("edited" in warning for warning in done.json["warnings"]):
            break
    else:
        raise AssertionError("no kill left it half way")
    assert world.git("status", "--porcelain", "edited", cwd=top) == " M edited"
    assert world.git("switch", "-c", "side", "HEAD~1", cwd=top, check=False).returncode != 0
    assert (top / "edited").read_text() == text + "mine\n"


def first_call_that_writes_the_index(case):
    """The files are looked at by then, and nothing of the new index is on disk."""
    at, found = count_calls(lambda env: run(case, env)), 0
    while at and (not found or at == found - 1):
        held = Held(case, at)
        if (case.git_dir / "tmplgen" / "work" / "index.new.lock").exists():
            found = at
        held.go_on()
        at -= 1
    return found


def wait_for_the_next_second():
    time.sleep(1.02 - time.time() % 1)


@pytest.mark.parametrize("case", ["clean"], indirect=True)
def test_edit_of_equal_size_in_the_second_of_the_update_is_seen(case):
    """The index says no later time than that at which its files were looked at."""
    at = first_call_that_writes_the_index(case)
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
    """Held wherever the child is there and the index does not have it yet."""
    chance = random.Random(SEED)
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

    total, edits = count_calls(new), 0
    for at in range(1, total + 1):
        fresh()
        held = Held.of(world, [*command, "--json"], at)
        there = (top / "child/a").exists() and "child/a" not in world.git("ls-files", cwd=top)
        if there and chance.random() < 0.5:
            save_early(top / "child/a", "mine\n")
            edits += 1
        done = held.go_on()
        assert done.code == 0, done.out + done.err
        assert_seen_by_git(world, top)
    assert edits
