"""What is refused before anything is written, and what is not in the way."""

import fcntl
import os
import re
import subprocess

import pytest

from .scenarios import LONG, lines
from .world import assert_sound, files_on_disk, put, snapshot, stocked

NEW = {"a": lines(20, {15: "theirs"}), "new/x": "new\n", "b": LONG}


@stocked
def ready(world):
    """A child with an update that waits."""
    world.release("1.0.0", {"a": LONG, "b": LONG})
    world.new()
    world.release("1.1.0", NEW)


def refused(world, code, *args, child=None, **more):
    """Exit 3 with this code, a hint, and nothing changed at all."""
    before = snapshot(world, child)
    done = world.update(*args, child=child, **more)
    assert done.code == 3, done.out
    assert done.error["code"] == code, done.error
    assert done.error["hint"]
    assert snapshot(world, child) == before
    return done.error


def updated(world, *args, result="updated", **more):
    done = world.update(*args, **more)
    assert (done.code, done.json["result"]) == (0, result), done.out
    return done


# ---------------------------------------------------------------- index and files


def test_S_59_staged_change_anywhere_is_refused(ready):
    put(ready.child, {"b": "staged\n"})
    ready.git("add", "b")
    assert "'b'" in refused(ready, "staged")["message"]


def test_S_59_staged_new_file_is_refused(ready):
    put(ready.child, {"mine": "x\n"})
    ready.git("add", "mine")
    refused(ready, "staged")


def test_S_59_staged_change_with_the_file_put_back_is_refused(ready):
    put(ready.child, {"b": "staged\n"})
    ready.git("add", "b")
    put(ready.child, {"b": LONG})
    refused(ready, "staged")


def test_S_59_edit_of_a_touched_file_is_refused(ready):
    put(ready.child, {"a": lines(20, {3: "mine"})})
    assert "'a'" in refused(ready, "dirty")["message"]


def test_edit_of_equal_size_and_time_is_seen(ready):
    path = ready.child / "a"
    info = path.stat()
    path.write_text(LONG.replace("line 3\n", "LINE 3\n"))
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    refused(ready, "dirty")


def test_mode_of_a_touched_file_counts(ready):
    (ready.child / "a").chmod(0o755)
    refused(ready, "dirty")


def test_touched_file_that_is_gone_is_refused(ready):
    (ready.child / "a").unlink()
    refused(ready, "dirty")


def test_edit_of_another_file_does_not_matter(ready):
    put(ready.child, {"b": "mine\n"})
    updated(ready)
    assert ready.read("b") == "mine\n"
    assert ready.git("status", "--porcelain") == " M b"


def test_S_60_untracked_file_elsewhere_does_not_matter(ready):
    put(ready.child, {"notes": "mine\n"})
    updated(ready)
    assert ready.read("notes") == "mine\n"


@pytest.mark.parametrize("bit", ["assume-unchanged", "skip-worktree"])
def test_edit_that_git_is_told_to_overlook_is_refused_by_that_name(ready, bit):
    ready.git("update-index", f"--{bit}", "a")
    put(ready.child, {"a": lines(20, {3: "mine"})})
    assert ready.git("status", "--porcelain") == ""
    error = refused(ready, "dirty")
    assert "'a'" in error["message"]
    command = error["hint"].split("`")[1].split()
    assert command == ["git", "update-index", f"--no-{bit}", "--", "a"]
    ready.git(*command[1:])
    assert ready.git("status", "--porcelain") == " M a"


@pytest.mark.parametrize(
    ("bit", "letter"), [("assume-unchanged", "h"), ("skip-worktree", "S"), (None, "H")]
)
def test_bits_of_a_touched_file_are_kept(ready, bit, letter):
    if bit:
        ready.git("update-index", f"--{bit}", "a")
    before = ready.git("ls-files", "-v")
    assert f"{letter} a" in before.splitlines()
    updated(ready, "--no-commit", result="staged")
    assert f"{letter} a" in ready.git("ls-files", "-v").splitlines()
    assert ready.read("a") == NEW["a"]
    assert ready.update("--abort").code == 0
    assert ready.git("ls-files", "-v") == before
    updated(ready)
    assert f"{letter} a" in ready.git("ls-files", "-v").splitlines()


