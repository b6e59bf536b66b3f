"""Children in every shape of repository: folders, clones, work trees, submodules, line endings."""

import os
import shutil
import subprocess
import tempfile

import pytest

from ..common.program import BINARY
from .scenarios import LONG, lines
from .world import RECORD, assert_sound, files_on_disk, leftovers, put

OLD = {"a": LONG, "b.sh": ("x", "#!/bin/sh\n")}
NEW = {"a": lines(20, {15: "theirs"}), "b.sh": ("x", "#!/bin/sh\n"), "new/x": "new\n"}
MERGED = lines(20, {3: "mine", 15: "theirs"})


@pytest.fixture
def edited(world):
    """A child with an edit, and an update that merges with it."""
    world.release("1.0.0", OLD)
    world.new()
    world.edit({"a": lines(20, {3: "mine"})})
    world.release("1.1.0", NEW)
    return world


def ok(world, child=None, *args, result="updated"):
    done = world.update(*args, child=child)
    assert (done.code, done.json["result"]) == (0, result), done.out
    return done


def clone(world, name, *args):
    world.git("clone", "-q", *args, f"file://{world.child}", name, cwd=world.folder)
    return world.folder / name


def assert_merged(world, child):
    assert world.read("a", child) == MERGED
    assert world.git("status", "--porcelain", cwd=child) == ""
    assert world.git("diff-files", cwd=child) == ""


# ---------------------------------------------------------------- folders of a larger repository


def monorepo(world):
    top = world.folder / "mono"
    top.mkdir()
    world.git("init", "-q", cwd=top)
    put(top, {"README": "mono\n"})
    world.commit(cwd=top)
    world.release("1.0.0", OLD)
    for name in ("a", "b"):
        world.new("--commit", path=top / "services" / name)
    put(top / "services/a", {"a": lines(20, {3: "mine"})})
    world.commit(cwd=top)
    world.release("1.1.0", NEW)
    return top


def test_S_71_child_in_a_folder_touches_only_its_own_paths(world):
    top = monorepo(world)
    put(top, {"services/b/a": "dirty\n", "README": "dirty\n"})
    head = world.git("rev-parse", "HEAD", cwd=top)
    ok(world, top / "services/a")
    changed = world.git("diff", "--name-only", head, "HEAD", cwd=top).split()
    assert changed == [f"services/a/{p}" for p in (RECORD, "a", "new/x")]
    assert world.git("status", "--porcelain", cwd=top) == " M README\n M services/b/a"
    assert world.read("services/a/a", top) == MERGED
    assert_sound(world, top)


def test_several_children_in_one_repository_each_on_their_own(world):
    top = monorepo(world)
    ok(world, top / "services/a")
    assert world.update("--check", child=top / "services/b").code == 6
    ok(world, top / "services/b")
    ok(world, top / "services/a", result="up-to-date")
    assert world.read("services/b/a", top) == NEW["a"]
    assert_sound(world, top)


def test_child_in_a_folder_of_another_child(world):
    """Each has its own record; what lies below the other's folder is the outer one's own."""
    world.release("1.0.0", OLD)
    world.new()
    inner = world.child / "services" / "inner"
    world.new("--commit", path=inner)
    world.edit({"services/inner/a": lines(20, {3: "inner"}), "a": lines(20, {3: "outer"})})
    world.release("1.1.0", NEW)
    outer_record = world.read(RECORD)
    ok(world, inner)
    assert world.read(RECORD) == outer_record
    assert world.read("a", inner) == lines(20, {3: "inner", 15: "theirs"})
    done = ok(world)
    assert set(done.paths) == {"a", "new/x"}
    assert world.read("a") == lines(20, {3: "outer", 15: "theirs"})
    ok(world, inner, result="up-to-date")
    assert len(world.git("for-each-ref", "refs/tmplgen").splitlines()) == 1
    assert_sound(world)


def test_child_inside_a_child_is_nowhere_in_what_the_outer_one_does(world):
    """A file that the outer one deleted is not found again in the inner one, alike as it is."""
    world.release("1.0.0", OLD)
    world.new()
    inner = world.child / "services" / "inner"
    world.new("--commit", path=inner)
    put(inner, {"#own": "sorts before the record\n", "sub/own": "own\n"})
    world.edit({"a": None, "services/own": "own\n"})
    assert world.tmplgen("status", inner, "--json").json["paths"] == [
        {"path": path, "state": "added", "policy": None, "from_update": False}
        for path in ("#own", "sub/own")
    ]
    told = world.tmplgen("status", world.child, "--json").json["paths"]
    assert {p["path"]: p["state"] for p in told} == {"a": "deleted", "services/own": "added"}
    assert "services/inner" not in world.tmplgen("diff", world.child).out
    world.release("1.1.0", NEW)
    before = files_on_disk(inner, times=True)
    done = ok(world)
    assert done.paths == {"a": "kept-deleted", "new/x": "added"}
    assert files_on_disk(inner, times=True) == before
    ok(world, inner)
    assert world.read("a", inner) == NEW["a"]
    assert_sound(world)


