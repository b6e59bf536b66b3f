"""Rebase in histories as people have them: published, signed, empty, squashed, merged, moved."""

import os
import random
import re

import pytest

from .scenarios import LONG, lines
from .test_rebase_random import assert_everything, commits_of, everything, raw_commits
from .world import RECORD, assert_sound, files_on_disk, put, stocked

SEED = int(os.environ.get("TMPLGEN_SEED", "20261123"))

KEEPS = r"'refs/heads/(side-\d+)' keeps (\d+) of"
OLD = {"a": LONG, "run.sh": ("x", "#!/bin/sh\n"), "gone": lines(12, {1: "gone"})}
NEW = {"a": lines(20, {15: "theirs"}), "run.sh": ("x", "#!/bin/sh\n"), "new/x": "new\n"}
NEWER = {**NEW, "a": lines(20, {10: "newer", 15: "theirs"})}
MINE = lines(20, {3: "mine"})
BOTH = lines(20, {3: "mine", 15: "theirs"})


@stocked
def made(world):
    """A child as it was made, and a newer version."""
    make(world)


def make(world):
    world.release("1.0.0", OLD)
    world.new()
    world.release("1.1.0", NEW)


@stocked
def grown(world):
    """With three commits, which conflict with nothing."""
    make(world)
    world.edit({"a": MINE}, "one")
    world.edit({"own/x": "x\n"}, "two")
    world.edit({"own/x": "y\n"}, "three")


def rebase(world, *args, child=None):
    return world.update("--strategy", "rebase", *args, child=child)


def refused(world, code, *args, child=None):
    """Nothing is touched, and a dry run says the same."""
    where = child or world.child
    before = everything(world, where) if (where / ".git").is_dir() else None
    dry = rebase(world, "--dry-run", *args, child=child)
    done = rebase(world, *args, child=child)
    assert (done.code, done.error["code"]) == (3, code), done.out
    assert (dry.code, dry.error) == (3, done.error), dry.out
    assert done.error["hint"], done.out
    if before:
        assert_everything(world, where, before)
    return done.error


def replayed(world, *args, child=None, equal=True):
    """It went through, and its tree is the one that pick makes."""
    where = child or world.child
    copy = world.folder / "picked"
    if equal:
        world.git("clone", "-q", "--no-hardlinks", where, copy, cwd=world.folder)
        # A clone has the other's branches as remote ones, which do not matter to pick.
        pick = world.update(child=copy)
        assert pick.code == 0, pick.out
    old = commits_of(world, where)
    done = rebase(world, *args, child=child)
    assert (done.code, done.json["result"]) == (0, "updated"), done.out + done.err
    assert not equal or world.tree(where) == world.tree(copy)
    assert [entry["commit"] for entry in done.json["commits"]] in (old, old[1:])
    assert world.git("status", "--porcelain", cwd=where) == ""
    assert_sound(world, where)
    return done


def subjects(world, child=None) -> list:
    return world.git("log", "--reverse", "--format=%s", cwd=child).splitlines()


def states(done) -> dict:
    return {entry["subject"]: entry["state"] for entry in done.json["commits"]}


def warned(done, *words) -> bool:
    return any(all(word in text for word in words) for text in done.json["warnings"])


# ---------------------------------------------------------------- published


def with_remote(world):
    world.git("clone", "-q", "--bare", world.child, world.folder / "origin.git", cwd=world.folder)
    world.git("remote", "add", "origin", world.folder / "origin.git")
    world.git("fetch", "-q", "origin")


def test_S_119_a_branch_that_a_remote_has_is_refused(grown):
    with_remote(grown)
    tip = grown.git("rev-parse", "HEAD")
    grown.edit({"own/z": "z\n"}, "not pushed")
    error = refused(grown, "published")
    assert tip[:7] in error["message"] and "three" in error["message"], error
    assert "origin/main" in error["message"], error
    assert "--rewrite-published" in error["hint"], error


def test_S_119_so_is_one_whose_first_commits_alone_are_published(grown):
    grown.git("update-ref", "refs/remotes/origin/main", "HEAD~2")
    error = refused(grown, "published")
    assert grown.git("rev-parse", "HEAD~2")[:7] in error["message"], error


def test_S_119_a_remote_branch_of_another_history_does_not_matter(grown):
    other = grown.git("commit-tree", "-m", "other", "HEAD^{tree}")
    grown.git("update-ref", "refs/remotes/origin/pages", other)
    replayed(grown)


