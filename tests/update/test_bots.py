"""For bots: the summary of a pull request, conflicts on a branch, a branch made anew."""

import fcntl
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from markdown_it import MarkdownIt

from .faults import calls_of, clone_folder, fault, points, sizes, told_of
from .scenarios import LONG, lines
from .world import RECORD, assert_sound, files_on_disk, put, snapshot, stocked

GONE = "".join(f"gone {i}\n" for i in range(20))
MINE, THEIRS = lines(20, {5: "mine"}), lines(20, {5: "theirs"})
COMMIT = ("--on-conflict", "commit")
BRANCH = ("--branch", "bot/template")
EVIL = "x`y|*<b>@ann #1 ![](//evil) \"'"


@stocked
def project(world):
    """A conflict, pushed to a remote that others clone."""
    world.release("1.0.0", {"a": LONG, "b": LONG, "gone": GONE})
    world.new()
    world.edit({"a": MINE, "gone": GONE + "mine\n"})
    world.release("1.1.0", {"a": THEIRS, "b": THEIRS})
    world.git("init", "-q", "--bare", "origin.git", cwd=world.folder)
    world.git("remote", "add", "origin", world.folder / "origin.git")
    world.git("push", "-q", "-u", "origin", "main")


def clone(world, name="clone", *args):
    source = f"file://{world.folder / 'origin.git'}"
    world.git("clone", "-q", *args, source, name, cwd=world.folder)
    return world.folder / name


# ---------------------------------------------------------------- conflicts on a branch


def test_conflicts_are_committed_pushed_and_settled_in_a_clone(project):
    done = project.update(*COMMIT, *BRANCH)
    assert (done.code, done.json["result"]) == (5, "conflicts")
    assert done.json["commit"] == project.git("rev-parse", "bot/template")
    assert done.paths == {"a": "conflict", "b": "updated", "gone": "conflict"}
    assert {p["path"]: p["theirs"] for p in done.json["paths"]} == {
        "a": "a.tmplgen-theirs",
        "b": None,
        "gone": None,
    }
    assert project.git("status", "--porcelain") == ""
    assert_sound(project)
    project.git("push", "-q", "origin", "bot/template")

    there = clone(project, "reviewer", "-b", "bot/template")
    assert project.read("a", there) == MINE
    assert project.read("gone", there) == GONE + "mine\n"
    assert project.read("a.tmplgen-theirs", there) == THEIRS
    assert 'version: "1.1.0"' in project.read(RECORD, there)
    status = project.tmplgen("status", there, "--json").json
    assert status["in_progress"] is None
    assert any("'a.tmplgen-theirs'" in warning for warning in status["warnings"])
    put(there, {"a": THEIRS, "a.tmplgen-theirs": None})
    project.commit("taken over", cwd=there)
    project.release("1.2.0", {"a": lines(20, {5: "theirs", 9: "newer"}), "b": THEIRS})
    done = project.update(child=there)
    assert (done.code, done.paths) == (0, {"a": "updated"})
    assert not done.json["warnings"]


def test_dry_run_of_a_committed_conflict_foresees_it(project):
    before = snapshot(project)
    dry = project.update(*COMMIT, "--dry-run")
    assert snapshot(project) == before
    assert "a.tmplgen-theirs" in dry.json["diff"]
    real = project.update(*COMMIT)
    assert (dry.code, dry.json["paths"]) == (real.code, real.json["paths"])


def test_next_update_warns_of_what_was_not_taken_over_and_takes_another_name(project):
    project.update(*COMMIT)
    project.release("1.2.0", {"a": lines(20, {5: "newer"}), "b": THEIRS})
    done = project.update(*COMMIT)
    assert done.code == 5
    assert any("'a.tmplgen-theirs'" in warning for warning in done.json["warnings"])
    assert done.json["paths"][0]["theirs"] == "a.tmplgen-theirs-2"
    assert project.read("a.tmplgen-theirs") == THEIRS
    assert project.read("a.tmplgen-theirs-2") == lines(20, {5: "newer"})
    assert project.read("a") == MINE
    assert project.update().json["result"] == "up-to-date"


def test_theirs_is_never_taken_for_a_renamed_file(project):
    """It has just the content of the new base, and the child deletes that file now."""
    project.update(*COMMIT)
    project.edit({"a": None})
    project.release("1.2.0", {"a": lines(20, {5: "theirs", 9: "newer"}), "b": THEIRS})
    done = project.update()
    assert (done.code, done.paths) == (0, {"a": "kept-deleted"})
    assert project.read("a.tmplgen-theirs") == THEIRS