def clash(world):
    """Edits of both sides at one line of a file in a folder."""
    world.release("1.2.0", {**NEW, "deep/file": LONG})
    updated(world)
    world.edit({"deep/file": lines(20, {3: "mine"})})
    world.release("1.3.0", {**NEW, "deep/file": lines(20, {3: "theirs"})})


def test_conflict_outside_of_the_sparse_checkout_is_refused_by_that_name(ready):
    clash(ready)
    ready.git("sparse-checkout", "set", "--no-cone", "/*", "!/deep")
    error = refused(ready, "sparse")
    assert "'deep/file'" in error["message"]
    assert error["hint"] == "`git sparse-checkout add deep` brings it"
    ready.git("sparse-checkout", "add", "deep")
    assert ready.update().code == 5


def test_conflict_in_a_file_that_is_skipped_and_gone_is_refused_by_that_name(ready):
    clash(ready)
    ready.git("update-index", "--skip-worktree", "deep/file")
    (ready.child / "deep/file").unlink()
    hint = refused(ready, "sparse")["hint"]
    for command in hint.split("`")[1::2]:
        ready.git(*command.split()[1:])
    assert ready.update().code == 5


def test_untracked_file_in_the_way_is_refused(ready):
    put(ready.child, {"new/x": "mine\n"})
    assert "'new/x'" in refused(ready, "in-the-way")["message"]


def test_S_61_ignored_file_in_the_way_is_refused(ready):
    ready.edit({".gitignore": ".env\n"})
    ready.release("1.2.0", {**NEW, ".env": "theirs\n"})
    put(ready.child, {".env": "SECRET=1\n"})
    refused(ready, "in-the-way")


def test_S_62_untracked_file_with_equal_content_is_adopted(ready):
    put(ready.child, {"new/x": "new\n"})
    before = (ready.child / "new/x").stat()
    assert updated(ready).paths["new/x"] == "adopted"
    after = (ready.child / "new/x").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert ready.git("status", "--porcelain") == ""


def test_equal_content_with_another_mode_is_in_the_way(ready):
    put(ready.child, {"new/x": ("x", "new\n")})
    refused(ready, "in-the-way")


def test_link_in_the_way_is_refused(ready):
    put(ready.child, {"new/x": ("l", "/etc/passwd")})
    refused(ready, "in-the-way")


def test_link_in_place_of_a_folder_is_never_followed(ready):
    outside = ready.folder / "outside"
    outside.mkdir()
    put(ready.child, {"new": ("l", str(outside))})
    refused(ready, "in-the-way")
    assert list(outside.iterdir()) == []


def test_pipe_in_the_way_is_never_opened(ready):
    (ready.child / "new").mkdir()
    os.mkfifo(ready.child / "new/x")
    done = ready.update(timeout=20)
    assert (done.code, done.error["code"]) == (3, "in-the-way")


def test_folder_with_files_in_the_way_is_refused(ready):
    put(ready.child, {"new/x/mine": "x\n"})
    refused(ready, "in-the-way")


def test_empty_folder_in_the_way_makes_room(ready):
    (ready.child / "new/x/deep").mkdir(parents=True)
    updated(ready)
    assert ready.read("new/x") == "new\n"


def test_nested_repository_in_the_way_is_refused(ready):
    (ready.child / "new").mkdir()
    ready.git("init", "-q", cwd=ready.child / "new")
    refused(ready, "nested-repository")


def test_folder_that_becomes_a_file_keeps_ignored_files(ready):
    ready.release("1.2.0", {**NEW, "d/x": "1\n"})
    updated(ready)
    ready.edit({".gitignore": "*.pyc\n"})
    put(ready.child, {"d/y.pyc": "cache\n"})
    ready.release("1.3.0", {**NEW, "d": "2\n"})
    refused(ready, "in-the-way")


# ---------------------------------------------------------------- operations and branches