@pytest.mark.parametrize("annotated", [False, True])
def test_a_tag_counts_as_published(grown, annotated):
    grown.git("tag", *(["-m", "first", "-a"] if annotated else []), "release-1", "HEAD~1")
    error = refused(grown, "published")
    assert "release-1" in error["message"] and "two" in error["message"], error


def test_rewritten_with_leave_says_what_to_push_and_how(grown):
    with_remote(grown)
    grown.git("tag", "release-1", "HEAD~1")
    tip = grown.git("rev-parse", "HEAD")
    done = replayed(grown, "--rewrite-published")
    pushes = [step["run"] for step in done.json["next"] if "push" in step["run"]]
    assert pushes == [f"git push --force-with-lease=main:{tip} origin main"], done.json["next"]
    assert warned(done, "release-1"), done.json["warnings"]
    assert grown.git("rev-parse", "release-1~0") == grown.git("rev-parse", f"{tip}~1")
    grown.git(*pushes[0].split()[1:])
    bare = grown.folder / "origin.git"
    assert grown.git("rev-parse", "main", cwd=bare) == grown.git("rev-parse", "HEAD")


def test_on_a_new_branch_no_other_one_is_to_be_pushed(grown):
    """The branch that is checked out does not move: it is one that keeps the old commits."""
    with_remote(grown)
    done = rebase(grown, "--rewrite-published", "--branch", "topic")
    assert done.code == 0, done.out
    assert not [step for step in done.json["next"] if "--force" in step["run"]], done.json["next"]
    assert done.json["rewritten"] == []
    assert warned(done, "'refs/heads/main' keeps 4"), done.json["warnings"]


def test_the_lease_is_of_the_branch_that_is_made(grown):
    """Its name is taken at the remote, by another's work."""
    with_remote(grown)
    there = grown.git("rev-parse", "HEAD~1")
    grown.git("update-ref", "refs/remotes/origin/topic", there)
    done = rebase(grown, "--rewrite-published", "--branch", "topic")
    pushes = [step["run"] for step in done.json["next"] if "--force" in step["run"]]
    assert pushes == [f"git push --force-with-lease=topic:{there} origin topic"], done.out


def test_a_tag_that_names_a_branch_counts_as_published(grown):
    grown.git("branch", "stable", "HEAD~1")
    grown.git("symbolic-ref", "refs/tags/stable", "refs/heads/stable")
    assert "refs/tags/stable" in refused(grown, "published")["message"]


def test_a_tag_that_cannot_be_read_is_no_tag_that_has_nothing(grown):
    """Its object is gone from a damaged repository: what it has is not known."""
    grown.git("tag", "-a", "-m", "first", "release-1", "HEAD~1")
    tag = grown.git("rev-parse", "refs/tags/release-1")
    (grown.child / ".git/objects" / tag[:2] / tag[2:]).chmod(0o644)
    (grown.child / ".git/objects" / tag[:2] / tag[2:]).write_bytes(b"no object")
    done = rebase(grown)
    assert done.code != 0 and grown.git("rev-parse", "HEAD") == commits_of(grown, grown.child)[-1]
    assert "release-1" in done.error["message"], done.out


def damaged(world, old, new):
    """The last commit with a header that git itself would not write."""
    body = world.git("cat-file", "commit", "HEAD").encode() + b"\n"
    assert old in body
    put(world.folder, {"commit": body.replace(old, new)})
    name = world.folder / "commit"
    made = world.git("hash-object", "-t", "commit", "-w", "--literally", name)
    world.git("update-ref", "refs/heads/main", made)
    return made


@pytest.mark.parametrize(
    ("old", "new"), [(b"author ", b"nobody "), (b" <", b"\0 <")], ids=["no-author", "nul"]
)
def test_a_damaged_commit_is_named_and_not_written_anew(grown, old, new):
    commit = damaged(grown, old, new)
    done = rebase(grown)
    assert done.code == 1 and commit in done.error["message"], done.out
    assert grown.git("rev-parse", "HEAD") == commit