def test_update_from_a_folder_of_the_child(edited):
    edited.edit({"deep/er/file": "x\n"})
    done = edited.tmplgen("update", "--json", cwd=edited.child / "deep" / "er")
    assert (done.code, done.json["result"]) == (0, "updated"), done.out
    assert_merged(edited, edited.child)


def test_base_refs_of_several_children_are_all_kept(world):
    top = monorepo(world)
    ok(world, top / "services/a")
    refs = world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen", cwd=top).split()
    trees = {
        line.split('"')[-2] if '"' in line else line.split()[-1]
        for name in ("a", "b")
        for line in world.read(f"services/{name}/{RECORD}", top).splitlines()
        if line.startswith("  tree:")
    }
    assert {f"refs/tmplgen/base/{tree}" for tree in trees} == set(refs)
    shutil.rmtree(world.catalog)
    world.release("1.1.0", NEW)
    done = ok(world, top / "services/b")
    assert done.json["base"]["proven_by"] == "ref"


def test_conflict_in_a_folder_is_in_gits_own_state(world):
    top = monorepo(world)
    put(top / "services/a", {"a": lines(20, {15: "mine"})})
    world.commit(cwd=top)
    before = files_on_disk(top)
    assert world.update(child=top / "services/a").code == 5
    unmerged = {ln.split("\t")[1] for ln in world.git("ls-files", "-u", cwd=top).splitlines()}
    assert unmerged == {"services/a/a"}
    picked = world.git("diff", "--name-only", "CHERRY_PICK_HEAD^", "CHERRY_PICK_HEAD", cwd=top)
    assert all(path.startswith("services/a/") for path in picked.split())
    world.git("cherry-pick", "--abort", cwd=top)
    assert files_on_disk(top) == before


def test_staged_change_anywhere_in_the_repository_is_refused(world):
    top = monorepo(world)
    put(top, {"README": "staged\n"})
    world.git("add", "README", cwd=top)
    done = world.update(child=top / "services/a")
    assert (done.code, done.error["code"]) == (3, "staged")


# ---------------------------------------------------------------- clones and histories


def test_S_97_fresh_clone_gives_the_same_tree(edited):
    fresh = clone(edited, "fresh")
    ok(edited)
    ok(edited, fresh)
    assert edited.tree() == edited.tree(child=fresh)
    assert_merged(edited, fresh)


def test_depth_1_clone_works(edited):
    shallow = clone(edited, "shallow", "--depth=1")
    ok(edited, shallow)
    assert_merged(edited, shallow)


def test_depth_1_clone_works_where_the_catalog_is_gone(world):
    """The commit at the edge is what `new` made: it proves the base as the root would."""
    world.release("1.0.0", OLD)
    world.new()
    world.edit({"own": "own\n"})
    world.git("rm", "-q", "own")
    world.commit("as it was")
    shallow = clone(world, "shallow", "--depth=1")
    shutil.rmtree(world.catalog)
    world.release("1.1.0", NEW)
    done = ok(world, shallow)
    assert done.json["base"]["proven_by"] == "history"
    assert world.read("a", shallow) == NEW["a"]


def test_merge_of_an_update_branch_keeps_the_record(edited):
    """Two branches updated alike, one of them merged: nothing is left to do."""
    edited.git("checkout", "-q", "-b", "topic")
    edited.edit({"other": "topic\n"})
    ok(edited)
    edited.git("checkout", "-q", "main")
    ok(edited)
    edited.git("merge", "-q", "-m", "merged", "topic")
    ok(edited, result="up-to-date")
    edited.release("1.2.0", {**NEW, "a": lines(20, {15: "theirs", 18: "more"})})
    ok(edited)
    assert edited.read("a") == lines(20, {3: "mine", 15: "theirs", 18: "more"})