def start_merge(world):
    world.git("checkout", "-q", "-b", "side")
    world.edit({"b": "side\n"})
    world.git("checkout", "-q", "main")
    world.edit({"b": "main\n"})


@pytest.mark.parametrize(
    ("begin", "word"),
    [
        (("merge", "side"), "merge"),
        (("cherry-pick", "side"), "cherry-pick"),
        (("rebase", "side"), "rebase"),
        (("revert", "--no-edit", "HEAD~1"), "revert"),
        (("bisect", "start"), "bisect"),
    ],
)
def test_S_54_operation_in_progress_is_refused(ready, begin, word):
    start_merge(ready)
    if word == "revert":
        ready.edit({"b": "more\n"})
    ready.git(*begin, check=False)
    assert word in refused(ready, "operation-in-progress")["message"]


@pytest.mark.parametrize("word", ["cherry-pick", "revert"])
def test_a_series_between_two_of_its_commits_is_refused(ready, word):
    """One was committed by hand: git knows of the rest by its list alone."""
    start_merge(ready)
    ready.git("checkout", "-q", "side")
    ready.edit({"b": "more\n"})
    ready.git("checkout", "-q", "main")
    if word == "revert":
        ready.edit({"b": "later\n"})
        ready.edit({"b": "latest\n"})
        commits = ["HEAD~2", "HEAD~1"]
    else:
        commits = ["side~1", "side"]
    ready.git(word, *commits, check=False)
    put(ready.child, {"b": "by hand\n"})
    ready.git("commit", "-qam", "by hand")
    assert "in progress" in ready.git("status")
    assert word in refused(ready, "operation-in-progress")["message"]
    ready.git(word, "--quit")
    updated(ready)


@pytest.mark.parametrize(
    ("begin", "word"),
    [(("merge", "side"), "merge"), (("cherry-pick", "side"), "cherry-pick"),
     (("rebase", "side"), "rebase")],
)  # fmt: skip
def test_B_merge_in_progress_is_refused_where_nothing_is_new_too(ready, begin, word):
    updated(ready)
    start_merge(ready)
    ready.git(*begin, check=False)
    assert word in refused(ready, "operation-in-progress")["message"]
    for look in ("--check", "--dry-run"):
        assert ready.update(look).code == 0
    ready.git(begin[0], "--abort")
    put(ready.child, {"b": "dirty\n", "untracked": "\n"})
    ready.git("checkout", "-q", "--detach")
    done = ready.update()
    assert (done.code, done.json["result"]) == (0, "up-to-date"), done.out


def test_a_file_takes_the_place_of_folders_within_folders(world):
    world.release("1.0.0", {"d/e/f/g/x": "x\n", "d/y": "y\n"})
    world.new()
    world.release("1.1.0", {"d": "file\n"})
    (world.child / "d/empty/deep").mkdir(parents=True)
    assert world.update().code == 0
    assert world.read("d") == "file\n"


@pytest.mark.parametrize("mask", [0o022, 0o027])
def test_a_new_file_has_the_mode_that_git_would_give_it(ready, mask):
    ready.release("1.2.0", {"plain": "x\n", "run": ("x", "x\n"), "d/deep": "x\n"})
    done = ready.update(prefix=("sh", "-c", f'umask {mask:04o}; exec "$@"', "sh"))
    assert done.code == 0, done.out
    modes = {
        name: (ready.child / name).stat().st_mode & 0o777 for name in ("plain", "run", "d/deep")
    }
    assert modes == {"plain": 0o666 & ~mask, "run": 0o777 & ~mask, "d/deep": 0o666 & ~mask}


@pytest.mark.parametrize("name", ["index.lock", "HEAD.lock"])
def test_stale_lock_of_index_or_HEAD_is_refused(ready, name):
    put(ready.child, {f".git/{name}": ""})
    done = ready.update()
    assert (done.code, done.error["code"]) == (3, "locked")
    assert f"{name}' is there" in done.error["message"]
    assert (ready.child / f".git/{name}").exists()


