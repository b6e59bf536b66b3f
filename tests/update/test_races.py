"""Others at work at the same time: a second update, git, an editor, signals."""

import os
import random
import signal
import subprocess
import threading
import time

import pytest

from ..common.program import BINARY
from .scenarios import LONG, lines
from .world import assert_sound, files_on_disk, put, snapshot

NEW = {"a": lines(20, {15: "theirs"}), **{f"f{i}": f"{i}\n" for i in range(30)}}


@pytest.fixture
def ready(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.release("1.1.0", NEW)
    return world


def start(world, child, *args):
    return subprocess.Popen(
        [BINARY, "update", child, "--json", *args],
        env=world.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_S_80_of_many_updates_at_once_one_does_it(ready):
    runs = [start(ready, ready.child) for _ in range(6)]
    codes = []
    for one in runs:
        out = one.communicate()[0]
        codes.append(one.returncode)
        assert one.returncode in (0, 3), out
    assert 0 in codes
    assert ready.git("rev-list", "--count", "HEAD") == "2"
    assert_sound(ready)


def commit_loop(world, stop, made):
    number = 0
    while not stop.is_set():
        number += 1
        put(world.child, {"mine": f"{number}\n"})
        world.git("add", "mine", check=False)
        if world.git("commit", "-q", "-m", f"mine {number}", check=False).returncode == 0:
            made.append(number)


def test_update_against_a_loop_of_commits_loses_none(ready):
    stop, made = threading.Event(), []
    other = threading.Thread(target=commit_loop, args=(ready, stop, made))
    other.start()
    try:
        deadline, codes = time.monotonic() + 6, []
        while time.monotonic() < deadline and 0 not in codes:
            done = ready.update()
            assert done.code in (0, 3), done.out
            codes.append(done.code)
    finally:
        time.sleep(0.2)
        stop.set()
        other.join()
    subjects = ready.git("log", "--format=%s").splitlines()
    assert [s for s in subjects if s.startswith("mine")] == [f"mine {n}" for n in reversed(made)]
    assert sum(s.startswith("Update") for s in subjects) == (1 if 0 in codes else 0)
    assert_sound(ready)


def save_in_place(path, number):
    with open(path, "r+") as file:
        file.seek(0, os.SEEK_END)
        file.write(f"edit {number}\n")


def save_by_rename(path, number):
    draft = path.with_name("a.draft")
    draft.write_text(path.read_text() + f"edit {number}\n")
    os.replace(draft, path)


def edits_somewhere(world):
    """All contents of the file that can be found: on disk, put aside, or committed."""
    found = ""
    for path in [*world.child.glob("a*"), *(world.child / ".git/tmplgen").rglob("*")]:
        if path.is_file():
            found += path.read_bytes().decode(errors="replace")
    return found


def edits_while_it_runs(world, save, times):
    """Either the update sees the edit and goes back, or it comes after the update and stays."""
    chance = random.Random(7)
    pristine = world.copy("pristine")
    for number in range(times):
        subprocess.run(["rm", "-rf", world.child], check=True)
        world.copy_from(pristine)
        run = start(world, world.child, "--strategy", world.strategy)
        time.sleep(chance.random() * 0.03)
        save(world.child / "a", number)
        out = run.communicate()[0]
        assert run.returncode in (0, 3), out
        assert f"edit {number}\n" in edits_somewhere(world), (number, run.returncode, out)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_leaves_old_or_new(ready, number):
    chance = random.Random(11)
    pristine = ready.copy("pristine")
    old = snapshot(ready, pristine)
    for _ in range(12):
        subprocess.run(["rm", "-rf", ready.child], check=True)
        ready.copy_from(pristine)
        run = start(ready, ready.child)
        time.sleep(chance.random() * 0.03)
        run.send_signal(number)
        out = run.communicate()[0]
        assert run.returncode in (0, 128 + number, -number), out
        if run.returncode == 0:
            assert ready.read("a") == NEW["a"]
        else:
            assert snapshot(ready) == old
        assert_sound(ready)


def test_a_run_that_is_refused_touches_nothing(ready):
    put(ready.child, {"a": "dirty\n"})
    before = files_on_disk(ready.child, times=True)
    assert ready.update().code == 3
    assert files_on_disk(ready.child, times=True) == before