def test_reverted_update_can_be_taken_again(edited):
    ok(edited)
    tree = edited.tree()
    edited.git("revert", "--no-edit", "HEAD")
    ok(edited)
    assert edited.tree() == tree


# ---------------------------------------------------------------- work trees and submodules


def test_S_70_linked_work_tree(edited):
    edited.git("worktree", "add", "-q", "-b", "linked", "../linked")
    linked = edited.folder / "linked"
    ok(edited, linked)
    assert_merged(edited, linked)
    assert edited.git("status", "--porcelain") == ""
    assert leftovers(edited.child / ".git") == []


def test_S_70_conflict_in_a_linked_work_tree(edited):
    edited.edit({"a": lines(20, {15: "mine"})})
    edited.git("worktree", "add", "-q", "-b", "linked", "../linked")
    linked = edited.folder / "linked"
    before = files_on_disk(linked, empty=True)
    assert edited.update(child=linked).code == 5
    assert edited.git("status", "--porcelain") == ""
    assert edited.tmplgen("update", "--abort", cwd=linked).code == 0
    assert files_on_disk(linked, empty=True) == before


def test_S_70_separate_git_folder(edited):
    edited.git("init", "-q", "--separate-git-dir", "../apart.git")
    ok(edited)
    assert_merged(edited, edited.child)


def test_S_70_child_that_is_a_submodule(edited):
    parent = edited.folder / "parent"
    parent.mkdir()
    edited.git("init", "-q", cwd=parent)
    edited.git(
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        edited.child,
        "sub",
        cwd=parent,
    )
    edited.git("checkout", "-q", "-B", "main", cwd=parent / "sub")
    ok(edited, parent / "sub")
    assert_merged(edited, parent / "sub")


def test_submodules_in_the_child_stay_what_they_are(edited):
    library = edited.folder / "library"
    library.mkdir()
    edited.git("init", "-q", cwd=library)
    put(library, {"x": "x\n"})
    edited.commit(cwd=library)
    edited.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "lib")
    edited.commit("submodule")
    before = edited.listing()["lib"]
    ok(edited)
    assert edited.listing()["lib"] == before
    assert_merged(edited, edited.child)


def test_template_folder_where_the_child_has_a_submodule_conflicts(edited):
    library = edited.folder / "library"
    library.mkdir()
    edited.git("init", "-q", cwd=library)
    put(library, {"x": "x\n"})
    edited.commit(cwd=library)
    edited.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "new")
    edited.commit("submodule")
    before = files_on_disk(edited.child)
    done = edited.update()
    assert (done.code, done.paths["new/x"]) == (5, "conflict"), done.out
    assert edited.read("new/x") == "x\n"
    assert edited.tmplgen("update", "--abort", cwd=edited.child).code == 0
    assert files_on_disk(edited.child) == before
    assert edited.git("status", "--porcelain") == ""


@pytest.mark.parametrize("abort", ["tmplgen", "git"])
def test_template_folder_where_the_child_has_a_link_to_one_touches_nothing_behind_it(world, abort):
    """The new file's path leads through the link to a file of that name, which is not it."""
    world.release("1.0.0", {"d": "1\n", "x": "1\n"})
    world.new()
    outside = world.folder / "outside"
    put(outside, {"x": "not the child's\n", ".git/x": "a repository of its own\n"})
    for target in ("own", str(outside)):
        world.edit({"d": ("l", target), "own/x": "own\n"})
    world.release("1.1.0", {"d/x": "2\n", "x": "2\n"})
    before = (files_on_disk(world.child), files_on_disk(outside))
    done = world.update()
    assert (done.code, done.paths) == (5, {"d": "conflict", "d/x": "conflict", "x": "updated"})
    assert (world.child / "d").readlink() == outside
    if abort == "git":
        world.git("cherry-pick", "--abort")
    else:
        assert world.tmplgen("update", "--abort", cwd=world.child).code == 0
    assert (files_on_disk(world.child), files_on_disk(outside)) == before
    assert world.git("status", "--porcelain") == ""


def test_abort_tells_of_a_link_that_was_resolved_away(world):
    world.release("1.0.0", {"a": LONG, "x": "1\n"})
    world.new()
    world.edit({"a": ("l", "x")})
    world.release("1.1.0", {"a": lines(20, {5: "five"}), "x": "2\n"})
    assert world.update().code == 5
    put(world.child, {"a": "resolved\n"})
    world.git("add", "a")
    done = world.tmplgen("update", "--abort", "--json", cwd=world.child)
    assert (done.code, done.json["result"]) == (0, "aborted"), done.out
    assert "what you changed meanwhile is kept: a" in done.json["warnings"]
    assert (world.read("a"), world.read("x")) == ("resolved\n", "1\n")
    assert world.git("status", "--porcelain") == " T a"