def test_lock_of_the_branch_is_refused(ready):
    put(ready.child, {".git/refs/heads/main.lock": ""})
    before = files_on_disk(ready.child)
    done = ready.update()
    assert (done.code, done.error["code"]) == (3, "locked")
    assert files_on_disk(ready.child) == before
    (ready.child / ".git/refs/heads/main.lock").unlink()
    updated(ready)


def test_S_80_second_run_is_refused(ready):
    assert ready.update("--check").code == 6
    folder = ready.child / ".git/tmplgen"
    folder.mkdir(exist_ok=True)
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        refused(ready, "busy")
    updated(ready)


def test_lock_of_updates_has_a_text_that_no_other_lock_has(ready):
    """By it a later run knows which of git's locks an update left."""
    updated(ready)
    assert re.fullmatch(r"tmplgen [0-9a-f]{32}\n", ready.read(".git/tmplgen/lock"))


def test_lock_of_updates_that_cannot_be_read_is_told(ready):
    (ready.child / ".git/tmplgen/lock").mkdir(parents=True)
    for words in (("status",), ("update", "--check"), ("update",)):
        done = ready.tmplgen(words[0], ready.child, "--json", *words[1:])
        assert (done.code, done.error["code"]) == (1, "io"), done.out


def test_S_73_detached_head_needs_a_branch(ready):
    ready.git("checkout", "-q", "--detach")
    assert "--branch" in refused(ready, "detached-head")["hint"]
    updated(ready, "--branch", "topic/update")
    assert ready.git("symbolic-ref", "HEAD") == "refs/heads/topic/update"
    assert ready.git("rev-parse", "HEAD^") == ready.git("rev-parse", "main")
    assert_sound(ready)


def test_branch_is_made_at_head_and_updated_there(ready):
    main = ready.git("rev-parse", "main")
    updated(ready, "--branch", "next")
    assert ready.git("rev-parse", "main") == main
    assert ready.git("symbolic-ref", "--short", "HEAD") == "next"
    assert ready.git("log", "-g", "-1", "--format=%gs", "next") == "tmplgen update: 1.0.0 -> 1.1.0"


@pytest.mark.parametrize(
    ("name", "there"), [("main", "main"), ("taken/below", "taken"), ("ta", "ta/ken")]
)
def test_branch_that_is_there_is_refused(ready, name, there):
    ready.git("branch", "taken")
    ready.git("branch", "ta/ken")
    said = refused(ready, "branch-exists", "--branch", name)["message"]
    assert f"there is a branch '{there}' already" in said


@pytest.mark.parametrize("name", ["", "a..b", "-x", "a b", "x.lock"])
def test_branch_with_a_bad_name_is_wrong_usage(ready, name):
    assert ready.update(f"--branch={name}").code == 2


def test_S_74_unborn_branch_is_refused(ready):
    ready.git("checkout", "-q", "--orphan", "empty")
    done = ready.update()
    assert done.code == 3
    assert done.error["code"] in ("unborn-branch", "no-record")


def test_branch_of_another_work_tree_is_refused(ready):
    ready.git("worktree", "add", "-q", "-f", "../other", "main")
    refused(ready, "branch-in-use")


def test_branch_of_another_work_tree_is_refused_in_a_linked_one(ready):
    """Not only the main work tree counts, nor does a linked one count itself."""
    ready.git("checkout", "-q", "--detach")
    ready.git("worktree", "add", "-q", "../linked", "main")
    linked = ready.folder / "linked"
    assert ready.update("--dry-run", child=linked).code == 0
    ready.git("worktree", "add", "-q", "-f", "../other", "main")
    refused(ready, "branch-in-use", child=linked)


def test_upstream_that_is_ahead_is_pulled_first(ready):
    ready.git("clone", "-q", ready.child, "other", cwd=ready.folder)
    ready.git("config", "user.email", "x", cwd=ready.folder / "other")
    updated(ready)
    ready.release("1.2.0", NEW)
    ready.git("fetch", "-q", cwd=ready.folder / "other")
    refused(ready, "behind-upstream", child=ready.folder / "other")