def test_an_untracked_file_of_that_name_stays(project):
    put(project.child, {"a.tmplgen-theirs": "mine\n", ".git/info/exclude": "*-theirs\n"})
    done = project.update(*COMMIT)
    assert done.json["paths"][0]["theirs"] == "a.tmplgen-theirs-2"
    assert project.read("a.tmplgen-theirs") == "mine\n"


SHAPES = {
    "binary": ({"f": b"\0" * 80 + b"1"}, {"f": b"\0" * 80 + b"2"}, {"f": b"\0" * 80 + b"3"}),
    "both-added": ({}, {"f": "mine\n"}, {"f": "theirs\n"}),
    "delete-edit": ({"f": LONG}, {"f": MINE}, {}),
    "link": ({"f": LONG}, {"f": ("l", "elsewhere")}, {"f": THEIRS}),
    "below-link": ({}, {"d": ("l", "elsewhere")}, {"d/f": "theirs\n"}),
    "folder-there": ({}, {"f/mine": "mine\n"}, {"f": "theirs\n"}),
    "file-there": ({"d": LONG}, {"d": MINE}, {"d/f": "theirs\n"}),
    "mode": ({"f": LONG}, {"f": MINE}, {"f": ("x", THEIRS)}),
    "renamed-by-child": ({"f": LONG}, {"g": MINE, "f": None}, {"f": THEIRS}),
}
BESIDE = {
    "binary": {"f.tmplgen-theirs"},
    "both-added": {"f.tmplgen-theirs"},
    "link": {"f.tmplgen-theirs"},
    "below-link": {"d.tmplgen-theirs/f"},
    "folder-there": {"f.tmplgen-theirs"},
    "mode": {"f.tmplgen-theirs"},
    "renamed-by-child": {"g.tmplgen-theirs"},
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("sub", ["", pytest.param("services/a", marks=pytest.mark.full)])
def test_every_kind_of_conflict_can_be_committed(world, shape, sub):
    base, mine, theirs = SHAPES[shape]
    world.release("1.0.0", {"keep": "k\n", **base})
    if sub:
        world.child.mkdir()
        world.git("init", "-q")
        world.new("--no-git", path=world.child / sub)
        world.commit("new")
    else:
        world.new()
    child = world.child / sub
    put(child, mine)
    world.commit("mine")
    before = files_on_disk(child)
    world.release("1.1.0", {"keep": "k\n", **theirs})
    done = world.update(*COMMIT, child=child)
    assert done.code == 5, done.out
    assert {p["theirs"] for p in done.json["paths"]} - {None} == BESIDE.get(shape, set())
    after = files_on_disk(child)
    moved = {"d": "d~HEAD"} if shape == "file-there" else {}
    for path in {"f", "g", "d", "f/mine"} & set(before):
        assert after[moved.get(path, path)][1] == before[path][1], path
    assert world.git("status", "--porcelain") == ""
    assert_sound(world)
    assert world.update(child=child).json["result"] == "up-to-date"
    text = world.read("keep", child)
    assert text == "k\n"


def test_what_committing_conflicts_does_not_go_with(project):
    for args in (("--on-conflict", "x"), (*COMMIT, "--no-commit"), ("--refresh",), ("--message=",)):
        assert project.update(*args).code == 2, args
    assert project.update("--check", *COMMIT).code == 2


# ---------------------------------------------------------------- the branch made anew


def refresh(world, child=None, code=0, *args):
    done = world.update(*BRANCH, "--refresh", *args, child=child)
    assert done.code == code, done.out
    return done


@stocked
def pushed(world):
    """The bot's branch of last week, here and at the remote; main has gone on since."""
    world.release("1.0.0", {"a": LONG, "b": LONG})
    world.new()
    world.git("init", "-q", "--bare", "origin.git", cwd=world.folder)
    world.git("remote", "add", "origin", world.folder / "origin.git")
    world.git("push", "-q", "-u", "origin", "main")
    world.release("1.1.0", {"a": THEIRS, "b": LONG})
    done = refresh(world)
    assert done.json["branch"] == {"name": "bot/template", "renewed_from": None}
    world.git("push", "-q", "origin", "bot/template")
    world.git("switch", "-q", "main")
    world.edit({"own": "more\n"})
    world.git("push", "-q")
    world.release("1.2.0", {"a": THEIRS, "b": THEIRS})


def test_refresh_makes_the_branch_anew_and_it_can_be_pushed(pushed):
    old = pushed.git("rev-parse", "bot/template")
    done = refresh(pushed)
    assert done.json["branch"] == {"name": "bot/template", "renewed_from": old}
    assert done.paths == {"a": "updated", "b": "updated"}
    assert pushed.git("rev-parse", "HEAD^") == pushed.git("rev-parse", "main")
    assert pushed.git("symbolic-ref", "HEAD") == "refs/heads/bot/template"
    push = next(s["run"] for s in done.json["next"] if s["run"].startswith("git push"))
    pushed.git(*push.replace("REMOTE", "origin").split()[1:])
    assert_sound(pushed)


def test_refresh_in_a_fresh_clone_knows_the_remotes_branch(pushed):
    there = clone(pushed)
    done = refresh(pushed, there)
    old = pushed.git("rev-parse", "refs/remotes/origin/bot/template", cwd=there)
    assert done.json["branch"]["renewed_from"] == old
    pushed.git("push", "-q", "--force-with-lease", "origin", "bot/template", cwd=there)


def test_refresh_in_a_fresh_clone_takes_what_the_remote_has_already(pushed):
    refresh(pushed)
    pushed.git("push", "-q", "--force", "origin", "bot/template")
    there = clone(pushed)
    tip = pushed.git("rev-parse", "refs/remotes/origin/bot/template", cwd=there)
    who = {"GIT_COMMITTER_NAME": "Bot", "GIT_COMMITTER_DATE": "1800000000 +0000"}
    done = pushed.update(*BRANCH, "--refresh", child=there, env=who)
    assert (done.code, done.json["result"], done.json["commit"]) == (0, "updated", tip)
    assert pushed.git("rev-parse", "HEAD", cwd=there) == tip
    assert pushed.git("symbolic-ref", "HEAD", cwd=there) == "refs/heads/bot/template"
    assert pushed.git("status", "--porcelain", cwd=there) == ""
    assert_sound(pushed, there)


FETCH = "git remote set-branches --add origin 'bot/*' && git fetch origin"


def fetch_bots(world, where):
    text = (Path(__file__).parents[2] / "docs" / "update.md").read_text()
    assert f"    {FETCH}\n" in text
    subprocess.run(FETCH, cwd=where, env=world.env, shell=True, check=True, capture_output=True)


@pytest.mark.parametrize("how", ["--single-branch", "--depth=1"])
def test_refresh_in_a_clone_of_one_branch_by_the_documented_fetch(pushed, how):
    pushed.edit({"own": "and more\n"})
    pushed.git("push", "-q")
    there = clone(pushed, "one", how)
    fetch_bots(pushed, there)
    if how == "--depth=1":
        done = refresh(pushed, there, 3)
        assert "git fetch --unshallow" in done.error["hint"]
        pushed.git("fetch", "-q", "--unshallow", cwd=there)
    done = refresh(pushed, there)
    old = pushed.git("rev-parse", "refs/remotes/origin/bot/template", cwd=there)
    assert done.json["branch"]["renewed_from"] == old
    pushed.git("push", "-q", "--force-with-lease", "origin", "bot/template", cwd=there)

    other = clone(pushed, "other")
    pushed.git("switch", "-q", "bot/template", cwd=other)
    add_commit(pushed, other)
    pushed.git("push", "-q", "origin", "bot/template", cwd=other)
    again = clone(pushed, "again", "--single-branch")
    fetch_bots(pushed, again)
    assert refresh(pushed, again, 3).error["code"] == "foreign-commit"


def test_refresh_of_what_is_new_already_changes_nothing(pushed):
    refresh(pushed)
    pushed.git("switch", "-q", "main")
    before = snapshot(pushed)
    done = refresh(pushed)
    assert done.json["result"] == "up-to-date"
    assert done.json["commit"] == pushed.git("rev-parse", "bot/template")
    assert snapshot(pushed) == before


def amend(world, where):
    world.git("commit", "-q", "--amend", "-m", "better words", cwd=where)


def amend_content(world, where):
    put(where, {"a": MINE})
    world.git("commit", "-q", "-a", "--amend", "--no-edit", cwd=where)


def add_commit(world, where):
    put(where, {"fix": "fix\n"})
    world.commit("fix", cwd=where)


def empty_commit(world, where):
    world.commit("retrigger", cwd=where)


def rebase(world, where):
    world.git("rebase", "-q", "origin/main", cwd=where)


def merge_main(world, where):
    world.git("merge", "-q", "--no-edit", "origin/main", cwd=where)


@pytest.mark.parametrize(
    "work", [amend, amend_content, add_commit, empty_commit, rebase, merge_main]
)
@pytest.mark.parametrize("at", ["local", pytest.param("remote", marks=pytest.mark.full)])
def test_refresh_refuses_what_somebody_else_did(pushed, work, at):
    if at == "local":
        pushed.git("switch", "-q", "bot/template")
        work(pushed, pushed.child)
        foreign = pushed.git("rev-parse", "HEAD")
        pushed.git("switch", "-q", "main")
    else:
        there = clone(pushed)
        pushed.git("switch", "-q", "bot/template", cwd=there)
        work(pushed, there)
        foreign = pushed.git("rev-parse", "HEAD", cwd=there)
        pushed.git("push", "-q", "--force", "origin", "bot/template", cwd=there)
        pushed.git("fetch", "-q", "origin")
    before = snapshot(pushed)
    done = refresh(pushed, None, 3)
    assert done.error["code"] == "foreign-commit"
    assert foreign[:12] in done.error["message"]
    assert snapshot(pushed) == before


def test_refresh_refuses_what_somebody_pushed(pushed):
    there = clone(pushed)
    pushed.git("switch", "-q", "bot/template", cwd=there)
    add_commit(pushed, there)
    pushed.git("push", "-q", "origin", "bot/template", cwd=there)
    pushed.git("fetch", "-q", "origin")
    done = refresh(pushed, None, 3)
    assert "origin/bot/template" in done.error["message"]


def test_refresh_refuses_what_lies_below_its_own_commit(pushed):
    """Somebody's commit first, tmplgen's on top of it."""
    pushed.git("branch", "-D", "bot/template")
    pushed.git("update-ref", "-d", "refs/remotes/origin/bot/template")
    pushed.git("switch", "-q", "--detach", "main")
    foreign = pushed.edit({"theirs": "x\n"})
    refresh(pushed)
    pushed.git("switch", "-q", "main")
    done = refresh(pushed, None, 3)
    assert (done.error["code"], foreign[:12] in done.error["message"]) == ("foreign-commit", True)


def test_refresh_of_the_branch_that_one_is_on_is_refused(pushed):
    pushed.git("switch", "-q", "bot/template")
    done = refresh(pushed, None, 3)
    assert done.error["code"] == "on-branch"


@pytest.mark.parametrize("name", ["a..b", "../../../x", "-x", "x.lock", "bot/template/more"])
def test_refresh_of_no_name_for_a_branch_is_refused(pushed, name):
    before = snapshot(pushed)
    done = pushed.update(f"--branch={name}", "--refresh")
    assert done.error["code"] in ("usage", "branch-exists"), done.out
    assert snapshot(pushed) == before


def test_refresh_of_a_branch_in_another_work_tree_is_refused(pushed):
    pushed.git("worktree", "add", "-q", pushed.folder / "other", "bot/template")
    done = refresh(pushed, None, 3)
    assert done.error["code"] == "branch-in-use"


def test_without_refresh_the_branch_is_refused_as_ever(pushed):
    done = pushed.update(*BRANCH)
    assert (done.code, done.error["code"]) == (3, "branch-exists")


def test_abort_of_a_refresh_brings_the_old_branch_back(pushed):
    old = pushed.git("rev-parse", "bot/template")
    pushed.edit({"b": MINE})
    before = snapshot(pushed)
    refresh(pushed, None, 5)
    assert pushed.git("rev-parse", "bot/template") == pushed.git("rev-parse", "main")
    assert pushed.update("--abort").json["result"] == "aborted"
    assert pushed.git("rev-parse", "bot/template") == old
    assert snapshot(pushed) == before


# ---------------------------------------------------------------- killed on the way


def tips(world, child):
    """HEAD, branches, index and files: what is there for a user."""
    seen = snapshot(world, child)
    head = (child / ".git/HEAD").read_text()
    return {"head": head, **{name: seen[name] for name in ("refs", "index", "files")}}


def strike(world, child, env):
    args = (*BRANCH, *COMMIT, "--refresh")
    return world.update(*args, child=child, env=env)


@pytest.fixture
def struck(pushed):
    """A conflict is to be committed on a branch that is to be made anew."""
    pushed.edit({"b": MINE})
    return pushed


@sizes(few=(4, 1), sample=(50, 1))
def test_killed_anywhere_the_branch_is_as_it_was_or_anew(struck, size):
    world, pristine = struck, struck.copy("pristine")
    run = world.folder / "run"
    clone_folder(pristine, run)
    old = tips(world, run)
    chosen = points(lambda env: strike(world, run, env), size)
    new = tips(world, run)
    assert old["refs"] != new["refs"]
    for at in chosen:
        for back in (True, False):
            clone_folder(pristine, run)
            assert strike(world, run, fault(at, "kill")).code == -9
            with told_of(f"killed at call {at}, back: {back}"):
                assert_old_or_anew(world, run, old, new, back)


def assert_old_or_anew(world, run, old, new, back):
    pending = world.tmplgen("status", run, "--json").json["in_progress"]
    if back:
        done = world.update("--abort", child=run)
        assert done.code in (0, 3), done.out
        assert tips(world, run)["files"] in (old["files"], new["files"])
        assert done.code == 3 or tips(world, run) == old
    elif pending:
        done = world.update(child=run)
        assert (done.code, done.json["result"]) == (5, "conflicts"), done.out
        assert done.json["commit"] == world.git("rev-parse", "HEAD", cwd=run)
        assert tips(world, run)["files"] == new["files"]


# ---------------------------------------------------------------- the summary


def parse(text: str):
    """Tokens, tables among them; HTML would be one."""
    return MarkdownIt("commonmark").enable("table").parse(text)


def headings(text: str) -> list[str]:
    tokens = parse(text)
    return [tokens[i + 1].content for i, t in enumerate(tokens) if t.type == "heading_open"]


def inline(tokens) -> list:
    return [child for token in tokens for child in token.children or []]


def test_summary_is_the_report_in_markdown(project):
    target = project.folder / "summary.md"
    done = project.update(*COMMIT, *BRANCH, "--summary", target)
    assert done.json["summary"] == str(target)
    text = target.read_text()
    assert headings(text) == ["Template `app`: `1.0.0` to `1.1.0`", "Conflicts", "What to do"]
    codes = [token.content for token in inline(parse(text)) if token.type == "code_inline"]
    assert {"a", "a.tmplgen-theirs", "gone", done.json["commit"]} <= set(codes)
    assert [s["run"] for s in done.json["next"]] == codes[-len(done.json["next"]) :]


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ((), 5, "There are conflicts"),
        (("--check",), 6, "An update is available"),
        (("--dry-run",), 5, "There would be conflicts"),
        (("--to", "v1.0.0"), 0, "up to date"),
    ],
)
def test_summary_is_written_whatever_the_result(project, args, code, words):
    target = project.folder / "summary.md"
    done = project.update("--summary", target, *args)
    assert (done.code, words in target.read_text()) == (code, True)
    assert [p.name for p in project.folder.iterdir() if "tmplgen-summary" in p.name] == []