def test_base_by_hand_leaves_links_alone(world):
    """A commit that is called the base may hold links, which no template made."""
    world.release("1.0.0", {"a": LONG, "x": "1\n"})
    world.new()
    world.edit({"link": ("l", "a"), "gone": ("l", "a"), "new": ("l", "a")})
    world.edit({"gone": None})
    world.release("1.1.0", {"a": lines(20, {5: "five"}), "new": "2\n"})
    done = world.update("--base", "HEAD^", "--trust-base")
    assert done.paths == {"a": "updated", "new": "conflict", "x": "deleted"}
    assert (done.code, world.read("a")) == (5, lines(20, {5: "five"}))
    assert [str((world.child / name).readlink()) for name in ("link", "new")] == ["a", "a"]
    assert world.tmplgen("update", "--abort", cwd=world.child).code == 0
    assert world.git("status", "--porcelain") == ""


# ---------------------------------------------------------------- line endings and modes


def crlf(text):
    return text.replace("\n", "\r\n").encode()


@pytest.mark.parametrize("setting", ["true", "input"])
def test_autocrlf_changes_files_on_disk_and_never_the_tree(edited, setting):
    plain = clone(edited, "plain")
    other = clone(edited, "other", "-c", f"core.autocrlf={setting}")
    on_disk = crlf(lines(20, {3: "mine"})) if setting == "true" else None
    assert on_disk is None or (other / "a").read_bytes() == on_disk
    ok(edited, plain)
    ok(edited, other)
    assert edited.tree(child=plain) == edited.tree(child=other)
    assert edited.git("status", "--porcelain", cwd=other) == ""
    expected = crlf(MERGED) if setting == "true" else MERGED.encode()
    assert (other / "a").read_bytes() == expected
    assert (other / "new/x").read_bytes() == (b"new\r\n" if setting == "true" else b"new\n")


def test_eol_attribute_of_the_child_holds_for_what_is_written(edited):
    attributes = edited.read(".gitattributes") + "* text=auto\na text eol=crlf\n"
    edited.edit({".gitattributes": attributes})
    edited.git("rm", "-q", "--cached", "-r", ".")
    edited.git("reset", "-q", "--hard")
    assert (edited.child / "a").read_bytes() == crlf(lines(20, {3: "mine"}))
    ok(edited)
    assert (edited.child / "a").read_bytes() == crlf(MERGED)
    assert (edited.child / "new/x").read_bytes() == b"new\n"
    assert edited.git("status", "--porcelain") == ""


def test_eol_attribute_that_comes_with_the_update_holds_at_once(world):
    world.release("1.0.0", OLD)
    world.new()
    world.release("1.1.0", {**NEW, ".gitattributes": "new/* text eol=crlf\n"})
    ok(world)
    assert (world.child / "new/x").read_bytes() == b"new\r\n"
    assert world.git("status", "--porcelain") == ""


def test_file_mode_that_does_not_count_is_left_alone(edited):
    edited.git("config", "core.fileMode", "false")
    (edited.child / "a").chmod(0o755)
    ok(edited)
    assert edited.git("status", "--porcelain") == ""
    assert edited.listing()["a"][0] == "100644"


def test_mode_of_the_template_is_recorded_where_it_does_not_count(world):
    world.release("1.0.0", {"r.sh": LONG, "too.sh": LONG})
    world.new()
    world.git("config", "core.fileMode", "false")
    newer = {"r.sh": ("x", LONG), "too.sh": ("x", lines(20, {3: "new"})), "new.sh": ("x", LONG)}
    world.release("1.1.0", newer)
    ok(world)
    assert {entry[0] for path, entry in world.listing().items() if path.endswith(".sh")} == {
        "100755"
    }
    # What changes in nothing else is not written.
    executable = {path: os.access(world.child / path, os.X_OK) for path in newer}
    assert executable == {"r.sh": False, "too.sh": True, "new.sh": True}
    assert world.git("status", "--porcelain") == ""
    ok(world, result="up-to-date")


def conflict_in(world, child):
    """The same line changed on both sides, in a clone with its own line endings."""
    done = world.update(child=child)
    assert (done.code, done.paths["a"]) == (5, "conflict"), done.out


