"""
What somebody made of a conflict is offered the next time: only that, only there, and whatever lies
where it is kept.
"""

import os
import shutil

import pytest

from .scenarios import lines
from .world import files_on_disk, put

MOST = 1000  # resolutions that are kept
MINE, THEIRS, BOTH = (lines(20, {5: word}) for word in ("mine", "theirs", "both"))


@pytest.fixture
def stopped(world):
    """Two commits that conflict, one after the other: the second stop shows what the first left."""
    world.release("1.0.0", {"a": lines(20), "b": lines(20, {1: "b"})})
    world.new()
    world.edit({"a": MINE}, "one")
    world.edit({"b": lines(20, {1: "b", 5: "mine"})}, "two")
    world.release("1.1.0", {"a": THEIRS, "b": lines(20, {1: "b", 5: "theirs"})})
    begin(world)
    return world


def begin(world):
    done = world.update("--strategy", "rebase")
    assert done.code == 5, done.out
    return done


def again(world):
    """What was resolved at the first stop is kept; back, and once more to there."""
    assert world.update("--abort").code == 0
    return begin(world)


def unmerged(world) -> set:
    return {line.split("\t")[1] for line in world.git("ls-files", "-u").splitlines()}


def go_on(world, files):
    put(world.child, files)
    world.git("add", "-A", *files)
    done = world.update("--continue")
    assert done.code == 5, done.out
    return done


def kept(world) -> list:
    return sorted((world.child / ".git/tmplgen/resolutions").iterdir())


def test_it_is_offered_staged_and_the_next_step_is_to_look_at_it(stopped):
    go_on(stopped, {"a": BOTH})
    done = again(stopped)
    assert unmerged(stopped) == set() and stopped.read("a") == BOTH
    steps = [step["run"] for step in done.json["next"]]
    assert "git diff --staged" in steps and not any("git add" in run for run in steps), steps
    shown = stopped.git("diff", "--staged", "--name-only")
    assert "a" in shown.splitlines()
    assert stopped.update("--continue").code == 5
    assert unmerged(stopped) == {"b"}


def test_another_file_with_the_same_conflict_is_asked_about(world):
    """Two copies of a file, in which the same lines stand against each other."""
    world.release("1.0.0", {"a": lines(20), "c": lines(20)})
    world.new()
    world.edit({"a": MINE, "c": MINE}, "one")
    world.edit({"own": "x\n", "a": lines(20, {5: "mine", 6: "more"})}, "two")
    world.release("1.1.0", {"a": THEIRS, "c": THEIRS})
    begin(world)
    go_on(world, {"a": BOTH, "c": THEIRS})
    again(world)
    assert unmerged(world) == set()
    assert (world.read("a"), world.read("c")) == (BOTH, THEIRS)


def test_a_file_that_got_another_name_is_not_offered_as_deleted(stopped):
    go_on(stopped, {"moved": BOTH, "a": None})
    again(stopped)
    assert unmerged(stopped) == {"a"}


def test_that_a_side_deleted_it_is_offered(world):
    world.release("1.0.0", {"a": lines(20), "b": lines(20, {1: "b"})})
    world.new()
    world.edit({"a": MINE}, "one")
    world.edit({"b": lines(20, {1: "b", 5: "mine"})}, "two")
    world.release("1.1.0", {"b": lines(20, {1: "b", 5: "theirs"})})
    begin(world)
    go_on(world, {"a": None})
    again(world)
    assert unmerged(world) == set() and not (world.child / "a").exists()


@pytest.mark.parametrize("ended", ["commit", "cherry-pick"])
def test_what_was_committed_with_its_markers_is_no_resolution(stopped, ended):
    """git itself takes it; nobody is to get it offered as well made."""
    stopped.git("add", "-A")
    if ended == "commit":
        stopped.git("commit", "-q", "--no-edit")
    else:
        stopped.git("-c", "core.editor=true", "cherry-pick", "--continue")
    assert stopped.update("--continue").code == 5
    again(stopped)
    assert unmerged(stopped) == {"a"}


# ---------------------------------------------------------------- whatever lies there


def folder(path):
    path.mkdir()


def pipe(path):
    os.mkfifo(path)


def dangling(path):
    path.symlink_to("nowhere")


def huge(path):
    with open(path, "wb") as file:
        file.truncate(1 << 34)


def empty(path):
    path.touch()


def cut_off(path):
    path.write_bytes(path.with_suffix(".old").read_bytes()[:-3])


def edited(path):
    path.write_bytes(path.with_suffix(".old").read_bytes().replace(b"both", b"evil"))


def without_its_sum(path):
    path.write_bytes(b"100644\nevil\n")


DAMAGES = [folder, pipe, dangling, huge, empty, cut_off, edited, without_its_sum]


@pytest.mark.parametrize("damage", DAMAGES)
def test_what_is_damaged_is_none_and_stops_nobody(stopped, damage):
    go_on(stopped, {"a": BOTH})
    assert stopped.update("--abort").code == 0
    before = files_on_disk(stopped.child)
    (path,) = kept(stopped)
    path.rename(path.with_suffix(".old"))
    damage(path)
    begin(stopped)
    assert unmerged(stopped) == {"a"}
    put(stopped.child, {"a": BOTH})
    done = stopped.update("--abort")
    assert (done.code, done.json["result"]) == (0, "aborted"), done.out
    assert files_on_disk(stopped.child) == before


def test_a_folder_of_somebody_elses_is_neither_read_nor_written(stopped):
    go_on(stopped, {"a": BOTH})
    there = stopped.child / ".git/tmplgen/resolutions"
    elsewhere = stopped.folder / "elsewhere"
    shutil.move(there, elsewhere)
    there.symlink_to(elsewhere)
    before = files_on_disk(elsewhere)
    again(stopped)
    assert unmerged(stopped) == {"a"}
    go_on(stopped, {"a": MINE})
    assert files_on_disk(elsewhere) == before


def test_where_there_are_many_the_oldest_goes(stopped):
    there = stopped.child / ".git/tmplgen/resolutions"
    there.mkdir(exist_ok=True)
    many = [there / f"{number:064x}" for number in range(MOST)]
    for number, path in enumerate(many):
        path.write_text("")
        os.utime(path, (0, 1000 + (number + MOST // 2) % MOST))
    go_on(stopped, {"a": BOTH})
    assert len(kept(stopped)) == MOST
    assert [path for path in many if not path.exists()] == [many[MOST // 2]]


# ---------------------------------------------------------------- what is put aside


@pytest.mark.parametrize("trash", ["folder", "file", "link", "dangling"])
def test_what_was_edited_is_put_aside_wherever_it_can_be(stopped, trash):
    """Where `trash` is none of ours it lies beside its path."""
    place = stopped.child / ".git/tmplgen/trash"
    if trash == "file":
        place.write_text("mine\n")
    elif trash != "folder":
        place.symlink_to(stopped.folder if trash == "link" else "nowhere")
    put(stopped.child, {"a": "half solved\n"})
    done = stopped.update("--abort")
    assert (done.code, done.json["result"]) == (0, "aborted"), done.out
    aside = stopped.child / ("a.tmplgen-kept-1" if trash != "folder" else ".git/tmplgen/trash/1-a")
    assert aside.read_text() == "half solved\n"
    assert stopped.read("a") == MINE
