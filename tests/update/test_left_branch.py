"""HEAD comes back only to what was left: never onto a branch that has moved, or is gone."""

import shutil

import pytest

from .faults import clone_folder, fault, points, sizes, told_of
from .scenarios import LONG, lines
from .world import assert_sound, files_on_disk, stocked

THEIRS = {"a": lines(20, {5: "theirs"}), "b": lines(20, {5: "theirs"}), "added": "new\n"}
# What waits when the branch moves: how it was begun, and the branch that was made for it.
WAITS = {
    "pick": (["--branch", "nb"], "nb"),
    "merge": (["--branch", "nb", "--strategy", "merge"], "nb"),
    "staged": (["--branch", "nb", "--no-commit"], "nb"),
    "rebase": (["--strategy", "rebase"], None),
    "rebase-later": (["--strategy", "rebase"], None),
}
MOVED = {
    "moved": ["update-ref", "refs/heads/main", "ahead"],
    "gone": ["update-ref", "-d", "refs/heads/main"],
    "renamed": ["branch", "-m", "main", "trunk"],
}


@stocked
def project(world):
    """Two commits that conflict with the new version, and one beside main."""
    world.release("1.0.0", {"a": LONG, "b": LONG, "gone": LONG})
    world.new()
    world.edit({"a": lines(20, {5: "mine"})})
    world.edit({"b": lines(20, {5: "mine"})})
    world.git("checkout", "-q", "-b", "ahead")
    world.edit({"hotfix": "hot\n"})
    world.git("checkout", "-q", "main")
    world.release("1.1.0", THEIRS)


def begin(world, how):
    """Waits for a person; returns the commit and the files that were left."""
    if how == "staged":
        world.edit({"a": LONG, "b": LONG}, "as it was")
    left = world.git("rev-parse", "HEAD"), files_on_disk(world.child)
    done = world.update(*WAITS[how][0])
    assert done.code == (0 if how == "staged" else 5), done.out
    if how == "rebase-later":
        solve(world, "a")
        assert world.update("--continue").code == 5
    return left


def solve(world, path):
    (world.child / path).write_text(THEIRS[path])
    world.git("add", path)


def refs(world):
    return world.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads")


def assert_on_no_branch(world, left, before, aside=False):
    """At the old commit with the old files; no branch is other than before."""
    if aside:  # what a person had typed lies there
        shutil.rmtree(world.child / ".git/tmplgen/trash", ignore_errors=True)
    commit, files = left
    assert world.git("rev-parse", "HEAD") == commit
    assert world.git("rev-parse", "--abbrev-ref", "HEAD") == "HEAD"
    assert world.git("status", "--porcelain") == ""
    assert files_on_disk(world.child) == files
    assert refs(world) == before
    assert_sound(world)


def without(name, text):
    return "\n".join(it for it in text.split("\n") if not it.startswith(f"refs/heads/{name} "))


@pytest.mark.parametrize("moved", MOVED)
@pytest.mark.parametrize("how", WAITS)
def test_abort_leaves_head_at_the_old_commit_where_the_branch_moved(project, how, moved):
    left = begin(project, how)
    project.git(*MOVED[moved])
    before = without("nb", refs(project))
    done = project.update("--abort")
    assert (done.code, done.json["result"]) == (3, "aborted")
    what = "has moved" if moved == "moved" else "is gone"
    assert done.json["left"] == {"branch": "main", "what": what, "commit": left[0]}
    assert_on_no_branch(project, left, before)
    for step in done.json["next"]:
        words = step["run"].replace("NAME", "mine").split()
        project.git(*words[1:])
        assert project.git("status", "--porcelain") == ""
    assert project.update("--check").code == 6