@pytest.fixture
def clashing(world):
    world.release("1.0.0", OLD)
    world.new()
    world.edit({"a": lines(20, {15: "mine"})})
    world.release("1.1.0", NEW)
    return world


CLASH = (
    "<<<<<<< your project\nmine\n||||||| template 1.0.0\nline 15\n=======\ntheirs\n"
    ">>>>>>> template 1.1.0"
)


def test_conflict_has_the_line_endings_of_the_work_tree(clashing):
    other = clone(clashing, "other", "-c", "core.autocrlf=true")
    before = files_on_disk(other)
    conflict_in(clashing, other)
    assert (other / "a").read_bytes() == crlf(lines(20, {15: CLASH}))
    assert clashing.tmplgen("update", "--abort", cwd=other).code == 0
    assert files_on_disk(other) == before
    conflict_in(clashing, other)
    (other / "a").write_bytes(crlf(lines(20, {15: "both"})))
    clashing.git("add", "a", cwd=other)
    assert clashing.tmplgen("update", "--continue", cwd=other).code == 0
    assert clashing.git("show", "HEAD:a", cwd=other) == lines(20, {15: "both"}).strip("\n")
    assert clashing.git("status", "--porcelain", cwd=other) == ""


def test_file_that_differs_by_line_endings_alone_is_not_dirty(edited):
    edited.edit({".gitattributes": edited.read(".gitattributes") + "a text\n"})
    (edited.child / "a").write_bytes(crlf(lines(20, {3: "mine"})))
    ok(edited)
    assert edited.blob(edited.listing()["a"][1]).decode() == MERGED
    assert edited.git("status", "--porcelain") == ""


def test_binary_attribute_keeps_line_endings_as_they_are(edited):
    other = edited.folder / "other"
    edited.edit({".gitattributes": edited.read(".gitattributes") + "a -text\n"})
    clone(edited, "other", "-c", "core.autocrlf=true")
    ok(edited, other)
    assert (other / "a").read_bytes() == MERGED.encode()
    assert (other / "new/x").read_bytes() == b"new\r\n"


def test_permissions_of_a_file_are_kept(edited):
    (edited.child / "a").chmod(0o600)
    ok(edited)
    assert (edited.child / "a").stat().st_mode & 0o777 == 0o600


def test_sparse_checkout_stays_sparse(edited):
    edited.edit({"deep/file": "x\n"})
    edited.git("sparse-checkout", "set", "--no-cone", "/*", "!/a")
    assert not (edited.child / "a").exists()
    ok(edited)
    assert not (edited.child / "a").exists()
    assert edited.git("status", "--porcelain") == ""
    assert edited.blob(edited.listing()["a"][1]).decode() == MERGED


def test_record_with_crlf_in_the_repository_is_read(edited):
    """As someone without attributes and with another editor commits it."""
    text = edited.read(RECORD)
    edited.edit({RECORD: crlf(text)})
    ok(edited)
    assert "\r" not in edited.read(RECORD)
    ok(edited, result="up-to-date")


# ---------------------------------------------------------------- one after the other


def test_S_65_ignore_rule_for_a_rendered_file_comes_and_goes(world):
    """A tracked file stays tracked, whatever rule names it."""
    first = {"a": LONG, "local.cfg": "1\n", ".gitignore": "*.log\n"}
    second = {**first, "local.cfg": "2\n", ".gitignore": "*.log\n*.cfg\n", "new.cfg": "1\n"}
    third = {**second, "local.cfg": "3\n", ".gitignore": "*.log\n"}
    ignoring = ("config", "core.excludesFile", "/dev/null")
    world.release("1.0.0", first)
    world.new()
    for version, files in (("1.1.0", second), ("1.2.0", third)):
        world.release(version, files)
        world.git("add", "-f", "templates/app/files", cwd=world.catalog)
        world.git("commit", "-q", "--amend", "--no-edit", cwd=world.catalog)
        world.git("tag", "-f", f"v{version}", cwd=world.catalog)
        world.git(*ignoring)
        ok(world)
        assert world.read("local.cfg") == files["local.cfg"]
        assert world.git("status", "--porcelain") == ""
    assert world.read("new.cfg") == "1\n"


