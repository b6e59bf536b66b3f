"""What people do at a stop of a rebase, in git's own words, and what becomes of it."""

import pytest

from .scenarios import lines
from .test_rebase_random import commits_of, raw_commits
from .world import RECORD, put, stocked

NEW = 'version: "1.1.0"'


@stocked
def stopped(world):
    """The second of three commits conflicts; the last one adds nothing that the template has."""
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    world.edit({"own": "1\n"}, "one")
    world.edit({"a": lines(20, {5: "mine"})}, "two")
    world.edit({"own": "3\n"}, "three")
    world.release("1.1.0", {"a": lines(20, {5: "theirs"}), "new": "new\n"})


def begin(world):
    done = world.update("--strategy", "rebase")
    assert done.code == 5, done.out
    return done


def records(world) -> list:
    """Of each commit but the new base, oldest first: whether its record is the new version's."""
    chain = commits_of(world, world.child)[1:]
    return [NEW in world.git("show", f"{commit}:{RECORD}") for commit in chain]


# ---------------------------------------------------------------- the record

COMMITTED = {
    "continue": None,
    "commit": ("commit", "-q", "--no-edit"),
    "cherry-pick": ("-c", "core.editor=true", "cherry-pick", "--continue"),
}


def take_whole(world):
    """ "Mine as it was": the whole commit, its record too."""
    world.git("checkout", "-q", "CHERRY_PICK_HEAD", "--", ".")


def remove_record(world):
    world.git("checkout", "-q", "CHERRY_PICK_HEAD", "--", "a")
    world.git("rm", "-q", "-f", RECORD)


@pytest.mark.turns(5)
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("take", [take_whole, remove_record])
@pytest.mark.parametrize("committed", COMMITTED)
def test_every_replayed_commit_has_the_new_record(stopped, committed, take, last):
    if last:
        stopped.git("reset", "-q", "--hard", "HEAD~1")
    begin(stopped)
    take(stopped)
    if COMMITTED[committed]:
        stopped.git(*COMMITTED[committed])
    done = stopped.update("--continue")
    assert done.code == 0 and done.json["result"] == "updated", done.out
    assert records(stopped) == [True] * (3 if last else 4)
    assert any(RECORD in text for text in done.json["warnings"]), done.json["warnings"]
    assert NEW in stopped.read(RECORD) and stopped.read("a") == lines(20, {5: "mine"})
    assert stopped.git("status", "--porcelain") == ""
    assert stopped.update().json["result"] == "up-to-date"
    stopped.release("1.2.0", {"a": lines(20, {5: "theirs", 15: "newer"}), "new": "new\n"})
    # Line 5 is the template's once more where the whole tree was taken: that is another conflict.
    assert stopped.update("--strategy", "rebase", "--dry-run").code in (0, 5)


def test_an_edit_by_hand_of_the_new_record_stays(stopped):
    begin(stopped)
    put(stopped.child, {"a": lines(20, {5: "both"})})
    edited = stopped.read(RECORD) + "# mine\n"
    put(stopped.child, {RECORD: edited})
    stopped.git("add", "-A")
    done = stopped.update("--continue")
    assert done.code == 0, done.out
    assert stopped.read(RECORD) == edited
    assert not any(RECORD in text for text in done.json["warnings"]), done.json["warnings"]


# ---------------------------------------------------------------- the message


def commit_raw(world, message, encoding=None):
    """The second commit once more, with this message to the byte."""
    commits = commits_of(world, world.child)
    for at, commit in enumerate(commits[2:], 2):
        tree = world.git("rev-parse", f"{commit}^{{tree}}")
        who = "A <a@example.com> 1700000000 +0000"
        head = f"tree {tree}\nparent {commits[at - 1]}\nauthor {who}\ncommitter {who}\n"
        head += f"encoding {encoding}\n" if encoding and at == 2 else ""
        body = head.encode() + b"\n" + (message if at == 2 else b"three\n")
        put(world.folder, {"commit": body})
        name = world.folder / "commit"
        # As other tools write it: git's own would refuse what some tests have.
        commits[at] = world.git("hash-object", "-t", "commit", "-w", "--literally", name)
    world.git("reset", "-q", "--hard", commits[-1])


def resolve(world):
    put(world.child, {"a": lines(20, {5: "both"})})
    world.git("add", "a")
    done = world.update("--continue")
    assert done.code == 0 and done.json["result"] == "updated", done.out
    chain = commits_of(world, world.child)
    return raw_commits(world, world.child, chain)[chain[3]]


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("message", "encoding"),
    [
        (b"fix\n\n#12 fixed\n", None),
        (b"no line end", None),
        (b"Gr\xfc\xdfe\n", "ISO-8859-1"),
        (b"before\0behind\n", None),
    ],
)
@pytest.mark.parametrize("removed", [False, True])
def test_a_message_is_kept_to_the_byte(stopped, message, encoding, removed):
    commit_raw(stopped, message, encoding)
    begin(stopped)
    if removed:
        (stopped.child / ".git/MERGE_MSG").unlink()
    headers, kept = resolve(stopped)
    assert kept == message
    assert headers.get("encoding") == ([encoding.encode()] if encoding else None)


@pytest.mark.parametrize("utf8", [False, True])
def test_an_edited_message_says_how_it_is_written(stopped, utf8):
    """It was Latin-1: where it still is, that is what the commit says."""
    commit_raw(stopped, b"Gr\xfc\xdfe\n", "ISO-8859-1")
    begin(stopped)
    edited = "Grüße, mehr\n".encode("utf-8" if utf8 else "iso-8859-1")
    (stopped.child / ".git/MERGE_MSG").write_bytes(edited)
    headers, kept = resolve(stopped)
    assert kept == edited
    assert headers.get("encoding") == (None if utf8 else [b"ISO-8859-1"])


# ---------------------------------------------------------------- what lies there


def test_a_link_of_a_later_commit_is_told(stopped):
    (stopped.child / "link").symlink_to("own")
    stopped.git("add", "link")
    stopped.git("commit", "-q", "-m", "a link")
    done = begin(stopped)
    assert any("'link'" in text and "later" in text for text in done.json["warnings"]), done.out


def test_what_a_resolution_had_already_is_said_to_be_so(stopped):
    stopped.edit({"own2": "x\n"}, "four")
    begin(stopped)
    put(stopped.child, {"a": lines(20, {5: "both"}), "own2": "x\n"})
    stopped.git("add", "-A")
    done = stopped.update("--continue")
    assert done.code == 0, done.out
    entry = done.json["commits"][-1]
    assert entry["state"] == "dropped" and "template" not in entry["note"], entry