@pytest.mark.parametrize("how", WAITS)
def test_abort_goes_back_to_a_branch_that_came_back(project, how):
    left = begin(project, how)
    project.git(*MOVED["moved"])
    project.git("update-ref", "refs/heads/main", left[0])
    assert project.update("--abort").code == 0
    assert project.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert (project.git("rev-parse", "HEAD"), files_on_disk(project.child)) == left


def test_the_words_say_what_is_not_as_it_was(project):
    left = begin(project, "rebase")
    project.git(*MOVED["moved"])
    done = project.tmplgen("update", "--abort", cwd=project.child)
    assert done.out.startswith(
        f"Files and index are as they were; but 'main' has moved: HEAD is at {left[0][:10]}, "
        "on no branch\n"
    )
    assert "git switch main" in done.out and "git switch -c NAME" in done.out


@pytest.mark.parametrize("moved", MOVED)
def test_a_replay_does_not_go_on_over_a_branch_that_moved(project, moved):
    left = begin(project, "rebase")
    project.git(*MOVED[moved])
    solve(project, "a")
    before, files = refs(project), files_on_disk(project.child)
    done = project.update("--continue")
    assert (done.code, done.error["code"]) == (3, "branch-moved")
    assert "--abort" in done.error["hint"]
    assert (refs(project), files_on_disk(project.child)) == (before, files)
    assert project.update("--abort").code == 3
    assert_on_no_branch(project, left, before, aside=True)


def test_what_a_person_committed_at_a_stop_goes_back_to_the_old_commit(project):
    left = begin(project, "rebase")
    (project.child / "a").write_text(lines(20, {5: "both"}))
    project.git("commit", "-qam", "resolved")
    project.edit({"more": "mine\n"})
    project.git(*MOVED["moved"])
    before = refs(project)
    assert project.update("--abort").code == 3
    assert_on_no_branch(project, left, before)


@sizes(few=(4, 2), sample=(12, 2))
@pytest.mark.parametrize("kind", ["kill", "error"])
@pytest.mark.parametrize("how", WAITS)
def test_an_abort_that_is_cut_off_ends_as_it_would_have(project, how, kind, size):
    left = begin(project, how)
    project.git(*MOVED["moved"])
    before = without("nb", refs(project))
    kept = project.folder / "kept"
    clone_folder(project.child, kept)

    def run(env):
        clone_folder(kept, project.child)
        return project.update("--abort", env=env)

    for at in points(run, size):
        run(fault(at, kind))
        with told_of(f"{kind} at call {at}"):
            done = project.update("--abort")
            assert done.code == 3, done.out
            assert_on_no_branch(project, left, before, aside=how == "rebase-later")
    shutil.rmtree(kept)


@sizes(few=(4, 2), sample=(12, 2))
@pytest.mark.parametrize("how", ["pick", "merge"])
def test_an_update_that_is_killed_goes_back_to_no_branch_that_moved(project, how, size):
    """Cut off anywhere, then main moves, then --abort."""
    project.edit({"a": LONG, "b": LONG}, "as it was")
    left = project.git("rev-parse", "HEAD"), files_on_disk(project.child)
    kept = project.folder / "kept"
    clone_folder(project.child, kept)

    def run(env):
        clone_folder(kept, project.child)
        return project.update(*WAITS[how][0], env=env)

    for at in points(run, size):
        run(fault(at, "kill"))
        if project.git("symbolic-ref", "HEAD") != "refs/heads/nb":
            continue
        project.git(*MOVED["moved"], check=False)  # our lock of HEAD may refuse it
        before = without("nb", refs(project))
        with told_of(f"killed at call {at}"):
            done = project.update("--abort")
            if project.git("rev-parse", "main") == left[0]:
                assert done.code == 0 or done.error["code"] == "nothing-in-progress"
            elif "left" in done.json:
                assert_on_no_branch(project, left, before)
            else:  # all of it was done
                assert done.error["code"] == "nothing-in-progress"
                assert project.git("symbolic-ref", "HEAD") == "refs/heads/nb"
    shutil.rmtree(kept)
