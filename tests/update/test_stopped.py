"""A stopped update that was ended by git's own means, or worked on before it was ended."""

import re
import shutil
from pathlib import Path

import pytest

from .faults import clone_folder, fault
from .scenarios import LONG, lines
from .world import RECORD, assert_sound, files_on_disk, put

NEW = {"a": lines(20, {5: "theirs"}), "b": lines(20, {5: "theirs"}), "added": "new\n"}
VERSION = "version: 1.1.0"


@pytest.fixture
def ready(world, strategy, stock):
    return stock.take(world, make_ready)


def make_ready(world):
    world.release("1.0.0", {"a": LONG, "b": LONG, "gone": LONG})
    world.new()
    world.release("1.1.0", NEW)


@pytest.fixture
def conflict(ready):
    ready.edit({"a": lines(20, {5: "mine"})})
    assert ready.update().code == 5
    return ready


@pytest.fixture
def staged(ready):
    assert ready.update("--no-commit").json["result"] == "staged"
    return ready


# git lets nobody switch, and forgets in a stash, what is a merge to it.
no_merge = pytest.mark.parametrize("strategy", ["pick"], indirect=True)


def refused(world, *args):
    done = world.update(*args)
    assert (done.code, done.error["code"]) == (3, "nothing-in-progress"), done.out
    return done.error


def assert_given_up(world):
    """`--continue` says so, and the next update does it all."""
    head = world.git("rev-parse", "HEAD")
    error = refused(world, "--continue")
    assert "nothing of it is committed" in error["message"]
    assert "'tmplgen update' starts again" in error["hint"]
    assert world.git("rev-parse", "HEAD") == head
    assert VERSION not in world.read(RECORD)


# ---------------------------------------------------------------- --continue


def test_continue_after_git_gave_the_conflict_up_is_refused(conflict):
    conflict.git(conflict.git_command, "--abort")
    assert_given_up(conflict)
    assert conflict.update().code == 5


def test_continue_after_git_reset_is_refused(conflict):
    conflict.git("reset", "-q", "--hard")
    assert_given_up(conflict)
    assert conflict.update().code == 5


def test_continue_after_a_conflict_gave_way_to_another_commit_is_refused(conflict):
    conflict.git(conflict.git_command, "--abort")
    conflict.edit({"mine": "x\n"})
    assert_given_up(conflict)


@no_merge
def test_continue_while_the_staged_update_is_stashed_is_refused(staged):
    staged.git("stash", "-q")
    assert_given_up(staged)
    staged.git("stash", "pop", "-q", "--index")
    assert staged.update("--abort").code == 0
    assert staged.git("status", "--porcelain") == ""
    assert_sound(staged)


# ---------------------------------------------------------------- what is in the commit


def changes(world):
    """What the newest commit changes, as git has it: the status of each path."""
    shown = world.git(
        "show", "--first-parent", "--name-status", "--no-renames", "--format=", "HEAD"
    )
    return dict(reversed(line.split("\t")) for line in shown.splitlines())


@pytest.mark.parametrize("path", ["a", "b", "gone", "added"])
def test_continue_tells_a_path_that_was_taken_back(conflict, path):
    conflict.git("add", "a")
    put(conflict.child, {"a": lines(20, {5: "both"})})
    conflict.git("add", "a")
    if path == "added":
        conflict.git("rm", "-q", "-f", "added")
    else:
        conflict.git("checkout", "-q", "HEAD", "--", path)
    done = conflict.update("--continue")
    assert (done.code, done.json["result"]) == (0, "updated")
    assert done.paths[path] == "kept-yours"
    [line] = [it for it in done.json["paths"] if it["path"] == path]
    assert line["note"] == "you kept it as it was"
    assert done.json["counts"]["kept-yours"] == 1
    changed = changes(conflict)
    told = {it for it, state in done.paths.items() if state != "kept-yours"}
    assert set(changed) == told | {RECORD}