def behind(world, *config):
    """A second branch, updated; the first one is told to follow it."""
    world.git("checkout", "-q", "-b", "team/ahead")
    updated(world)
    world.git("checkout", "-q", "main")
    world.release("1.2.0", NEW)
    for key, value in config:
        world.git("config", "--add", key, value)


def test_upstream_may_be_a_branch_of_this_repository(ready):
    behind(ready, ("branch.main.remote", "."), ("branch.main.merge", "refs/heads/team/ahead"))
    assert "team/ahead" in refused(ready, "behind-upstream")["message"]


def test_upstream_is_found_by_the_remotes_own_refspecs(ready):
    behind(
        ready,
        ("remote.up.url", "nowhere"),
        ("remote.up.fetch", "+refs/tags/*:refs/up/tags/*"),
        ("remote.up.fetch", "+refs/heads/team/*:refs/seen/*"),
        ("branch.main.remote", "up"),
        ("branch.main.merge", "refs/heads/team/next"),
    )
    ready.git("update-ref", "refs/seen/next", "team/ahead")
    assert "refs/seen/next" in refused(ready, "behind-upstream")["message"]


def test_upstream_that_was_never_fetched_does_not_matter(ready):
    ready.git("config", "branch.main.remote", "origin")
    ready.git("config", "branch.main.merge", "refs/heads/main")
    ready.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    updated(ready)


def test_upstream_at_the_same_version_does_not_matter(ready):
    ready.git("clone", "-q", ready.child, "other", cwd=ready.folder)
    updated(ready, child=ready.folder / "other")


# ---------------------------------------------------------------- filters and forms


def test_filter_on_a_touched_path_is_refused(ready):
    ready.edit({".gitattributes": ready.read(".gitattributes") + "a filter=lfs -text\n"})
    refused(ready, "filter")


def test_filter_on_another_path_does_not_matter(ready):
    ready.edit({".gitattributes": ready.read(".gitattributes") + "*.bin filter=lfs -text\n"})
    updated(ready)


FORMS = {
    "split index": [("update-index", "--split-index")],
    "objectFormat": [
        ("config", "core.repositoryFormatVersion", "1"),
        ("config", "extensions.objectFormat", "sha1"),
    ],
    "partialClone": [
        ("config", "core.repositoryFormatVersion", "1"),
        ("config", "extensions.partialClone", "origin"),
    ],
    "refs in another form": [
        ("config", "core.repositoryFormatVersion", "1"),
        ("config", "extensions.refStorage", "reftable"),
    ],
    "precious objects": [
        ("config", "core.repositoryFormatVersion", "1"),
        ("config", "extensions.preciousObjects", "true"),
    ],
    "an extension that nobody knows": [
        ("config", "core.repositoryFormatVersion", "1"),
        ("config", "extensions.someday", "true"),
    ],
    "format": [("config", "core.repositoryFormatVersion", "9")],
}


@pytest.mark.parametrize("form", FORMS)
def test_S_77_form_that_libgit2_cannot_handle_is_refused_by_name(ready, form):
    ready.git("config", "core.logAllRefUpdates", "true")
    for command in FORMS[form]:
        ready.git(*command, check=False)
    before = files_on_disk(ready.child)
    done = ready.update()
    assert (done.code, done.error["code"]) == (3, "repository-form"), done.out
    assert done.error["hint"]
    assert files_on_disk(ready.child) == before


def test_S_77_sparse_index_is_refused_by_name(ready):
    ready.edit({"deep/er/file": "x\n"})
    ready.git("sparse-checkout", "set", "--cone", "--sparse-index", "new")
    assert "sparse index" in refused(ready, "repository-form")["message"]


def test_S_77_sha256_repository_is_refused_by_name(ready):
    other = ready.folder / "sha256"
    other.mkdir()
    ready.git("init", "-q", "--object-format=sha256", cwd=other)
    put(other, {".tmplgen.yml": ready.read(".tmplgen.yml")})
    ready.commit(cwd=other)
    done = ready.update(child=other)
    assert (done.code, done.error["code"]) == (3, "repository-form")