def test_summary_on_stdout_is_all_that_is_there(project):
    done = project.tmplgen("update", project.child, "--summary", "-", "--check")
    assert done.out.startswith("# Template `app`")
    assert project.update("--summary", "-").code == 2


def test_summary_that_cannot_be_written_ends_before_anything_is_changed(project):
    before = snapshot(project)
    (project.folder / "folder").mkdir()
    for target in ("missing/x", "folder", "/proc/x"):
        done = project.update("--summary", project.folder / target)
        assert (done.code, done.error["code"]) == (1, "io"), done.out
        assert snapshot(project) == before


def test_summary_in_the_work_tree_is_no_change_of_the_project(project):
    project.edit({"a": LONG, "gone": GONE, "tracked": "x\n"})
    for name in ("tracked", "a", "sub/../b"):
        (project.child / "sub").mkdir(exist_ok=True)
        done = project.update("--summary", project.child / name)
        assert (done.code, done.error["code"]) == (2, "usage"), name
    done = project.update("--summary", project.child / "summary.md")
    assert (done.code, done.json["result"]) == (0, "updated")
    assert project.git("status", "--porcelain") == "?? summary.md"
    assert_sound(project)


def pull_request(world, code, *args):
    """Its text, without the step that pushes."""
    target = world.folder / "pr.md"
    done = world.update(*BRANCH, "--refresh", *COMMIT, "--summary", target, *args)
    assert done.code == code, done.out
    text = target.read_text()
    push = next((line for line in text.splitlines() if "git push" in line), "")
    return done, text.replace(push, ""), push


