"""
What `update` promises, sentence by sentence, each under every strategy. Of all or nothing, and of
those who do something at the same time, test_faults.py and test_pauses.py are the proof.
"""

import os
import re

import pytest
from markdown_it import MarkdownIt

from .scenarios import LONG, lines, template
from .test_scenarios import assert_every_path_told, assert_idempotent, assert_nothing_lost
from .world import GIT_COMMANDS, STRATEGIES, assert_sound, files_on_disk, git_files, put, snapshot


def text(name, changes=None):
    """No file is like another one."""
    return lines(30, {i: f"{name} {i}" for i in range(1, 31)} | (changes or {}))


TEMPLATE = template("seed seed")
MIGRATION = "{from: '<1.1', note: Mind the gap, rename_files: {old-name: new-name}}"
RENAMED = TEMPLATE + f"migrations:\n  - {MIGRATION}\n"
OLD = {n: text(n) for n in ("updated", "merged", "kept-deleted", "deleted", "old-name", "seed")}
NEW = {
    **{n: text(n, {20: "theirs"}) for n in ("updated", "merged", "kept-deleted", "seed")},
    "new-name": text("old-name", {20: "theirs"}),
    "added": text("added"),
    "adopted": text("adopted"),
}
MINE = {
    "merged": text("merged", {3: "mine"}),
    "kept-deleted": None,
    "old-name": text("old-name", {3: "mine"}),
    "seed": text("seed", {3: "mine"}),
    "own": "own\n",
}
STATES = {
    "updated": "updated",
    "merged": "merged",
    "kept-deleted": "kept-deleted",
    "deleted": "deleted",
    "new-name": "renamed",
    "added": "added",
    "adopted": "adopted",
    "seed": "kept-yours",
}
NEWS = "# Changelog\n\n## 1.1.0\n\n- Faster gears (#7)\n\n## 1.0.0\n\n- first\n"


@pytest.fixture(params=[*STRATEGIES, "rebase"])
def strategy(request, world):
    world.strategy = request.param
    return request.param


@pytest.fixture(params=["clean", "conflict"])
def ready(request, world, strategy, stock):
    return stock.take(world, make_ready, request.param == "conflict")


def make_ready(world, conflicts):
    """An update in which every state of a path occurs."""
    world.conflicts = conflicts
    old, mine, new = dict(OLD), dict(MINE), dict(NEW)
    if world.conflicts:
        old["conflict"] = text("conflict")
        mine["conflict"] = text("conflict", {20: "mine"})
        new["conflict"] = text("conflict", {20: "theirs"})
    world.release("1.0.0", old, template=TEMPLATE)
    world.new()
    world.edit(mine)
    put(world.child, {"adopted": NEW["adopted"]})
    world.release("1.1.0", new, template=RENAMED, **{"CHANGELOG.md": NEWS})
    world.states = {**STATES, **({"conflict": "conflict"} if world.conflicts else {})}


def updated(world, *args):
    done = world.update(*args)
    assert done.code == (5 if world.conflicts else 0), done.out + done.err
    return done


def resolve(world):
    put(world.child, {"conflict": text("conflict", {20: "both"})})
    world.git("add", "conflict")
    done = world.update("--continue")
    assert done.code == 0, done.out
    return done


# It makes the child's own commits: there is none for notes, or for both sides of a conflict.
with_a_commit_of_its_own = pytest.mark.parametrize("strategy", STRATEGIES, indirect=True)


def base_of(world):
    root = world.git("rev-list", "--first-parent", "--max-parents=0", "HEAD")
    return world.listing(root)


def every_byte(world):
    return files_on_disk(world.child, times=True), git_files(world.child / ".git")


# ---------------------------------------------------------------- the report


def test_every_path_that_differs_has_one_line(ready):
    """Where child, base and new render differ; and no other path has one."""
    child, base = ready.listing(), base_of(ready)
    done = updated(ready)
    if ready.conflicts and ready.strategy == "rebase":
        done = resolve(ready)  # at a stop the lines are of the commit that it is at
        ready.states["conflict"] = "merged"
    assert done.paths == ready.states
    assert_every_path_told(ready, done.json, base, child)


def test_dry_run_prints_the_same_report_and_the_diff_of_the_result(ready):
    dry = updated(ready, "--dry-run")
    there = ready.copy("there")
    (there / "adopted").unlink()
    ready.git("apply", "-", cwd=there, stdin=(dry.json["diff"] + "\n").encode())
    done = updated(ready)
    assert dry.json["paths"] == done.json["paths"]
    if ready.conflicts:
        (there / "conflict").unlink()
        (ready.child / "conflict").unlink()
    assert files_on_disk(there) == files_on_disk(ready.child)


def test_dry_run_touches_nothing_not_even_the_object_database(ready):
    before = every_byte(ready)
    updated(ready, "--dry-run")
    assert every_byte(ready) == before