def test_continue_tells_a_path_that_was_deleted_in_conflict(conflict):
    conflict.git("rm", "-q", "-f", "a")
    done = conflict.update("--continue")
    assert done.paths["a"] == "deleted" and changes(conflict)["a"] == "D"


def test_continue_with_the_old_record_is_no_update(conflict):
    head = conflict.git("rev-parse", "HEAD")
    conflict.git("checkout", "-q", "HEAD", "--", ".")
    done = conflict.update("--continue")
    assert (done.code, done.error["code"]) == (3, "record-taken-back")
    assert conflict.git("rev-parse", "HEAD") == head
    assert conflict.update("--abort").code == 0
    assert conflict.git("status", "--porcelain") == ""
    assert conflict.update().code == 5


def commit_all(world):
    put(world.child, {"a": lines(20, {5: "both"})})
    world.commit("taken")


def commit_and_go_on(world):
    commit_all(world)
    world.edit({"mine": "x\n"})


def commit_with_the_record_edited(world):
    put(world.child, {RECORD: world.read(RECORD).replace("yours: []", "yours: [mine]")})
    commit_all(world)


def commit_on_another_branch(world):
    world.git("switch", "-q", "-c", "review")
    commit_all(world)


def commit_and_leave_the_branch(world):
    commit_all(world)
    world.git("switch", "-q", "-c", "other", "HEAD~1")


COMMITS = [commit_all, commit_and_go_on, commit_with_the_record_edited]


@pytest.mark.parametrize("commit", COMMITS)
def test_continue_after_git_committed_the_conflict_is_done(conflict, commit):
    commit(conflict)
    done = conflict.update("--continue")
    assert (done.code, done.json["result"]) == (0, "up-to-date"), done.out
    assert_sound(conflict)
    refused(conflict, "--continue")


@no_merge
def test_continue_after_git_committed_on_another_branch_is_done(staged):
    commit_on_another_branch(staged)
    assert staged.update("--continue").json["result"] == "up-to-date"
    assert_sound(staged)


@pytest.mark.parametrize("commit", [*COMMITS, commit_and_leave_the_branch])
def test_continue_after_git_committed_what_was_staged_is_done(staged, commit):
    commit(staged)
    done = staged.update("--continue")
    assert (done.code, done.json["result"]) == (0, "up-to-date"), done.out
    assert_sound(staged)


def restore_staged(world):
    world.edit({"b": None})
    assert world.update("--restore", "b", "--no-commit").json["result"] == "staged"


@pytest.mark.parametrize("version", ["1.0.0", "1.1.0"])
def test_continue_of_a_restore_that_changed_no_record(ready, version):
    if version == "1.1.0":
        assert ready.update().code == 0
    else:
        ready.release("1.0.0", {"a": LONG, "b": LONG, "gone": LONG})
    restore_staged(ready)
    ready.git("stash", "-q")
    assert "nothing of it" in refused(ready, "--continue")["message"]
    ready.git("stash", "pop", "-q", "--index")
    ready.git("commit", "-q", "-m", "restored")
    assert ready.update("--continue").json["result"] == "up-to-date"


# ---------------------------------------------------------------- --abort after further edits


def aborted(world, before):
    """Everything is as it was before the update; what was edited since lies where it is said."""
    done = world.update("--abort")
    assert (done.code, done.json["result"]) == (0, "aborted"), done.out
    assert files_on_disk(world.child, empty=True) == before
    assert world.git("status", "--porcelain") == ""
    aside = [re.search(r"\(now (.*)\)$", text) for text in done.json["warnings"]]
    return sorted(Path(found[1]).read_text() for found in aside if found)


EDITS = {
    "updated": {"b": lines(20, {5: "theirs", 15: "mine"})},
    "added": {"added": "mine\n"},
    "deleted": {"gone": "again\n"},
    "in conflict": {"a": "solved\n"},
    "all": {"a": "solved\n", "added": "mine\n", "b": "mine\n", "gone": "again\n"},
}


