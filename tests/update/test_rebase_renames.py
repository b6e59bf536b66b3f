"""Files that the template renamed, by declaration, in versions that a rebase replays updates to."""

import pytest

from .scenarios import lines, template
from .world import assert_sound, put, stocked

RENAMES = [
    "  - {from: '<1.1', rename_files: {a: b}}\n",
    "  - {from: '<1.2', rename_files: {b: c}}\n",
]


def release(world, version, files, renames):
    world.release(version, files, template=template(migrations="".join(RENAMES[:renames])))


@stocked
def renamed(world):
    """The child edits `a`, which becomes `b` with 1.1.0 and `c` with 1.2.0."""
    world.release("1.0.0", {"a": lines(30), "other": lines(9)})
    world.new()
    world.edit({"a": lines(30, {28: "mine"})}, "first")
    release(world, "1.1.0", {"b": lines(30, {3: "1.1"}), "other": lines(9)}, 1)
    assert world.update().paths == {"b": "renamed"}
    world.edit({"b": lines(30, {3: "1.1", 20: "mine, too", 28: "mine"})}, "second")


def states(done):
    return [entry["state"] for entry in done.json["commits"]]


@pytest.mark.parametrize("renames", [1, 2])
def test_an_update_that_renamed_is_dissolved(renamed, renames):
    """Declared before the last version, or in each: the first commit knows the oldest name."""
    name = "bc"[renames - 1]
    new = {name: lines(30, {3: "1.1", 12: "1.2"}), "other": lines(9)}
    release(renamed, "1.2.0", new, renames)
    picked = renamed.copy("picked")
    assert renamed.update(child=picked).code == 0
    done = renamed.update("--strategy", "rebase")
    assert done.code == 0, done.out
    assert states(done) == ["replayed", "replayed", "dropped", "replayed"]
    assert renamed.tree() == renamed.tree(child=picked)
    edited = {3: "1.1", 12: "1.2", 20: "mine, too", 28: "mine"}
    assert renamed.read(name) == lines(30, edited)
    assert_sound(renamed)


def test_an_update_that_renamed_is_dissolved_behind_a_stop(renamed):
    """The stop is at the first edit, the update and its rename come behind it."""
    new = {"c": lines(30, {3: "1.1", 28: "1.2"}), "other": lines(9)}
    release(renamed, "1.2.0", new, 2)
    done = renamed.update("--strategy", "rebase")
    assert (done.code, states(done)[1]) == (5, "conflict"), done.out
    put(renamed.child, {"c": lines(30, {3: "1.1", 28: "both"})})
    renamed.git("add", "c")
    done = renamed.update("--continue")
    assert done.code == 0, done.out
    assert states(done) == ["replayed", "replayed", "dropped", "replayed"]
    assert renamed.read("c") == lines(30, {3: "1.1", 20: "mine, too", 28: "both"})
    assert_sound(renamed)