@pytest.mark.parametrize("conflict", [False, True])
def test_summary_of_a_branch_that_stays_is_that_of_the_branch(pushed, conflict):
    if conflict:
        pushed.edit({"b": MINE})
    code = 5 if conflict else 0
    made, text, push = pull_request(pushed, code)
    assert "made anew" in push and "- Files: " in text
    pushed.git("switch", "-q", "main")
    done, again, push = pull_request(pushed, code)
    assert again == text
    assert "anew" not in push and "stayed" in push
    assert done.json["result"] == ("conflicts" if conflict else "up-to-date")
    assert (done.json["paths"], done.json["commit"]) == (made.json["paths"], made.json["commit"])
    assert done.json["branch"]["renewed_from"] == done.json["commit"]
    words = pushed.tmplgen("update", pushed.child, *BRANCH, "--refresh", *COMMIT).out
    assert "already" in words.splitlines()[0]


@pytest.mark.parametrize("mine", [False, True])
@pytest.mark.parametrize("how", [(), ("--no-commit",), COMMIT])
def test_summary_of_a_dry_run_says_would(world, mine, how):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"a": MINE if mine else LONG})
    world.release("1.1.0", {"a": THEIRS})
    text = world.tmplgen("update", world.child, "--dry-run", "--summary", "-", *how).out
    sentence = text.splitlines()[2]
    assert " would be " in sentence and " is updated" not in text and "which wait" not in text
    assert "nothing is changed yet" in sentence and "is kept" not in text