@pytest.mark.turns(6)
@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("kind", ["conflict", "staged"])
def test_abort_puts_aside_what_was_edited_since(ready, kind, edits):
    if kind == "conflict":
        ready.edit({"a": lines(20, {5: "mine"})})
    before = files_on_disk(ready.child, empty=True)
    ready.update(*(["--no-commit"] if kind == "staged" else []))
    put(ready.child, edits)
    assert aborted(ready, before) == sorted(edits.values())


def test_abort_that_cannot_read_what_was_edited_since_ends_when_it_can(conflict):
    put(conflict.child, {"b": "mine\n"})
    edited = conflict.copy("edited")
    reads = {"FAILN_READS": str(conflict.child / "b")}
    for at in range(1, 20):
        clone_folder(edited, conflict.child)
        done = conflict.update("--abort", env=fault(at, "EIO", **reads))
        if done.code:
            there = [path.read_text() for path in conflict.child.glob("b")]
            assert "mine\n" in there + texts_in_trash(conflict), at
            assert conflict.update("--abort").code == 0
        assert conflict.git("status", "--porcelain") == "", at
        assert texts_in_trash(conflict) == ["mine\n"], at


def texts_in_trash(world):
    return [path.read_text() for path in (world.child / ".git/tmplgen").glob("trash/*")]


def test_abort_where_gits_message_cannot_be_removed_says_so(conflict):
    message = conflict.child / ".git/MERGE_MSG"
    message.unlink()
    message.mkdir()
    done = conflict.update("--abort")
    assert (done.code, done.error["code"]) == (1, "io"), done.out
    assert "cannot remove 'MERGE_MSG'" in done.error["message"]
    message.rmdir()
    assert conflict.update("--abort").code == 0
    assert_sound(conflict)


@no_merge
def test_update_on_another_branch_leaves_what_waits_staged_for_its_own(staged):
    """It is refused, and nothing is thrown away: the journal neither."""
    before = files_on_disk(staged.child)
    staged.git("switch", "-qc", "other")
    done = staged.update()
    assert (done.code, done.error["code"]) == (3, "update-in-progress"), done.out
    assert "'main'" in done.error["message"] and "git switch main" in done.error["hint"]
    staged.git("switch", "-q", "main")
    assert files_on_disk(staged.child) == before
    assert staged.update("--abort").code == 0
    assert staged.git("status", "--porcelain") == ""
    assert_sound(staged)


def test_A8_after_gits_own_quit_every_hint_works(conflict):
    """Unresolved: git reset --merge. Resolved: git commit. Then an update finds its way."""
    conflict.git(conflict.git_command, "--quit")
    for args in ((), ("--continue",), ("--abort",)):
        done = conflict.update(*args)
        assert done.code == 3 and "git reset --merge" in done.error["hint"], done.out
        assert done.error["code"] == ("nothing-in-progress" if args else "unmerged")
    put(conflict.child, {"a": lines(20, {5: "both"})})
    conflict.git("add", "a")
    for args in ((), ("--continue",), ("--abort",)):
        done = conflict.update(*args)
        assert done.code == 3 and "'git commit' takes it" in done.error["hint"], done.out
    conflict.git("commit", "-qm", "taken")
    assert conflict.update().json["result"] == "up-to-date"
    assert VERSION in conflict.read(RECORD).replace('"', "")
    assert_sound(conflict)


def test_A8_what_was_quit_and_staged_is_given_up_by_the_hint(conflict):
    conflict.git(conflict.git_command, "--quit")
    conflict.git("checkout", "--ours", "a")
    conflict.git("add", "a")
    assert "git reset --merge" in conflict.update().error["hint"]
    conflict.git("reset", "-q", "--merge")
    assert conflict.update().code == 5
    assert conflict.update("--abort").code == 0


# ---------------------------------------------------------------- the index, made anew


def staged_entries(world, *without):
    lines = world.git("ls-files", "-s").splitlines()
    return [line for line in lines if line.split("\t")[1] not in without]