def test_object_that_a_partial_clone_lacks_names_the_command_that_fetches_it(ready):
    ready.git("config", "uploadpack.allowFilter", "true")
    url = f"file://{ready.child}"
    ready.git("clone", "-q", "--filter=blob:none", "--no-checkout", url, "p", cwd=ready.folder)
    partial = ready.folder / "p"
    ready.git("config", "--unset", "extensions.partialClone", cwd=partial, check=False)
    ready.git("config", "core.repositoryFormatVersion", "0", cwd=partial)
    ready.git("read-tree", "HEAD", cwd=partial)
    done = ready.update(child=partial)
    assert (done.code, done.error["code"]) == (3, "missing-objects"), done.out
    assert "git fetch --refetch" in done.error["hint"]


def test_damaged_loose_object_is_an_error_and_no_hang(ready):
    blob = ready.git("rev-parse", "HEAD:a")
    ready.git("unpack-objects", check=False)
    packs = list((ready.child / ".git/objects/pack").glob("*.pack"))
    data = [p.read_bytes() for p in packs]
    for path in (ready.child / ".git/objects/pack").iterdir():
        path.unlink()
    for one in data:
        subprocess.run(
            ["git", "unpack-objects", "-q"], cwd=ready.child, input=one, check=True, env=ready.env
        )
    path = ready.child / ".git/objects" / blob[:2] / blob[2:]
    whole = path.read_bytes()
    path.chmod(0o644)
    path.write_bytes(whole[: len(whole) // 2])
    before = files_on_disk(ready.child)
    put(ready.child, {"a": LONG})
    ready.edit({"c": "x\n"})
    ready.release("1.2.0", {**NEW, "a": lines(20, {1: "x"})})
    done = ready.update(timeout=20)
    assert done.code in (0, 1)
    if done.code == 1:
        assert "damaged" in done.error["message"]
        assert files_on_disk(ready.child).keys() == before.keys() | {"c"}


def test_repository_of_another_user_says_how_to_trust_it(ready):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(ready.child, 12345, 12345)
    os.chown(ready.child / ".git", 12345, 12345)
    done = ready.update()
    assert (done.code, done.error["code"]) == (3, "repository-form")
    assert "safe.directory" in done.error["hint"]


# ---------------------------------------------------------------- no child at all


def test_folder_outside_of_any_repository_is_refused(ready):
    other = ready.folder / "plain"
    other.mkdir()
    done = ready.update(child=other)
    assert (done.code, done.error["code"]) == (3, "no-repository")


def test_S_99_deleted_record_is_refused(ready):
    ready.edit({".tmplgen.yml": None})
    error = refused(ready, "no-record")
    assert "'tmplgen adopt' one of what is here" in error["hint"]


def test_S_99_record_with_conflict_markers_names_the_line(ready):
    ready.edit({".tmplgen.yml": "<<<<<<< ours\n" + ready.read(".tmplgen.yml")})
    before = snapshot(ready)
    done = ready.update()
    assert (done.code, done.error["code"]) == (2, "invalid-record")
    assert done.error["where"]["file"] == ".tmplgen.yml"
    assert snapshot(ready) == before


def test_record_with_uncommitted_edits_is_refused(ready):
    put(ready.child, {".tmplgen.yml": ready.read(".tmplgen.yml") + "# mine\n"})
    refused(ready, "dirty")


def test_A8_cherry_pick_quit_leaves_a_conflict_and_the_words_that_work(ready):
    ready.edit({"a": lines(20, {15: "mine"})})
    before = snapshot(ready)
    assert ready.update().code == 5
    ready.git("cherry-pick", "--quit")
    for args in ((), ("--dry-run",)):
        error = refused(ready, "unmerged", *args)
        assert "'a'" in error["message"] and "'git reset --merge'" in error["hint"]
    for how in ("--abort", "--continue"):
        done = ready.tmplgen("update", how, "--json", cwd=ready.child)
        assert (done.code, done.error["code"]) == (3, "nothing-in-progress")
        assert "'git reset --merge'" in done.error["hint"]
    ready.git("reset", "-q", "--merge")
    assert snapshot(ready) == before
    assert ready.update().code == 5