def test_no_content_disappears_without_a_line(ready):
    child, base = ready.listing(), base_of(ready)
    done = updated(ready)
    assert_nothing_lost(ready, done.json, base, child, ready.child)
    assert ready.read("own") == "own\n"


def test_a_second_run_is_a_no_op(ready):
    """`up-to-date`: no file is written anew, no object made."""
    updated(ready)
    if ready.conflicts:
        resolve(ready)
    assert_idempotent(ready)


# ---------------------------------------------------------------- nothing but the inputs

HOOKS = (
    *("pre-commit", "commit-msg", "prepare-commit-msg", "post-commit", "pre-rebase", "post-merge"),
    *("post-rewrite", "post-checkout", "reference-transaction", "pre-auto-gc"),
)


def git_configuration(world, child):
    for name, value in {
        "merge.conflictStyle": "merge",
        "merge.renames": "false",
        "diff.renames": "copies",
        "diff.algorithm": "patience",
        "core.quotePath": "true",
        "user.name": "Somebody Else",
        "merge.ff": "only",
    }.items():
        world.git("config", name, value, cwd=child)
    return {}


def hooks(world, child):
    put(child / ".git/hooks", dict.fromkeys(HOOKS, ("x", "#!/bin/sh\necho x >> own\nexit 1\n")))
    return {}


def locale(world, child):
    return {"env": {"LC_ALL": "tr_TR.UTF-8", "LANG": "C", "TZ": "Asia/Kathmandu"}}


def umask(world, child):
    return {"prefix": ("sh", "-c", 'umask 077; exec "$@"', "sh")}


def clock(world, child):
    for path in (child / "updated", child / "merged", child / ".git/index"):
        os.utime(path, (4102444800, 4102444800))
    date = {"GIT_AUTHOR_DATE": "1 +0000", "GIT_COMMITTER_DATE": "4102444800 +1400"}
    return {"env": date}


def cache(world, child):
    return {"env": {"XDG_CACHE_HOME": str(world.folder / "empty"), "HOME": str(world.folder)}}


def working_folder(world, child):
    return {"cwd": "/"}


SURROUNDINGS = [git_configuration, hooks, locale, umask, clock, cache, working_folder]


@pytest.mark.turns(8)
@pytest.mark.parametrize("surroundings", SURROUNDINGS)
def test_the_resulting_tree_depends_on_nothing_but_the_inputs(ready, surroundings):
    there = ready.copy("there")
    elsewhere = ready.update(child=there, **surroundings(ready, there))
    done = updated(ready)
    assert (elsewhere.code, elsewhere.json["paths"]) == (done.code, done.json["paths"])
    assert ready.git("ls-files", "-s", cwd=there) == ready.git("ls-files", "-s")
    assert {p: c for p, (_, c) in files_on_disk(there).items()} == {
        p: c for p, (_, c) in files_on_disk(ready.child).items()
    }


def test_commits_carry_the_users_identity(ready):
    who = {
        "GIT_AUTHOR_NAME": "Bo",
        "GIT_AUTHOR_EMAIL": "bo@x.org",
        "GIT_COMMITTER_NAME": "Cy",
        "GIT_COMMITTER_EMAIL": "cy@x.org",
    }
    if ready.strategy == "rebase":
        author = ready.git("log", "-1", "--format=%an <%ae>")
        done = ready.update(env=who)
        if ready.conflicts:
            put(ready.child, {"conflict": text("conflict", {20: "both"})})
            ready.git("add", "conflict")
            done = ready.tmplgen("update", ready.child, "--json", "--continue", env=who)
    else:
        author = "Bo <bo@x.org>"
        done = ready.update(*["--on-conflict", "commit"] * ready.conflicts, env=who)
    assert done.json["commit"] == ready.git("rev-parse", "HEAD")
    shown = ready.git("log", "-1", "--format=%an <%ae> %cn <%ce>")
    assert shown == f"{author} Cy <cy@x.org>"


def test_commits_are_never_signed_and_the_report_names_no_commit(ready):
    ready.git("config", "commit.gpgSign", "true")
    ready.git("config", "gpg.program", "false")
    done = updated(ready)
    named = "" if ready.strategy == "rebase" else "--no-commit"
    assert any("commit.gpgSign" in w and named in w for w in done.json["warnings"])
    if ready.conflicts:
        resolve(ready)
    assert "gpgsig" not in ready.git("cat-file", "commit", "HEAD")


def test_S_68_hooks_do_not_run(ready):
    hooks(ready, ready.child)
    updated(ready)
    if ready.conflicts:
        resolve(ready)
    assert ready.read("own") == "own\n"