def test_abort_keeps_what_was_staged_meanwhile_and_brings_the_rest_back(conflict):
    before = staged_entries(conflict, "a", "added", RECORD)
    conflict.git("reset", "-q", "--", "b")  # gone on: no more what the run has kept
    put(conflict.child, {"own": "own\n"})
    conflict.git("add", "own")
    done = conflict.update("--abort")
    assert done.code == 0, done.out
    now = staged_entries(conflict, "a", "added", RECORD, "b", "gone", "own")
    assert now == [e for e in before if e.split("\t")[1] not in ("b", "gone")]
    assert conflict.git("diff", "--cached", "--name-status").splitlines() == ["A\town"]
    assert conflict.git("ls-files", "-u") == ""


def test_abort_after_the_kept_index_is_gone_makes_it_anew(conflict):
    """As in a copy that went without tmplgen's folder of work."""
    before = files_on_disk(conflict.child)
    kept = list((conflict.child / ".git/tmplgen").rglob("index.old"))
    assert kept
    for path in kept:
        path.unlink()
    assert conflict.update("--abort").code == 0
    assert files_on_disk(conflict.child) != before
    assert conflict.git("status", "--porcelain") == ""


def test_continue_names_what_is_still_unresolved(conflict):
    done = conflict.update("--continue")
    assert (done.code, done.json["warnings"]) == (5, ["still unresolved: 'a'"]), done.out


def test_continue_names_ten_of_what_is_still_unresolved(world):
    names = [f"of-a-rather-long-name-{i:02}" for i in range(12)]  # a long message for git
    world.release("1.0.0", dict.fromkeys(names, "old\n"))
    world.new()
    world.edit(dict.fromkeys(names, "mine\n"))
    world.release("1.1.0", dict.fromkeys(names, "theirs\n"))
    assert world.update().code == 5
    [said] = world.update("--continue").json["warnings"]
    shown = ", ".join(f"'{name}'" for name in names[:10])
    assert said == f"still unresolved: {shown} and 2 more"


def test_continue_after_git_rm_of_the_file_in_conflict_leaves_it_out(conflict):
    conflict.git("rm", "-q", "-f", "a")
    done = conflict.update("--continue")
    assert done.code == 0, done.out
    assert "a" not in conflict.git("ls-tree", "--name-only", "HEAD").splitlines()
    assert conflict.git("status", "--porcelain") == ""


def test_continue_commits_with_the_message_that_the_user_wrote(conflict):
    put(conflict.child, {"a": "both\n", ".git/MERGE_MSG": "My own words\n"})
    conflict.git("add", "a")
    reads = {"FAILN_READS": str(conflict.child / ".git/MERGE_MSG")}
    for at in range(1, 8):
        done = conflict.update("--continue", env=fault(at, "EIO", **reads))
        if done.code == 0:
            break
        assert done.code == 1, done.out
        assert conflict.read(".git/MERGE_MSG") == "My own words\n"
    assert at > 1
    assert conflict.git("log", "-1", "--format=%s") == "My own words"


# ---------------------------------------------------------------- locks that are not ours


def test_a_lock_of_another_user_that_cannot_be_read_leaves_nothing(ready):
    """In a shared repository, with a umask of 077; a folder stands in for it: root reads all."""
    lock = ready.child / ".git/refs/heads/main.lock"
    lock.mkdir()
    done = ready.update()
    assert (done.code, done.error["code"]) == (3, "locked"), done.out
    assert not (ready.child / ".git/index.lock").exists()
    lock.rmdir()
    assert ready.update().code == 0


@pytest.mark.parametrize("instead", [None, "topic"])
def test_a_given_up_branch_whose_folder_is_gone_is_in_nobodys_way(ready, instead):
    ready.edit({"a": lines(20, {5: "mine"})})
    assert ready.update("--branch", "topic/x").code == 5
    ready.git("reset", "-q", "--merge")
    ready.git("switch", "-q", "main")
    ready.git("branch", "-q", "-D", "topic/x")
    shutil.rmtree(ready.child / ".git/refs/heads/topic", ignore_errors=True)
    if instead:
        ready.git("branch", "-q", instead)
    assert ready.update().code == 5
    assert ready.update("--abort").code == 0