def test_drafts_of_killed_runs_are_removed_by_the_next(project):
    """Not those of a run that goes on, and nothing that only looks like one."""
    other = {".tmplgen-summary.md": "mine", ".tmplgen-summary.toolong1": "mine"}
    put(project.child, other)
    before = snapshot(project)
    for at in range(1, 9):
        killed = project.update("--summary", project.child / "pr.md", env=fault(at, "kill"))
        assert killed.code == -9
        drafts = {p.name for p in project.child.glob(".tmplgen-summary.*")} - set(other)
        if drafts:
            break
    assert len(drafts) == 1
    stale, busy = (project.child / f".tmplgen-summary.{tail}" for tail in ("aB3xYz", "cD4xYz"))
    put(project.child, {stale.name: "draft", busy.name: "draft"})
    with busy.open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        assert project.update("--check", "--summary", project.child / "pr.md").code == 6
        assert busy.exists() and not stale.exists()
    assert project.update("--check", "--summary", project.child / "pr.md").code == 6
    (project.child / "pr.md").unlink()
    assert snapshot(project) == before


def everything(world) -> dict:
    return {
        p: p.read_bytes()
        for p in sorted(world.folder.rglob("*"))
        if p.is_file() and not p.is_symlink() and p.name != "lock"
    }


GITS_OWN = ["index", "HEAD", "config", "refs/heads/main", "index.lock", "hooks/new", "new"]


