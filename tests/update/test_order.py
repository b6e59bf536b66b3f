"""
In what order an update changes the disk: recovery from a power cut (test_power.py) relies on it,
and recovery from a kill between any two calls.
"""

import os
import re

from .cases import each_case, run
from .faults import calls_of

PUTS = ("rename", "renameat", "renameat2")
WRITES = ("openat", "write", "pwrite", "ftruncate")
MAKES = ("mkdir", "mkdirat")


def calls(case):
    """Name and paths, from the top of the work tree, of each call of a run."""
    return [
        (call.name, [os.path.relpath(path, case.top) for path in call.paths])
        for call in calls_of(lambda env: run(case, env))
    ]


def is_final(path):
    """Not where the next version of things is made ready."""
    return "/tmplgen/work" not in path


def assert_placed_when_durable(made):
    """Objects, files, refs, the index and the journal are synced between their last byte and
    their rename: after a power cut none of them can be there and empty."""
    unsynced, placed = set(), []
    for name, paths in made:
        if name in WRITES:
            unsynced.add(paths[0])
        elif name == "fsync":
            unsynced.discard(paths[0])
        elif name in PUTS:
            before, after = paths
            if before in unsynced:
                unsynced.remove(before)
                unsynced.add(after)
            if is_final(after):
                placed.append(after)
                assert after not in unsynced, f"{after} was not synced before it got its name"
    for what in (r"\.pack$", r"\.idx$", "/journal$", "/refs/tmplgen/", r"edited$", "/index$"):
        assert any(re.search(what, path) for path in placed), what


STEPS = {
    "objects get their place": r"/objects/pack/pack-[^/]*$",
    "the journal is named": "/tmplgen/journal$",
    "git is locked out": r"/(index|HEAD|refs/heads/.*)\.lock$",
    "files are exchanged": r"^(?!.*\.git/)",
    "what the child was made from is kept": "/refs/tmplgen/base/",
    "git is told of a stop": "/(MERGE_MSG|MERGE_MODE|MERGE_HEAD|CHERRY_PICK_HEAD)$",
    "the branch moves": "/refs/heads/",
    "HEAD moves": "/HEAD$",
    "the index is put": "/index$",
}


def steps(made):
    """Each call that takes a step, with the folders that were not synced until then."""
    folders = set()
    for name, paths in made:
        if name == "fsync":
            folders.discard(paths[0])
        if name in MAKES and ".git" not in paths[0].split("/"):  # git has most of its own
            folders.add(os.path.dirname(paths[0]) or ".")
        if name not in (*PUTS, "linkat"):
            continue
        final = [path for path in (paths if name in PUTS else paths[1:]) if is_final(path)]
        for step, what in STEPS.items():
            if final and re.search(what, final[-1]):
                yield step, set(folders)
                break
        if name in PUTS:
            folders.update(os.path.dirname(path) or "." for path in final)
            folders.difference_update(final)  # a folder that a file took the place of


def steps_taken(made):
    order, seen = list(STEPS), []
    for step, unsynced in steps(made):
        if step in seen[-1:]:
            continue
        assert not unsynced, f"{unsynced} not synced, and {step}"
        assert not seen or order.index(step) > order.index(seen[-1]), f"{step} after {seen[-1]}"
        seen.append(step)
    return seen


@each_case
def test_each_step_is_durable_before_the_next(case):
    made = calls(case)
    assert_placed_when_durable(made)
    seen = steps_taken(made)
    stops = case.conflict or "--no-commit" in case.args
    assert seen[-1] == "the index is put"
    assert ("the branch moves" in seen) == (not stops or "--branch" in case.args)
    assert ("git is told of a stop" in seen) == stops