# ---------------------------------------------------------------- few descriptors

FEW = ("prlimit", "--nofile=40")  # more than a run takes, less than a file each


def test_no_descriptor_is_left_open_for_each_file(world):
    names = [f"d{i % 7}/f{i}" for i in range(120)]
    world.release("1.0.0", {name: f"{name}\n" + LONG for name in names})
    world.new()
    world.edit({names[0]: f"{names[0]}\n" + lines(20, {5: "mine"})})
    world.release("1.1.0", {name: f"{name}\n" + lines(20, {5: "theirs"}) for name in names})
    assert world.update(prefix=FEW).code == 5
    put(world.child, dict.fromkeys(names[1:], "edited meanwhile\n"))
    assert world.update("--abort", prefix=FEW).code == 0
    assert world.git("ls-files", "-u") == ""
    world.git("checkout", "-q", "--", ".")
    assert world.update(prefix=FEW).code == 5
    put(world.child, {names[0]: "both\n"})
    world.git("add", names[0])
    assert world.update("--continue", prefix=FEW).code == 0
    assert world.git("status", "--porcelain", "-uno") == ""


# ---------------------------------------------------------------- what a run begins with


def test_what_an_earlier_run_left_in_the_folder_of_work_is_nothing(ready):
    """Killed while it tidied up: its texts and its index are not this run's."""
    ready.edit({"a": lines(20, {5: "mine"})})
    index = (ready.child / ".git/index").read_bytes()
    names = (
        "index.old",
        "index.new",
        "tip.new",
        "tip.old",
        "head.new",
        "pick",
        "mode",
        "message",
        "0",
        "7",
    )
    work = ".git/tmplgen/work"
    put(ready.child, {f"{work}/{name}": "stale\n" for name in (*names, "stage/0")})
    put(ready.child, {f"{work}-{level}/stage/0": "of a later stop\n" for level in (2, 10)})
    assert ready.update().code == 5
    assert ready.update("--abort").code == 0
    assert_sound(ready)
    assert (ready.child / ".git/index").read_bytes() == index
    assert ready.git("status", "--porcelain") == ""


@pytest.mark.parametrize("words", ["--continue", "--abort"])
def test_without_an_update_the_hint_is_gits_own_way_where_files_are_unmerged(conflict, words):
    assert conflict.update("--abort").code == 0
    assert "'tmplgen status' says how things are" in refused(conflict, words)["hint"]
    assert conflict.update().code == 5
    conflict.git(conflict.git_command, "--quit")
    shutil.rmtree(conflict.child / ".git/tmplgen")
    assert "git reset --merge" in refused(conflict, words)["hint"]


def test_on_a_branch_without_commits_what_waits_is_told(staged):
    staged.git("checkout", "-q", "--orphan", "other")
    for words in ((), ("--continue",), ("--abort",)):
        done = staged.update(*words)
        assert done.code == 3, done.out
        assert done.error["code"] in ("unborn", "update-in-progress", "nothing-in-progress"), (
            done.out
        )
    staged.git("checkout", "-q", "-f", "main")


def test_what_lay_there_just_as_the_template_has_it_stays_after_abort(ready):
    ready.edit({"a": lines(20, {5: "mine"})})
    put(ready.child, {"added": "new\n"})  # not tracked
    assert ready.update().code == 5
    assert ready.update("--abort").code == 0
    assert ready.read("added") == "new\n"
    assert ready.git("status", "--porcelain") == "?? added"


def test_continue_is_in_the_reflog_in_the_updates_words(conflict):
    put(conflict.child, {"a": "both\n"})
    conflict.git("add", "a")
    assert conflict.update("--continue").code == 0
    for name in ("HEAD", "main"):
        line = conflict.git("reflog", "show", "-1", "--format=%gs", name)
        assert line == "tmplgen update: 1.0.0 -> 1.1.0"
