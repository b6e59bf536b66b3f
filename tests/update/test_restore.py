"""`update --restore`: which file a path means, and why one does not come back."""

import pytest

from .scenarios import LONG, lines, template
from .world import put, snapshot

MOVE = "  - {from: '<1.1', rename_files: {b: e/b}}\n"


@pytest.fixture
def deleted(world):
    """A child without three files that the template has; it changed them, and moved one."""
    files = {"a": LONG, "b": lines(30), "d/c": "1\n", "kept": "k\n", "dropped": "x\n"}
    world.release("1.0.0", files)
    world.new()
    world.edit({"b": None, "d/c": None, "dropped": None, "d/own": "o\n", "was": {"from": "a"}})
    world.release(
        "1.1.0",
        {"a": LONG, "e/b": lines(31), "d/c": "2\n", "kept": "k\n"},
        template=template(migrations=MOVE),
    )
    return world


def refused(world, path, why, **more):
    before = snapshot(world)
    done = world.update("--restore", path, **more)
    assert (done.code, done.error["code"]) == (2, "not-restorable"), done.out
    assert done.error["message"] == f"cannot restore '{path}': {why}"
    assert snapshot(world) == before
    return done.error


@pytest.mark.parametrize("path", ["d/c", "./d/c", "d//./c", "d/x/../c"])
def test_path_in_any_spelling(deleted, path):
    done = deleted.update("--restore", path)
    assert (done.code, done.paths["d/c"]) == (0, "added")
    assert deleted.read("d/c") == "2\n"


@pytest.mark.parametrize(
    ("folder", "path"), [("d", "c"), ("d", "../d/c"), ("d", "d/c"), ("..", "child/d/c")]
)
def test_path_seen_from_the_working_folder(deleted, folder, path):
    done = deleted.update("--restore", path, cwd=deleted.child / folder)
    assert (done.code, done.paths["d/c"]) == (0, "added")


def test_absolute_path(deleted):
    done = deleted.update("--restore", deleted.child / "d" / "c")
    assert (done.code, done.paths["d/c"]) == (0, "added")


@pytest.mark.parametrize("path", ["b", "e/b"])
def test_file_that_the_template_moved_comes_by_its_old_name_and_its_new(deleted, path):
    done = deleted.update("--restore", path)
    assert (done.code, done.paths["e/b"]) == (0, "added")
    assert deleted.read("e/b") == lines(31)


def test_file_that_is_only_deleted_on_disk_is_gits_to_bring_back(deleted):
    put(deleted.child, {"kept": None})
    error = refused(deleted, "kept", "it is only deleted on disk")
    assert "`git restore -- kept`" in error["hint"]


def test_why_not(deleted):
    refused(deleted, "kept", "it is there")
    refused(deleted, "d/own", "it is there")
    refused(deleted, "a", "it is there, as 'was'")
    refused(deleted, "dropped", "the template has it no more")
    refused(deleted, "nothing", "the template has no such file")
    refused(deleted, "../child2/kept", "the template has no such file")
    refused(deleted, "../../../../../../../..", "the template has no such file")


@pytest.mark.parametrize("other", [("--restore", "b"), ("--branch", "x"), ("--no-commit",)])
def test_check_only_says_whether_there_is_an_update(deleted, other):
    done = deleted.update("--check", *other)
    assert (done.code, done.error["code"]) == (2, "usage")
    assert other[0] in done.error["message"]


@pytest.mark.parametrize("command", ["update", "status", "diff"])
@pytest.mark.parametrize("path", ["nowhere", "nowhere/deep", "child/a/b", "child/kept"])
def test_path_that_is_no_folder_is_wrong_usage(deleted, command, path):
    put(deleted.child, {"a": "a\n"})
    done = deleted.tmplgen(command, deleted.folder / path, "--json")
    assert (done.code, done.error["code"]) == (2, "invalid-path")
