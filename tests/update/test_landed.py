"""S-81, S-82: it does not matter to the next update how the last one got onto the main branch."""

import pytest

from .scenarios import LONG, lines
from .world import STRATEGIES, assert_sound, put

MINE, THEIRS = lines(20, {5: "mine"}), lines(20, {5: "theirs"})

# What a forge, or a person, does with the branch "bot"; HEAD is on main, which has gone on. A merge
# commit has no one patch of its own: of that git is told which parent counts.
WAYS = {
    "fast-forward": [["reset", "-q", "--hard", "HEAD~1"], ["merge", "-q", "--ff-only", "bot"]],
    "merge": [["merge", "-q", "--no-ff", "bot"]],
    "squash": [["merge", "-q", "--squash", "bot"], ["commit", "-qm", "squashed"]],
    "cherry-pick": [["cherry-pick", "{parent}", "bot"]],
    "rebase": [
        ["checkout", "-q", "-b", "r", "bot~1"],
        ["cherry-pick", "{parent}", "bot"],
        ["rebase", "-q", "main"],
        ["switch", "-q", "main"],
        ["merge", "-q", "r"],
    ],
    "a patch": [
        ["diff", "--binary", "--output={folder}/patch", "bot~1", "bot"],
        ["apply", "--index", "{folder}/patch"],
        ["commit", "-qm", "applied"],
    ],
}


def land(world, way):
    merges = len(world.git("show", "-s", "--format=%P", "bot").split()) > 1
    for command in WAYS[way]:
        words = [w.format(parent="-m1" if merges else "-x", folder=world.folder) for w in command]
        world.git(*words)


@pytest.mark.turns(8)
@pytest.mark.parametrize("then", STRATEGIES)
@pytest.mark.parametrize("way", WAYS)
def test_S_81_S_82_no_old_conflict_returns(world, strategy, way, then):
    world.release("1.0.0", {"a": LONG, "b": LONG})
    world.new()
    world.edit({"a": MINE})
    world.release("1.1.0", {"a": THEIRS, "b": THEIRS})
    assert world.update("--branch", "bot").code == 5
    put(world.child, {"a": MINE})
    world.git("add", "a")
    assert world.update("--continue").code == 0
    world.git("switch", "-q", "main")
    world.edit({"other": "meanwhile\n"})
    land(world, way)
    world.git("branch", "-q", "-D", "bot")

    assert world.update().json["result"] == "up-to-date"
    world.release("1.2.0", {"a": lines(20, {5: "theirs", 15: "newer"}), "b": THEIRS})
    done = world.update("--strategy", then)
    assert (done.code, done.paths) == (0, {"a": "merged"}), done.out
    assert world.read("a") == lines(20, {5: "mine", 15: "newer"})
    assert world.git("status", "--porcelain") == ""
    assert_sound(world)