def test_the_lease_is_of_what_this_clone_has_seen(grown):
    """Somebody pushed since: the command that is named must not overwrite that."""
    with_remote(grown)
    other = grown.folder / "other"
    grown.git("clone", "-q", grown.folder / "origin.git", other, cwd=grown.folder)
    grown.edit({"theirs": "x\n"}, "pushed since", child=other)
    grown.git("push", "-q", cwd=other)
    done = rebase(grown, "--rewrite-published")
    assert done.code == 0, done.out
    command = next(step["run"] for step in done.json["next"] if "push" in step["run"])
    assert grown.git(*command.split()[1:], check=False).returncode != 0


def test_what_each_branch_keeps_is_told_through_any_merges(grown):
    """`git rev-list` is the judge: how many of the old commits each ref comes to."""
    dice = random.Random(SEED)
    old = grown.git("rev-list", "HEAD").split()
    made = list(old)
    for number in range(40):
        parents = dice.sample(made, dice.choice((1, 1, 2, 3)))
        flags = [word for parent in parents for word in ("-p", parent)]
        made.append(grown.git("commit-tree", "-m", f"side {number}", *flags, "HEAD^{tree}"))
        if dice.random() < 0.5:
            grown.git("branch", f"side-{number}", made[-1])
    done = replayed(grown, equal=False)
    told = dict(re.findall(KEEPS, "\n".join(done.json["warnings"])))
    kept = {
        name: len(set(grown.git("rev-list", name).split()) & set(old))
        for name in grown.git("branch", "--format=%(refname:short)", "--list", "side-*").split()
    }
    assert {name: int(count) for name, count in told.items()} == kept, f"seed {SEED}"


def test_of_a_thousand_tags_twenty_are_named(grown):
    first = grown.git("rev-list", "--max-parents=0", "HEAD")
    tags = "".join(f"create refs/tags/v{number} {first}\n" for number in range(1000))
    grown.git("update-ref", "--stdin", stdin=tags.encode())
    done = replayed(grown, "--rewrite-published", equal=False)
    assert sum("' keeps 1 of" in text for text in done.json["warnings"]) == 20
    (more,) = (text for text in done.json["warnings"] if "980 more refs" in text)
    command = more.split("`")[1].split()
    assert len(grown.git(*command[1:]).splitlines()) == 1000


# ---------------------------------------------------------------- dropped


def test_S_120_a_commit_that_equals_the_templates_change_is_dropped_and_told(grown):
    grown.edit({"a": lines(20, {3: "mine", 15: "theirs"})}, "the same fix")
    grown.edit({"own/z": "z\n"}, "last")
    done = replayed(grown)
    assert states(done)["the same fix"] == "dropped"
    entry = next(e for e in done.json["commits"] if e["subject"] == "the same fix")
    assert entry["to"] is None and entry["note"], entry
    assert subjects(grown)[-2:] == ["three", "last"]


def test_a_file_that_an_update_brought_is_followed_through_a_later_rename(grown):
    """The first commit never had it: what the dissolved update brought says which file it is."""
    text = lines(12, {1: "brought"})
    grown.release("1.2.0", {**NEWER, "new/x": text})
    assert grown.update().code == 0
    grown.edit({"new/x": lines(12, {1: "brought", 6: "mine"})}, "edits it")
    moved = {path: content for path, content in NEWER.items() if path != "new/x"}
    template = "description: a test\nstack: none\nmigrations:\n"
    template += "  - {from: '<1.3', rename_files: {new/x: elsewhere/x}}\n"
    grown.release("1.3.0", {**moved, "elsewhere/x": text}, template=template)
    done = replayed(grown)
    assert states(done)["edits it"] == "replayed"
    assert grown.read("elsewhere/x") == lines(12, {1: "brought", 6: "mine"})


def test_an_earlier_update_with_an_edit_of_its_own_is_replayed_as_that(grown):
    """--no-commit, then reviewed and changed: what it holds beyond the merge is the user's."""
    assert grown.update("--no-commit").code == 0
    put(grown.child, {"reviewed": "x\n", "new/x": "new, reviewed\n"})
    grown.commit("update, reviewed")
    grown.release("1.2.0", NEWER)
    done = replayed(grown)
    assert states(done)["update, reviewed"] == "replayed"
    changed = grown.git("diff", "--name-only", "HEAD~1", "HEAD").splitlines()
    assert sorted(changed) == ["new/x", "reviewed"]


