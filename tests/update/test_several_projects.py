"""Several projects in one repository: what waits is one project's, and another's is left alone."""

import subprocess

import pytest

from .faults import clone_folder, fault, points, told_of
from .scenarios import LONG, lines
from .world import assert_sound, files_on_disk, put

THEIRS = lines(20, {5: "theirs"})


@pytest.fixture
def several(world):
    """Two projects in folders; the new version conflicts with the first."""
    world.release("1.0.0", {"a": LONG, "b": LONG})
    world.child = world.folder / "mono"
    world.child.mkdir()
    world.git("init", "-q", "-b", "main", cwd=world.child)
    world.git("commit", "-q", "--allow-empty", "-m", "first", cwd=world.child)
    for name in ("svc/one", "two"):
        words = ["--type", "app", "--catalog", world.catalog, "--commit", "--name", "it"]
        assert world.tmplgen("new", world.child / name, *words).code == 0
    world.edit({"svc/one/a": lines(20, {5: "mine"})})
    world.release("1.1.0", {"a": THEIRS, "b": THEIRS})
    return world


def state(world):
    git = (world.child / ".git/index").read_bytes()
    return git, world.git("rev-parse", "HEAD", "CHERRY_PICK_HEAD"), files_on_disk(world.child)


def wait(world):
    assert world.update(child=world.child / "svc/one").code == 5
    put(world.child, {"svc/one/a": "resolved\n"})
    world.git("add", "svc/one/a")


@pytest.mark.parametrize("words", [[], ["--abort"], ["--continue"], ["--branch", "other"]])
def test_an_update_of_another_project_is_named_and_left_alone(several, words):
    wait(several)
    before = state(several)
    done = several.update(*words, child=several.child / "two")
    assert (done.code, done.error["code"]) == (3, "update-in-progress")
    assert "'svc/one'" in done.error["message"]
    assert state(several) == before
    assert several.update("--continue", child=several.child / "svc/one").code == 0
    assert several.update(child=several.child / "two").code == 0
    assert_sound(several)


@pytest.mark.parametrize("words", [[], ["--abort"], ["--continue"]])
def test_a_continue_that_was_cut_off_is_left_alone_too(several, words):
    wait(several)
    one, two = several.child / "svc/one", several.child / "two"
    kept = several.folder / "kept"
    clone_folder(several.child, kept)

    def run(env):
        clone_folder(kept, several.child)
        return several.update("--continue", child=one, env=env)

    for at in points(run, 12):
        run(fault(at, "kill"))
        before = several.read("a", one), several.git("rev-parse", "HEAD")
        with told_of(f"killed at call {at}"):
            if several.tmplgen("status", one, "--json").json["in_progress"]:
                done = several.update(*words, child=two)
                assert (done.code, done.error["code"]) == (3, "update-in-progress"), done.out
            assert (several.read("a", one), several.git("rev-parse", "HEAD")) == before
            several.update("--continue", child=one)
            assert several.git("show", "HEAD:svc/one/a") == "resolved"


def test_status_names_it_and_speaks_of_its_own_project(several):
    wait(several)
    done = several.tmplgen("status", several.child / "two", "--json").json
    assert done["in_progress"] is None and done["paths"] == []
    assert any("'svc/one'" in it for it in done["warnings"])
    own = several.tmplgen("status", several.child / "svc/one", "--json").json
    assert own["in_progress"] == "conflicts"


def test_commits_name_the_folder(several):
    wait(several)
    assert several.update("--continue", child=several.child / "svc/one").code == 0
    assert several.update(child=several.child / "two").code == 0
    subjects = several.git("log", "-2", "--format=%s").splitlines()
    what = "Update template app of demo from 1.0.0 to 1.1.0"
    assert subjects == [f"two: {what}", f"svc/one: {what}"]


def test_four_at_once_are_updated_one_after_the_other(several):
    """Who finds another at work is told to wait; nothing is lost or mixed."""
    put(several.child, {"svc/one/a": LONG})
    several.commit("as it was")
    words = ["--type", "app", "--catalog", f"{several.catalog}@v1.0.0", "--commit", "--name", "it"]
    for name in ("three", "four"):
        assert several.tmplgen("new", several.child / name, *words).code == 0
    names = {"svc/one", "two", "three", "four"}
    left = set(names)
    for _ in names:
        command = [several.binary, "update", "--json"]
        runs = {
            name: subprocess.Popen(
                [*command, several.child / name],
                env=several.env,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for name in sorted(left)
        }
        for name, it in runs.items():
            it.communicate()
            assert it.returncode in (0, 3)
            if it.returncode == 0:
                left.discard(name)
    assert left == set()
    for name in names:
        assert several.read("a", several.child / name) == THEIRS
    assert several.git("status", "--porcelain") == ""
    assert_sound(several)