@pytest.mark.parametrize("name", GITS_OWN)
def test_summary_over_a_file_of_gits_own_is_refused(project, name):
    put(project.folder, {"link": ("l", f"child/.git/{name}"), "into": ("l", "child/.git")})
    before = everything(project)
    paths = [project.child / ".git" / name, project.folder / "into" / name]
    if paths[0].exists():
        paths.append(project.folder / "link")
    for path in paths:
        for args in (("--check",), ("--to", "v1.0.0"), ()):
            done = project.update("--summary", path, *args)
            assert (done.code, done.error["code"]) == (2, "usage"), (path, args)
    assert everything(project) == before


def test_summary_over_what_makes_a_linked_work_tree_is_refused(project):
    other = project.folder / "other"
    project.git("worktree", "add", "-q", "-b", "other", other)
    real = project.child / ".git"
    before = everything(project)
    for path in (
        other / ".git",
        real / "worktrees" / "other" / "HEAD",
        real / "config",
        real / "packed-refs",
    ):
        done = project.update("--summary", path, child=other)
        assert (done.code, done.error["code"]) == (2, "usage"), path
    assert everything(project) == before


@pytest.mark.parametrize("args", [("--check",), ("--dry-run",), ("--to", "v1.0.0"), ()])
def test_summary_over_a_tracked_file_is_refused_whatever_the_run_is_for(project, args):
    project.edit({"README.md": "mine\n"})
    put(project.folder, {"link.md": ("l", "child/README.md")})
    before = snapshot(project)
    for path in (project.child / "README.md", project.folder / "link.md"):
        done = project.update("--summary", path, *args)
        assert (done.code, done.error["code"]) == (2, "usage"), path
    project.git("rm", "-q", "--cached", "README.md")
    done = project.update("--summary", project.child / "README.md", "--check")
    assert (done.code, done.error["code"]) == (2, "usage"), "HEAD has it still"
    project.git("add", "README.md")
    assert snapshot(project) == before


