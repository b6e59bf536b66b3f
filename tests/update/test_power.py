"""
After a power cut: from whatever the disk may hold then (power.py), the promises are kept. Files are
old or new, whole; a later run finishes, `--abort` goes back; `new` made a child or none.
"""

import os
import random
import shutil

import pytest

from .faults import count_calls, fast_folder, fault, sample
from .power import Record, states
from .test_faults import (
    CASES,
    ENDINGS,
    RECOVERIES,
    SEED,
    Ending,
    Reference,
    again,
    assert_users_files,
    assert_whole,
    build,
    run,
)
from .test_new_faults import KINDS, MINE, Place

# Of each record: how many random states of each cut there are beside the systematic ones.
RANDOM, RANDOM_SOAK = 2, 20
ALL = 10**9


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


@pytest.fixture
def case(request):
    folder = fast_folder()
    yield build(folder, **CASES[request.param])
    shutil.rmtree(folder)


def record_of(case, *args):
    """What `update` does to the repository as it is."""
    record = Record(case.world.folder / "run")
    record.run(lambda: again(case, None, *args))
    return record


def some(found, size):
    """Of the states so many."""
    found = list(found)
    return [found[i] for i in sample(list(range(len(found))), size, SEED)]


def try_states(case, chosen, check):
    """`check` in each state, which is put where the repository was."""
    for number, state in enumerate(chosen):
        state.build(case.world.folder / "run")
        try:
            check(number, state)
        except AssertionError as error:
            raise AssertionError(f"{state}\n(seed {SEED}) {error}") from error


def recovers(case, reference, *ways):
    """Looks at the user's files at once; then it goes one of the ways, by turns."""

    def check(number, state):
        assert_users_files(case)
        assert_whole(case, reference)
        RECOVERIES[ways[number % len(ways)]](case, reference)

    return check


def cut_run(case, size, rounds):
    reference = Reference(case)
    case.fresh()
    record = record_of(case, *case.args)
    chosen = some(states(record, SEED, rounds), size)
    if size is not ALL:
        try_states(case, chosen, recovers(case, reference, *RECOVERIES))
    else:
        for way in RECOVERIES:
            try_states(case, chosen, recovers(case, reference, way))


@pytest.mark.parametrize("case", ["clean", "conflict"], indirect=True)
def test_power_cut_few(case):
    cut_run(case, 24, 0)


@pytest.mark.turns(10)
@pytest.mark.full
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_power_cut_sample(case):
    cut_run(case, 45, RANDOM)


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_power_cut_all(case):
    cut_run(case, ALL, RANDOM_SOAK)


def cut_recovery(case, kills, size, rounds):
    """Killed somewhere; the power goes while that is finished or undone, and goes once more."""
    reference = Reference(case)
    total = count_calls(lambda env: run(case, env))
    chance = random.Random(SEED)
    for _ in range(kills):
        at, way = chance.randint(1, total), chance.choice(list(RECOVERIES))
        args = case.args if way == "forward" else ("--abort",)
        run(case, fault(at, "kill"))
        try:
            record = record_of(case, *args)
            chosen = some(states(record, SEED, rounds), size)
            for state in chosen[:2]:
                state.build(case.world.folder / "run")
                chosen += some(states(record_of(case, *args), SEED, rounds), size)
            try_states(case, chosen, recovers(case, reference, way))
        except AssertionError as error:
            raise AssertionError(f"killed at call {at}, {way}: {error}") from error


@pytest.mark.full
@pytest.mark.parametrize("case", ["clean", "conflict", "branch", "linked"], indirect=True)
def test_power_cut_in_recovery_sample(case):
    cut_recovery(case, 4, 8, RANDOM)


@pytest.mark.soak
@pytest.mark.parametrize("case", CASES, indirect=True)
def test_power_cut_in_recovery_all(case):
    cut_recovery(case, 200, 100, RANDOM_SOAK)


def cut_ending(case, ending, prepare, size, rounds):
    """The power goes while a stopped update is continued or aborted."""
    end = Ending(case, ending, prepare)
    run(case)
    prepare(case)
    record = record_of(case, ending)

    def check(number, state):
        end.check(f"after a power cut: {state.title}")

    try_states(case, some(states(record, SEED, rounds), size), check)


each_ending = pytest.mark.parametrize(
    ("case", "ending", "prepare"), ENDINGS.values(), ids=ENDINGS, indirect=["case"]
)


@pytest.mark.turns(10)
@pytest.mark.full
@each_ending
def test_power_cut_in_ending_sample(case, ending, prepare):
    cut_ending(case, ending, prepare, 20, RANDOM)


@pytest.mark.soak
@each_ending
def test_power_cut_in_ending_all(case, ending, prepare):
    cut_ending(case, ending, prepare, ALL, RANDOM_SOAK)


# ---------------------------------------------------------------- new


@pytest.fixture
def place(request):
    folder = fast_folder()
    yield Place(folder, request.param)
    shutil.rmtree(folder)


def assert_files_whole(place, found):
    """Each is as it was or as it was to be; some may be missing."""
    for path, seen in found.items():
        if path not in ("commit", "status"):
            assert seen in (place.old.get(path), place.new.get(path)), path


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
        assert_files_whole(place, found)
        if place.kind in ("missing", "deep", "no-git"):
            assert found in (place.old, place.new)
        return
    repository = place.place if place.kind == "inside" else place.target
    place.assert_sound()
    (repository / ".git/index.lock").unlink(missing_ok=True)  # of git's: after a crash as git says
    place.world.git("checkout", "-q", "-f", "HEAD", "--", ".", cwd=repository)
    found = place.state()
    if ".tmplgen-" in found["status"]:  # what a run that was cut off leaves behind
        found["status"] = ""
    assert found == place.new


def assert_mine(place):
    """What the repository around the child was stays: files, branch, objects."""
    for path, text in MINE.items():
        assert (place.place / path).read_text() == text
    place.assert_sound()
    assert place.state()["commit"] in (place.old["commit"], place.new["commit"])


def record_of_new(place):
    place.prepare()
    record = Record(place.place)
    assert record.run(place.make).code == 0
    return record


def try_new(place, chosen, check):
    for state in chosen:
        state.build(place.place)
        try:
            if place.kind == "inside":
                assert_mine(place)
            check(place)
        except AssertionError as error:
            raise AssertionError(f"{state}\n(seed {SEED}) {error}") from error


def cut_new(place, size, rounds):
    found = states(record_of_new(place), SEED, rounds)
    try_new(place, some(found, size), assert_whole_or_restorable)


def assert_there(place):
    assert place.state() != place.old, "it said that it was done"
    assert list(place.place.rglob("*.lock")) == []


@pytest.mark.full
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_that_said_it_was_done_is_there_after_a_power_cut(place):
    record = record_of_new(place)
    try_new(place, record.cut(record.count).systematic(), assert_there)


@pytest.mark.parametrize("place", ["missing"], indirect=True)
def test_new_after_a_power_cut_few(place):
    cut_new(place, 24, 0)


@pytest.mark.full
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_after_a_power_cut_sample(place):
    cut_new(place, 80, RANDOM)


@pytest.mark.soak
@pytest.mark.parametrize("place", KINDS, indirect=True)
def test_new_after_a_power_cut_all(place):
    cut_new(place, ALL, RANDOM_SOAK)