def test_an_earlier_update_in_conflict_is_refused_by_name(made):
    made.edit({"a": lines(20, {15: "mine"})}, "mine")
    assert made.update().code == 5
    put(made.child, {"a": lines(20, {15: "both"})})
    made.git("add", "a")
    assert made.update("--continue").code == 0
    update = made.git("rev-parse", "HEAD")
    made.edit({"own": "x\n"}, "later")
    made.release("1.2.0", NEWER)
    error = refused(made, "update-conflicts")
    assert update[:7] in error["message"], error


def test_an_edit_of_what_the_template_dropped_is_a_conflict_never_dropped(grown):
    """git's own rebase says so, too: the file is gone from where the commit is replayed."""
    grown.edit({"gone": lines(12, {1: "gone", 6: "mine"})}, "edits it")
    done = rebase(grown)
    assert done.code == 5, done.out
    assert states(done)["edits it"] == "conflict"
    assert [p["path"] for p in done.json["paths"] if p["state"] == "conflict"] == ["gone"]


def test_what_was_edited_and_edited_back_is_not_hidden(grown):
    """pick sees no edit at the tip; the commits in between still cannot be replayed, or can."""
    grown.edit({"gone": lines(12, {1: "gone", 6: "mine"})}, "edits it")
    grown.edit({"gone": lines(12, {1: "gone"})}, "and back")
    done = rebase(grown)
    assert done.code == 5 and states(done)["edits it"] == "conflict", done.out
    assert grown.update("--abort").code == 0


# ---------------------------------------------------------------- commits of other kinds


def write_commit(world, tree, parents, headers, message) -> str:
    """Any commit object, on the branch."""
    person = "Signer <signer@example.com> 1600000000 -0130"
    head = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    head += [f"author {person}", f"committer {person}", *headers]
    body = "\n".join(head).encode() + b"\n\n" + message
    oid = world.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=body)
    world.git("reset", "-q", "--hard", oid)
    return oid


SIGNATURE = "\n ".join(
    ["gpgsig -----BEGIN PGP SIGNATURE-----", "", "iQEzBAAB", "=abcd", "-----END PGP SIGNATURE-----"]
)


def test_signatures_are_not_carried_over_and_told(grown):
    put(grown.child, {"signed": "x\n"})
    grown.git("add", "-A")
    tree, tip = grown.git("write-tree"), grown.git("rev-parse", "HEAD")
    write_commit(grown, tree, [tip], [SIGNATURE], b"signed\n")
    done = replayed(grown)
    assert states(done)["signed"] == "replayed"
    assert warned(done, "1 commit", "signed"), done.json["warnings"]
    raw = raw_commits(grown, grown.child, commits_of(grown, grown.child))
    assert not any("gpgsig" in headers for headers, _ in raw.values())
    assert grown.git("log", "-1", "--format=%an %at") == "Signer 1600000000"


def test_empty_commits_stay(grown):
    grown.commit("nothing, on purpose")
    grown.edit({"own/z": "z\n"}, "last")
    done = replayed(grown)
    assert set(states(done).values()) == {"replayed"}
    assert subjects(grown)[-2:] == ["nothing, on purpose", "last"]


def test_notes_stay_with_the_old_commits_and_that_is_told(grown):
    grown.git("notes", "add", "-m", "reviewed", "HEAD~1")
    notes = grown.git("rev-parse", "refs/notes/commits")
    done = replayed(grown)
    assert warned(done, "notes"), done.json["warnings"]
    assert grown.git("rev-parse", "refs/notes/commits") == notes


# ---------------------------------------------------------------- roots and merges


def test_an_octopus_in_the_range_is_refused_by_name(grown):
    tips = []
    for name in ("x", "y", "z"):
        grown.git("checkout", "-q", "-b", name, "main~1")
        tips.append(grown.edit({f"of-{name}": name}, f"of {name}"))
    grown.git("checkout", "-q", "main")
    grown.git("merge", "-q", "-m", "all three", *tips)
    octopus = grown.git("rev-parse", "HEAD")
    assert len(grown.git("rev-list", "--parents", "-1", "HEAD").split()) == 5
    grown.edit({"own/z": "z\n"}, "last")
    error = refused(grown, "merge-in-range")
    assert octopus[:7] in error["message"] and "all three" in error["message"], error


def test_an_amended_root_is_replayed_with_what_it_holds(made):
    """The first commit was amended with work of its own: all of that is the child's."""
    put(made.child, {"a": MINE, "own/x": "x\n"})
    made.git("add", "-A")
    made.git("commit", "-q", "--amend", "-m", "begun")
    made.edit({"own/x": "y\n"}, "second")
    done = replayed(made)
    assert states(done) == {"begun": "replayed", "second": "replayed"}
    assert made.read("a") == BOTH
    assert len(commits_of(made, made.child)) == 3