def test_summary_over_what_a_recovery_has_brought_is_refused(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.release("1.1.0", {"a": THEIRS, "new": "new\n"})
    pristine = world.copy("pristine")
    calls = calls_of(lambda env: world.update(env=env))
    at = next(call.number for call in calls if call.paths[-1].endswith("/tmplgen/journal"))
    clone_folder(pristine, world.child)
    world.update(env=fault(at + 1, "kill"))
    assert world.tmplgen("status", world.child, "--json").json["in_progress"]
    done = world.update("--summary", world.child / "new")
    assert (done.code, done.error["code"]) == (2, "usage")
    assert world.read("new") == "new\n"
    assert_sound(world)


def test_summary_goes_where_a_link_leads_and_keeps_the_mode(project):
    real = project.folder / "real.md"
    put(project.folder, {"real.md": "old\n", "link.md": ("l", "real.md")})
    real.chmod(0o640)
    project.update("--summary", project.folder / "link.md", "--check")
    assert (project.folder / "link.md").is_symlink()
    assert real.read_text().startswith("# Template")
    assert real.stat().st_mode & 0o777 == 0o640


def test_nothing_foreign_is_markup_a_mention_or_a_reference(world):
    """Names, versions, notes and warnings of somebody who wants to be more than text."""
    world.release("1.0.0", {"a": LONG, EVIL.replace("/", "_"): LONG})
    world.new()
    world.edit({"a": MINE, EVIL.replace("/", "_"): MINE})
    changes = "## 1.1.0\n\n```\n</pre><script>@ann\n~~~\n````\n<b>Fixes #1</b> @ann ![x](//evil)\n"
    template = (
        "description: a test\nstack: none\nmigrations:\n"
        '  - {from: "<9", note: "@ann <script> ``` # H"}\n'
    )
    new = {"a": THEIRS, EVIL.replace("/", "_"): THEIRS}
    world.release(
        "1.1.0",
        new,
        template=template,
        **{"CHANGELOG.md": changes},
    )
    target = world.folder / "summary.md"
    assert world.update(*COMMIT, "--summary", target).code == 5
    text = target.read_text()
    tokens = parse(text)
    kinds = {token.type for token in tokens} | {token.type for token in inline(tokens)}
    assert not kinds & {"html_block", "html_inline", "link_open", "image", "heading_open_x"}
    wanted = ["Conflicts", "What to do", "What is new", "To know", "1.1.0"]
    assert headings(text)[1:] == wanted
    plain = " ".join(token.content for token in inline(tokens) if token.type == "text")
    assert not re.search(r"@\w|#\d|https?:|www\.", plain), plain
    blocks = [token.content for token in tokens if token.type == "fence"]
    assert "Fixes #1" in blocks[1] and "~~~" in blocks[1]
    subject = world.git("log", "-1", "--format=%s")
    assert "@ann" not in subject and "#1" not in subject


def test_summary_of_very_many_paths_fits_what_forges_take(world):
    names = {f"{'d' * 150}/{'e' * 150}/{i:04}": LONG for i in range(400)}
    world.release("1.0.0", names)
    world.new()
    world.edit({name: lines(20, {15: "mine"}) for name in names})
    world.release("1.1.0", dict.fromkeys(names, THEIRS))
    target = world.folder / "summary.md"
    assert world.update("--summary", target).code == 0
    assert len(target.read_bytes()) < 65536
    assert "and 300 more" in target.read_text()
    shutil.rmtree(world.child)
