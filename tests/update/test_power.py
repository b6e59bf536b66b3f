"""
After a power cut: from whatever the disk may hold then (power.py), the promises are kept. Files are
old or new, whole; a later run finishes, `--abort` goes back; `new` made a child or none.
"""

import os
import random

from .cases import again, each_case, run
from .faults import ALL, SEED, count_calls, fault, sample, sizes, told_of
from .places import each_place
from .power import Record, some_states, states
from .sweeps import (
    RECOVERIES,
    Ending,
    Reference,
    args_of,
    assert_users_files,
    assert_whole,
    each_ending,
)

# Of each record: how many random states of each cut there are beside the systematic ones.
RANDOM = 2


# ---------------------------------------------------------------- the proof itself


def write(path, text, sync=True):
    with open(path, "w") as file:
        file.write(text)
        if sync:
            file.flush()
            os.fsync(file.fileno())


def sync(folder):
    fd = os.open(folder, os.O_RDONLY)
    os.fsync(fd)
    os.close(fd)


def found_after(tmp_path, before, function, path):
    """What may be read at `path` after a power cut while `function(folder)` runs, or at its end."""
    folder = tmp_path / "run"
    folder.mkdir()
    before(folder)
    record = Record(folder)
    record.run(lambda: function(folder))
    found = [set(), set()]
    for state in states(record, SEED, 30):
        state.build(folder)
        place = folder / path
        text = place.read_text(errors="replace") if place.exists() else None
        found[state.cut.at == record.count].add(text)
    return found[0] | found[1], found[1]


def old(folder):
    write(folder / "a", "old\n")


def test_replaced_as_it_should_be_a_file_is_old_or_new_and_at_the_end_new(tmp_path):
    def replace(folder):
        write(folder / "a.new", "new\n")
        os.rename(folder / "a.new", folder / "a")
        sync(folder)

    assert found_after(tmp_path, old, replace, "a") == ({"old\n", "new\n"}, {"new\n"})


def test_a_file_that_was_not_synced_before_its_move_is_torn(tmp_path):
    def replace(folder):
        write(folder / "a.new", "new\n", sync=False)
        os.rename(folder / "a.new", folder / "a")
        sync(folder)

    found, last = found_after(tmp_path, old, replace, "a")
    assert last > {"new\n", "", "ne", "\0\0\0\0"}
    assert "old\n" in found - last


def test_a_move_that_was_not_synced_may_be_undone(tmp_path):
    def replace(folder):
        write(folder / "a.new", "new\n")
        os.rename(folder / "a.new", folder / "a")

    assert found_after(tmp_path, old, replace, "a")[1] == {"old\n", "new\n"}


def test_a_file_in_a_new_folder_is_lost_where_the_folder_above_was_not_synced(tmp_path):
    def make(folder):
        (folder / "new/deep").mkdir(parents=True)
        write(folder / "new/deep/x", "x\n")
        sync(folder / "new/deep")
        sync(folder)

    assert found_after(tmp_path, old, make, "new/deep/x")[1] == {"x\n", None}


def test_a_folder_goes_only_when_what_was_in_it_has_gone(tmp_path):
    def before(folder):
        (folder / "d").mkdir()
        write(folder / "d/x", "x\n")

    def remove(folder):
        os.unlink(folder / "d/x")
        os.rmdir(folder / "d")
        sync(folder)

    assert found_after(tmp_path, before, remove, "d/x") == ({"x\n", None}, {None})


# ---------------------------------------------------------------- update


def record_of(case, *args):
    """What `update` does to the repository as it is."""
    record = Record(case.world.folder / "run")
    record.run(lambda: again(case, None, *args))
    return record


def states_of(record, size):
    """So many of what the disk may hold, or all, among which are more random ones."""
    if size == ALL:
        return states(record, SEED, 10 * RANDOM)
    return list(some_states(record, SEED, size, RANDOM))


def try_states(case, chosen, check):
    """`check` in each state, which is put where the repository was."""
    for number, state in enumerate(chosen):
        state.build(case.world.folder / "run")
        with told_of(state):
            check(number, state)


def recovers(case, reference, *ways):
    """Looks at the user's files at once; then it goes one of the ways, by turns."""

    def check(number, state):
        assert_users_files(case)
        assert_whole(case, reference)
        RECOVERIES[ways[number % len(ways)]](case, reference)

    return check


@sizes(few=(12, 2), sample=(45, 6))
@each_case
def test_power_cut(case, size):
    reference = Reference(case)
    case.fresh()
    chosen = states_of(record_of(case, *case.args), size)
    try_states(case, chosen, recovers(case, reference, *RECOVERIES))


@sizes(sample=(6, 3), every=200)
@each_case
def test_power_cut_in_recovery(case, size):
    """Killed somewhere; the power goes while that is finished or undone, and goes once more."""
    reference = Reference(case)
    total = count_calls(lambda env: run(case, env))
    chance = random.Random(SEED)
    for _ in range(size // 2):
        at, way = chance.randint(1, total), chance.choice(list(RECOVERIES))
        args = args_of(case, way)
        run(case, fault(at, "kill"))
        with told_of(f"killed at call {at}, {way}"):
            chosen = states_of(record_of(case, *args), size)
            for state in chosen[:2]:
                state.build(case.world.folder / "run")
                chosen += states_of(record_of(case, *args), size)
            try_states(case, chosen, recovers(case, reference, way))


@sizes(sample=(20, 5))
@each_ending
def test_power_cut_in_ending(case, ending, prepare, size):
    """The power goes while a stopped update is continued or aborted."""
    end = Ending(case, ending, prepare)
    run(case)
    prepare(case)
    chosen = states_of(record_of(case, ending), size)
    try_states(case, chosen, lambda _, state: end.check(f"after a power cut: {state.title}"))


# ---------------------------------------------------------------- new


def has_commit(place):
    """Whether git has the child's files."""
    if place.kind == "inside":
        return place.state()["commit"] == place.new["commit"]
    return (place.target / ".git").exists()


def assert_whole_or_restorable(place):
    """
    A child that is there is whole, or git has every file that is not. Where git has none of it,
    every file that has its name is whole.
    """
    if not has_commit(place):
        found = place.state()
        place.assert_files_whole(found)
        if place.kind in ("missing", "deep", "no-git"):
            assert found in (place.old, place.new)
        return
    place.assert_sound()
    (place.repository / ".git/index.lock").unlink(
        missing_ok=True
    )  # of git's: after a crash as git says
    place.world.git("checkout", "-q", "-f", "HEAD", "--", ".", cwd=place.repository)
    found = place.state()
    if ".tmplgen-" in found["status"]:  # what a run that was cut off leaves behind
        found["status"] = ""
    assert found == place.new


def record_of_new(place):
    place.prepare()
    record = Record(place.place)
    assert record.run(place.make).code == 0
    return record


def try_new(place, chosen, check):
    for state in chosen:
        state.build(place.place)
        with told_of(state):
            if place.kind == "inside":
                place.assert_mine()
            check(place)


def assert_there(place):
    assert place.state() != place.old, "it said that it was done"
    assert list(place.place.rglob("*.lock")) == []


@sizes(sample=(40, 2))
@each_place
def test_new_that_said_it_was_done_is_there_after_a_power_cut(place, size):
    record = record_of_new(place)
    try_new(place, sample(record.cut(record.count).systematic(), size), assert_there)


@sizes(few=(16, 1), sample=(60, 2))
@each_place
def test_new_after_a_power_cut(place, size):
    try_new(place, states_of(record_of_new(place), size), assert_whole_or_restorable)