def test_a_squashed_history_is_one_commit_more(grown):
    """Even with an update in it: the record says what the one commit was made from."""
    assert grown.update().code == 0
    tree = grown.tree()
    grown.git("reset", "-q", "--hard", grown.git("commit-tree", "-m", "squashed", tree))
    grown.release("1.2.0", NEWER)
    replayed(grown)
    assert len(commits_of(grown, grown.child)) == 2
    assert grown.read("a") == lines(20, {3: "mine", 10: "newer", 15: "theirs"})


def test_a_root_without_a_record_is_refused_by_name(world):
    world.release("1.0.0", OLD)
    world.child.mkdir()
    world.git("init", "-q")
    root = world.edit({"before": "x\n"}, "before there was a template")
    source = world.folder / "source"
    world.new(path=source)
    for path in files_on_disk(source):
        put(world.child, {path: (source / path).read_bytes()})
    world.commit("taken over")
    world.release("1.1.0", NEW)
    error = refused(world, "unsound-root")
    assert root[:7] in error["message"], error


def test_a_root_whose_record_was_edited_is_refused_by_name(made):
    put(made.child, {RECORD: made.read(RECORD).replace("name: child", "name: other")})
    made.git("add", "-A")
    made.git("commit", "-q", "--amend", "-m", "made up")
    root = made.git("rev-parse", "HEAD")
    error = rebase(made)
    assert error.code == 3, error.out
    assert error.error["code"] in ("unsound-root", "edited-record"), error.out
    assert made.git("rev-parse", "HEAD") == root


def test_a_shallow_clone_is_refused_with_the_way_out(grown):
    url = f"file://{grown.child}"
    grown.git("clone", "-q", "--depth", "2", url, "shallow", cwd=grown.folder)
    shallow = grown.folder / "shallow"
    grown.git("remote", "remove", "origin", cwd=shallow)
    error = refused(grown, "shallow", child=shallow)
    assert "--unshallow" in error["hint"], error


# ---------------------------------------------------------------- other branches, other places


def test_commits_cherry_picked_to_a_release_stay_there(grown):
    """Other branches are left alone; those that still have replaced commits are named."""
    grown.git("checkout", "-q", "-b", "release", "main~2")
    grown.edit({"of-release": "x\n"}, "released")
    grown.git("cherry-pick", "main~1")
    release = grown.git("rev-parse", "release")
    grown.git("checkout", "-q", "main")
    done = replayed(grown)
    assert warned(done, "release"), done.json["warnings"]
    assert grown.git("rev-parse", "release") == release


def test_a_linked_work_tree_is_rebased(grown):
    grown.git("worktree", "add", "-q", "-b", "topic", "../linked")
    linked = grown.folder / "linked"
    main, files = grown.git("rev-parse", "main"), files_on_disk(grown.child)
    done = rebase(grown, child=linked)
    assert done.code == 0, done.out
    assert grown.git("symbolic-ref", "HEAD", cwd=linked) == "refs/heads/topic"
    assert grown.read("a", linked) == BOTH
    assert grown.git("status", "--porcelain", cwd=linked) == ""
    assert grown.git("rev-parse", "main") == main and files_on_disk(grown.child) == files
    assert warned(done, "main"), done.json["warnings"]
    assert_sound(grown, linked)


def test_a_linked_work_tree_is_stopped_continued_and_aborted(grown):
    grown.edit({"a": lines(20, {3: "mine", 15: "mine"})}, "in conflict")
    grown.git("worktree", "add", "-q", "-b", "topic", "../linked")
    linked = grown.folder / "linked"
    before = files_on_disk(linked), grown.git("rev-parse", "topic")
    assert rebase(grown, child=linked).code == 5
    assert grown.update("--abort", child=linked).code == 0
    assert (files_on_disk(linked), grown.git("rev-parse", "topic")) == before
    assert grown.git("symbolic-ref", "HEAD", cwd=linked) == "refs/heads/topic"
    assert rebase(grown, child=linked).code == 5
    put(linked, {"a": lines(20, {3: "mine", 15: "both"})})
    grown.git("add", "a", cwd=linked)
    assert grown.update("--continue", child=linked).code == 0
    assert subjects(grown, linked)[-1] == "in conflict"
    assert_sound(grown, linked)