def test_S_102_resolved_conflict_is_one_commit_and_then_nothing_is_left(edited):
    edited.edit({"a": lines(20, {15: "mine"})})
    head = edited.git("rev-parse", "HEAD")
    assert edited.update().code == 5
    put(edited.child, {"a": lines(20, {15: "both"})})
    edited.git("add", "a")
    assert edited.tmplgen("update", "--continue", cwd=edited.child).code == 0
    assert edited.git("rev-list", f"{head}..HEAD").count("\n") == 0
    assert 'version: "1.1.0"' in edited.read(RECORD) or "version: 1.1.0" in edited.read(RECORD)
    ok(edited, result="up-to-date")
    edited.release("1.2.0", {**NEW, "a": lines(20, {15: "theirs", 18: "more"})})
    ok(edited)
    assert edited.read("a") == lines(20, {15: "both", 18: "more"})


@pytest.mark.parametrize("mark", [";", "#"])
def test_comments_of_the_message_are_left_out_as_git_does(edited, mark):
    edited.git("config", "core.commentChar", mark)
    edited.edit({"a": lines(20, {15: "mine"})})
    head, messages = edited.git("rev-parse", "HEAD"), []
    for end in (("cherry-pick", "--continue"), None):
        edited.git("reset", "-q", "--hard", head)
        assert edited.update().code == 5
        assert f"{mark} Conflicts:" in (edited.child / ".git/MERGE_MSG").read_text()
        edited.git("checkout", "--ours", "a")
        edited.git("add", "a")
        if end:
            edited.git(*end)
        else:
            assert edited.tmplgen("update", "--continue", cwd=edited.child).code == 0
        messages.append(edited.git("log", "-1", "--format=%B"))
    assert messages[0] == messages[1] == "Update template app of demo from 1.0.0 to 1.1.0"


def test_resolution_by_taking_one_side_is_kept(edited):
    """`git checkout --ours` and `--theirs` work on what an update leaves."""
    edited.edit({"a": lines(20, {15: "mine"})})
    for side, expected in (("ours", "mine"), ("theirs", "theirs")):
        assert edited.update().code == 5
        edited.git("checkout", f"--{side}", "a")
        assert edited.read("a") == lines(20, {15: expected})
        edited.git("cherry-pick", "--abort")
    assert edited.update().code == 5
    edited.git("checkout", "--theirs", "a")
    edited.git("add", "a")
    edited.git("cherry-pick", "--continue")
    assert edited.read("a") == NEW["a"]
    ok(edited, result="up-to-date")


def test_conflicts_file_may_be_deleted_as_the_resolution(edited):
    edited.edit({"a": lines(20, {15: "mine"})})
    assert edited.update().code == 5
    edited.git("rm", "-q", "a")
    assert edited.tmplgen("update", "--continue", cwd=edited.child).code == 0
    assert "a" not in edited.listing()
    edited.release("1.2.0", {**NEW, "a": lines(20, {15: "theirs", 18: "more"})})
    done = ok(edited)
    assert done.paths["a"] == "kept-deleted"


# ---------------------------------------------------------------- surroundings


def test_no_commit_leaves_it_staged(edited):
    head = edited.git("rev-parse", "HEAD")
    ok(edited, None, "--no-commit", result="staged")
    assert edited.git("rev-parse", "HEAD") == head
    staged = set(edited.git("diff", "--cached", "--name-only").split())
    assert staged == {RECORD, "a", "new/x"}
    assert edited.git("diff-files") == ""
    edited.git("commit", "-q", "--no-edit")
    assert edited.git("log", "-1", "--format=%s").startswith("Update template app of demo")
    ok(edited, result="up-to-date")


def test_read_only_folder_fails_and_changes_nothing(edited):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    edited.release("1.2.0", {**NEW, "d/x": "1\n"})
    before = files_on_disk(edited.child)
    edited.child.chmod(0o555)
    try:
        assert edited.update().code == 1
    finally:
        edited.child.chmod(0o755)
    assert files_on_disk(edited.child) == before


def test_git_folder_on_another_file_system(edited):
    here = edited.folder.stat().st_dev
    places = ("/dev/shm", tempfile.gettempdir(), BINARY.parent)
    apart = next((p for p in places if os.access(p, os.W_OK) and os.stat(p).st_dev != here), None)
    if not apart:
        pytest.skip("needs a second file system")
    folder = tempfile.mkdtemp(prefix="tmplgen-apart-", dir=apart)
    shutil.move(edited.child / ".git", f"{folder}/it")
    put(edited.child, {".git": f"gitdir: {folder}/it\n"})
    try:
        ok(edited)
        assert_merged(edited, edited.child)
        assert not list(edited.child.glob(".tmplgen-stage*"))
    finally:
        subprocess.run(["rm", "-rf", folder], check=True)