def test_two_hops_and_one_hop_end_in_the_same_tree(world, strategy):
    world.release("1.0.0", {"a": LONG, "b": text("b"), "c": text("c")})
    world.new()
    world.edit({"a": lines(20, {3: "mine"}), "c": None})
    world.release("1.1.0", {"a": lines(20, {15: "theirs"}), "b": text("b"), "c": text("c")})
    short = world.copy("short")
    assert world.update().code == 0
    last = {"a": lines(20, {15: "theirs", 18: "more"}), "c": text("c", {5: "x"}), "d": text("d")}
    world.release("1.2.0", last)
    assert (world.update().code, world.update(child=short).code) == (0, 0)
    assert world.tree() == world.tree(child=short)
    assert world.read("a") == lines(20, {3: "mine", 15: "theirs", 18: "more"})


# ---------------------------------------------------------------- what it says


def test_the_report_starts_with_counts_and_ends_with_what_is_to_be_done(ready):
    words = ready.tmplgen("update", ready.child, "--strategy", ready.strategy).out
    blocks = words.rstrip("\n").split("\n\n")
    if ready.conflicts and ready.strategy == "rebase":
        assert re.match(r"Stopped at .* on the way from 1\.0\.0 to 1\.1\.0\n", blocks[0])
        assert "--continue" in blocks[-1]
        return
    first, counts = blocks[0].splitlines()[:2]
    assert first.startswith("Updated 1.0.0 -> 1.1.0")
    told = {word: int(n) for n, word in re.findall(r"(\d+) ([a-z ]+)", counts)}
    assert told.pop("files") == len(ready.states) == sum(told.values())
    assert blocks[-1].startswith("Next:\n")
    assert (f"{GIT_COMMANDS.get(ready.strategy)} --continue" in blocks[-1]) == ready.conflicts


@with_a_commit_of_its_own
def test_notes_are_shown_and_go_into_the_commits_body(ready):
    """Of the catalog's CHANGELOG.md and of migrations, also through a conflict."""
    done = updated(ready)
    assert {note["from"] for note in done.json["notes"]} == {"changelog", "migration"}
    shown = ready.tmplgen("update", ready.child, "--abort" if ready.conflicts else "--check")
    assert shown.code == 0
    if ready.conflicts:
        words = ready.tmplgen("update", ready.child, "--strategy", ready.strategy).out
        assert "Faster gears" in words and "Mind the gap" in words
        resolve(ready)
    body = ready.git("log", "-1", "--format=%b")
    assert "Faster gears (# 7)" in body and "Mind the gap" in body


def test_summary_writes_the_same_as_markdown(ready):
    target = ready.folder / "summary.md"
    done = updated(ready, "--summary", target)
    tokens = MarkdownIt().parse(target.read_text())
    inline = [child for token in tokens for child in token.children or []]
    code = {token.content for token in inline if token.type == "code_inline"}
    assert {"1.0.0", "1.1.0"} <= code
    assert {step["run"] for step in done.json["next"]} <= code
    assert ("conflict" in code) == ready.conflicts
    assert "Faster gears" in target.read_text() and "Mind the gap" in target.read_text()


@with_a_commit_of_its_own
def test_on_conflict_commit_keeps_yours_and_has_the_templates_beside(ready):
    done = updated(ready, "--on-conflict", "commit")
    assert done.json["commit"] == ready.git("rev-parse", "HEAD")
    assert ready.git("status", "--porcelain") == ""
    assert (ready.child / "conflict.tmplgen-theirs").exists() == ready.conflicts
    if ready.conflicts:
        assert ready.read("conflict") == text("conflict", {20: "mine"})
        assert ready.read("conflict.tmplgen-theirs") == text("conflict", {20: "theirs"})


REFRESH = ("--branch", "bot", "--refresh", "--on-conflict", "commit")


@with_a_commit_of_its_own
def test_refresh_renews_a_branch_that_only_tmplgen_committed_to(ready):
    updated(ready, *REFRESH)
    first = ready.git("rev-parse", "bot")
    ready.git("switch", "-q", "main")
    ready.release("1.2.0", {**NEW, "added": text("added", {4: "later"})}, template=RENAMED)
    (ready.child / "adopted").write_text(NEW["adopted"])
    done = ready.update(*REFRESH)
    assert done.code == (5 if ready.conflicts else 0), done.out
    assert ready.git("rev-parse", "bot^1") == ready.git("rev-parse", "main")
    assert ready.git("rev-parse", "bot") != first
    ready.edit({"foreign": "x\n"})
    ready.git("switch", "-q", "main")
    (ready.child / "adopted").write_text(NEW["adopted"])
    done = ready.update(*REFRESH)
    assert (done.code, done.error["code"]) == (3, "foreign-commit"), done.out


@pytest.mark.parametrize(
    ("args", "code", "word"),
    [((), 1, "unreachable-catalog"), (("--catalog", "/nowhere"), 2, "unknown-catalog")],
    ids=["unreachable", "mistyped"],
)
def test_a_catalog_that_cannot_be_reached_is_1_and_a_mistyped_one_2(ready, args, code, word):
    ready.catalog.rename(ready.folder / "away")
    before = snapshot(ready)
    done = ready.update(*args)
    assert (done.code, done.error["code"]) == (code, word), done.out
    assert snapshot(ready) == before
    assert_sound(ready)