def test_a_branch_that_is_checked_out_elsewhere_is_refused(grown):
    grown.git("worktree", "add", "-q", "-f", "../other", "main")
    refused(grown, "branch-in-use")


def test_a_branch_taken_elsewhere_while_it_is_stopped_is_not_moved(grown):
    """HEAD is detached meanwhile, so git lets another work tree have the branch."""
    grown.edit({"a": lines(20, {3: "mine", 15: "mine"})}, "in conflict")
    tip = grown.git("rev-parse", "main")
    assert rebase(grown).code == 5
    grown.git("worktree", "add", "-q", "../other", "main")
    put(grown.child, {"a": lines(20, {3: "mine", 15: "both"})})
    grown.git("add", "a")
    done = grown.update("--continue")
    assert done.code == 3, done.out
    assert grown.git("rev-parse", "main") == tip
    other = grown.folder / "other"
    assert grown.git("status", "--porcelain", cwd=other) == ""
    grown.git("worktree", "remove", other)
    done = grown.update("--continue")
    assert done.code == 0, done.out


def test_a_folder_of_a_repository_is_refused(world):
    world.release("1.0.0", OLD)
    top = world.folder / "mono"
    top.mkdir()
    world.git("init", "-q", cwd=top)
    put(top, {"README": "mono\n"})
    world.commit(cwd=top)
    world.new("--commit", path=top / "services/a")
    world.release("1.1.0", NEW)
    refused(world, "not-at-root", child=top / "services/a")


def test_a_branch_of_its_own_has_the_new_history_and_the_old_one_stays(grown):
    tip = grown.git("rev-parse", "main")
    done = rebase(grown, "--branch", "template/1.1")
    assert done.code == 0, done.out
    assert grown.git("symbolic-ref", "HEAD") == "refs/heads/template/1.1"
    assert grown.git("rev-parse", "main") == tip
    assert subjects(grown)[-3:] == ["one", "two", "three"]
    assert grown.read("a") == BOTH
    assert_sound(grown)


def test_a_detached_head_goes_on_a_branch(grown):
    grown.git("checkout", "-q", "--detach")
    tip = grown.git("rev-parse", "HEAD")
    refused(grown, "detached-head")
    assert rebase(grown, "--branch", "topic").code == 0
    assert grown.git("rev-parse", "main") == tip
    assert grown.read("a") == BOTH


# ---------------------------------------------------------------- again, and wrong usage


def test_a_rebased_child_is_updated_in_a_fresh_clone_without_the_catalog(grown):
    """The base commit is the root: it goes wherever the history goes."""
    assert rebase(grown).code == 0
    grown.git("clone", "-q", f"file://{grown.child}", "clone", cwd=grown.folder)
    os.rename(grown.catalog, grown.folder / "moved-catalog")
    grown.catalog = grown.folder / "moved-catalog"
    grown.release("1.2.0", NEWER)
    clone = grown.folder / "clone"
    done = grown.update("--catalog", grown.catalog, child=clone)
    assert done.code == 0, done.out
    assert grown.read("a", clone) == lines(20, {3: "mine", 10: "newer", 15: "theirs"})


@pytest.mark.parametrize(
    "args",
    [
        ["--no-commit"],
        ["--message", "x"],
        ["--signoff"],
        ["--on-conflict", "commit"],
        ["--branch", "bot", "--refresh"],
        ["--restore", "gone"],
    ],
)
def test_what_makes_no_sense_with_rebase_is_wrong_usage(grown, args):
    before = everything(grown, grown.child)
    done = rebase(grown, *args)
    assert done.code == 2 and done.error["message"], done.out
    assert_everything(grown, grown.child, before)


def test_orig_head_and_the_reflog_lead_back(grown):
    tip = grown.git("rev-parse", "HEAD")
    before = files_on_disk(grown.child)
    assert rebase(grown).code == 0
    assert grown.git("rev-parse", "ORIG_HEAD", "main@{1}", "HEAD@{1}").split() == [tip] * 3
    grown.git("reset", "-q", "--hard", "ORIG_HEAD")
    assert files_on_disk(grown.child) == before
    assert grown.git("rev-parse", "HEAD") == tip
    done = rebase(grown)
    assert done.code == 0, done.out
