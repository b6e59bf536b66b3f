"""The strategy `merge`: a merge commit, which git's own commands end as well as tmplgen does."""

import pytest

from .scenarios import LONG, lines
from .world import RECORD, assert_sound, put, snapshot, stocked

MINE, THEIRS = lines(20, {5: "mine"}), lines(20, {5: "theirs"})
MERGE = ("--strategy", "merge")


@stocked
def ready(world):
    world.strategy = "merge"
    world.release("1.0.0", {"a": LONG, "b": LONG, "gone": LONG})
    world.new()
    world.edit({"own": "own\n"})
    world.release("1.1.0", {"a": THEIRS, "b": THEIRS, "added": "new\n"})


@pytest.fixture
def conflict(ready):
    ready.edit({"a": MINE})
    assert ready.update().code == 5
    return ready


def parents(world, rev="HEAD", child=None):
    return world.git("show", "-s", "--format=%P", rev, cwd=child).split()


def base_commit(world, child=None):
    """The commit of what HEAD's record renders to, by its ref."""
    listing = world.git("show", f"HEAD:{RECORD}", cwd=child)
    tree = next(x.split()[1].strip('"') for x in listing.splitlines() if x.startswith("  tree: "))
    return world.git("rev-parse", f"refs/tmplgen/base/{tree}", cwd=child)


def assert_merged(world, before, child=None):
    assert parents(world, child=child) == [before, base_commit(world, child)]
    assert world.git("status", "--porcelain", cwd=child) == ""


def state_files(world, child=None):
    names = ("MERGE_HEAD", "MERGE_MODE", "MERGE_MSG", "CHERRY_PICK_HEAD")
    return [name for name in names if ((child or world.child) / ".git" / name).exists()]


# ---------------------------------------------------------------- clean


def test_its_second_parent_is_the_new_base_commit(ready):
    before = ready.git("rev-parse", "HEAD")
    picked = ready.copy("picked")
    done = ready.update()
    assert (done.code, done.json["result"], done.json["strategy"]) == (0, "updated", "merge")
    assert done.json["commit"] == ready.git("rev-parse", "HEAD")
    assert_merged(ready, before)
    base = parents(ready)[1]
    assert parents(ready, base) == []
    assert RECORD not in ready.listing(base)
    assert ready.update("--strategy", "pick", child=picked).code == 0
    assert ready.tree() == ready.tree(picked)
    assert ready.update().json["result"] == "up-to-date"


def test_git_needs_no_more_than_one_update_to_see_the_histories_as_one(ready):
    """What a merge is for: from the second on, git itself knows what was taken."""
    assert ready.update().code == 0
    first = parents(ready)[1]
    ready.edit({"own": "more\n"})
    ready.release("1.2.0", {"a": THEIRS, "b": LONG, "added": "newer\n"})
    before = ready.git("rev-parse", "HEAD")
    assert ready.update().code == 0
    assert_merged(ready, before)
    assert ready.git("merge-base", "--is-ancestor", first, "HEAD", check=False).returncode == 0
    assert ready.git("log", "--first-parent", "--format=%s").count("Update") == 2


def test_a_message_and_a_signer_are_its(ready):
    assert ready.update("--message", "chore: template", "--signoff").code == 0
    body = ready.git("log", "-1", "--format=%B")
    assert body.startswith("chore: template\n")
    assert body.endswith("Signed-off-by: Ann <ann@example.com>")


# ---------------------------------------------------------------- in conflict


def test_git_is_told_of_a_merge(conflict):
    git_dir = conflict.child / ".git"
    base = (git_dir / "MERGE_HEAD").read_text().strip()
    assert conflict.git("for-each-ref", "--points-at", base, "refs/tmplgen/base/")
    assert (git_dir / "MERGE_MODE").read_bytes() == b"no-ff"
    assert "#\ta\n" in (git_dir / "MERGE_MSG").read_text()
    assert state_files(conflict) == ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"]
    assert "git merge --abort" in conflict.git("status")
    assert "<<<<<<< your project" in conflict.read("a")
    assert ">>>>>>> template 1.1.0" in conflict.read("a")
    assert len(conflict.git("ls-files", "-u").splitlines()) == 3


def test_next_steps_name_gits_own_commands(ready):
    ready.edit({"a": MINE})
    steps = {s["run"]: s["what"] for s in ready.update().json["next"]}
    assert steps["tmplgen update --continue"] == "commits (or: git merge --continue)"
    assert steps["tmplgen update --abort"] == "goes back (or: git merge --abort)"


TAKE = {
    "commit": lambda w, c: w.git("commit", "-q", cwd=c),
    "merge --continue": lambda w, c: w.git("merge", "--continue", cwd=c),
    "update --continue": lambda w, c: w.update("--continue", child=c),
}


def test_every_way_to_take_it_ends_in_the_same_commit(conflict):
    before = conflict.git("rev-parse", "HEAD")
    put(conflict.child, {"a": "both\n"})
    conflict.git("add", "a")
    found = set()
    for name, take in TAKE.items():
        there = conflict.copy(name.replace(" ", "") + "-copy")
        take(conflict, there)
        assert state_files(conflict, there) == []
        assert conflict.update("--continue", child=there).code in (0, 3)
        assert_merged(conflict, before, there)
        show = "--format=%T %P %an %ae %cn %B"
        found.add(conflict.git("show", "-s", show, cwd=there))
        assert conflict.update(child=there).json["result"] == "up-to-date"
        assert_sound(conflict, there)
    assert len(found) == 1, found


LEAVE = {
    "merge --abort": lambda w, c: w.git("merge", "--abort", cwd=c),
    "reset --merge": lambda w, c: w.git("reset", "-q", "--merge", cwd=c),
    "checkout -f": lambda w, c: w.git("checkout", "-q", "-f", "HEAD", cwd=c),
    "update --abort": lambda w, c: w.update("--abort", child=c),
}


@pytest.mark.parametrize("way", LEAVE)
@pytest.mark.parametrize("staged", [False, True], ids=["conflict", "staged"])
def test_every_way_to_give_it_up_leads_back(ready, way, staged):
    if not staged:
        ready.edit({"a": MINE})
    before = snapshot(ready)
    assert ready.update(*["--no-commit"] * staged).code == (0 if staged else 5)
    assert state_files(ready) == ["MERGE_HEAD", "MERGE_MODE", "MERGE_MSG"]
    LEAVE[way](ready, ready.child)
    assert snapshot(ready) == before
    assert state_files(ready) == []
    done = ready.update("--continue")
    assert (done.code, done.error["code"]) == (3, "nothing-in-progress"), done.out
    assert ready.update().code == (0 if staged else 5)


def test_after_merge_quit_every_hint_works(conflict):
    conflict.git("merge", "--quit")
    for args in ((), ("--continue",), ("--abort",)):
        done = conflict.update(*args)
        assert done.code == 3 and "git reset --merge" in done.error["hint"], done.out
    put(conflict.child, {"a": "both\n"})
    conflict.git("add", "a")
    for args in ((), ("--continue",), ("--abort",)):
        done = conflict.update(*args)
        assert done.code == 3 and "'git commit' takes it" in done.error["hint"], done.out
    conflict.git("commit", "-qm", "taken")
    assert conflict.update().json["result"] == "up-to-date"
    assert_sound(conflict)


def test_a_merge_of_somebody_elses_is_left_alone(ready):
    """Begun after ours was given up: its files in git's folder are not ours to take away."""
    ready.git("switch", "-qc", "other")
    ready.edit({"a": "other\n"})
    ready.git("switch", "-q", "main")
    ready.edit({"a": MINE})
    assert ready.update().code == 5
    ready.git("merge", "--abort")
    ready.git("merge", "-q", "--no-ff", "other", check=False)
    told = (ready.child / ".git/MERGE_HEAD").read_text()
    for args in ((), ("--continue",), ("--abort",)):
        assert ready.update(*args).code == 3
    assert (ready.child / ".git/MERGE_HEAD").read_text() == told
    assert (ready.child / ".git/MERGE_MODE").read_text() == "no-ff"


# ---------------------------------------------------------------- staged


def test_no_commit_leaves_a_merge_for_git_commit(ready):
    before = ready.git("rev-parse", "HEAD")
    assert ready.update("--no-commit").json["result"] == "staged"
    ready.git("commit", "-q", "--no-edit")
    assert_merged(ready, before)
    assert ready.update().json["result"] == "up-to-date"
    assert_sound(ready)


def test_continue_of_what_is_staged_makes_the_merge(ready):
    before = ready.git("rev-parse", "HEAD")
    assert ready.update("--no-commit").json["result"] == "staged"
    assert ready.update("--continue").code == 0
    assert_merged(ready, before)


@pytest.mark.parametrize("take", TAKE.values(), ids=TAKE)
def test_a_base_that_history_has_already_stays_a_parent(ready, take):
    """git drops such a parent, unless MERGE_MODE tells it not to."""
    assert ready.update().code == 0
    assert ready.update("--to", "v1.0.0", "--allow-downgrade").code == 0
    before = ready.git("rev-parse", "HEAD")
    assert ready.update("--to", "v1.1.0", "--no-commit").json["result"] == "staged"
    take(ready, ready.child)
    assert_merged(ready, before)


def test_status_says_what_is_under_way(ready):
    assert ready.update("--no-commit").json["result"] == "staged"
    document = ready.tmplgen("status", ready.child, "--json").json
    assert document["in_progress"]
    ready.git("commit", "-q", "--no-edit")
    assert ready.tmplgen("status", ready.child, "--json").json["in_progress"] is None


# ---------------------------------------------------------------- where it is


def test_below_the_root_it_is_refused(world):
    world.release("1.0.0", {"a": LONG})
    world.git("init", "-q", world.child, cwd=world.folder)
    world.edit({"top": "x\n"})
    world.new(path=world.child / "services/a")
    world.commit("a project")
    world.release("1.1.0", {"a": THEIRS})
    before = snapshot(world)
    for args in ((), ("--dry-run",), ("--no-commit",)):
        done = world.update(*MERGE, *args, child=world.child / "services/a")
        assert (done.code, done.error["code"]) == (3, "not-at-root"), done.out
        assert "'services/a'" in done.error["message"]
        assert "--strategy pick" in done.error["hint"]
    assert snapshot(world) == before
    assert world.update("--strategy", "pick", child=world.child / "services/a").code == 0


# ---------------------------------------------------------------- branches, for review


def test_on_a_branch_of_its_own_it_is_made_anew(ready):
    before = ready.git("rev-parse", "HEAD")
    assert ready.update("--branch", "bot").code == 0
    assert ready.git("symbolic-ref", "--short", "HEAD") == "bot"
    assert_merged(ready, before)
    first = ready.git("rev-parse", "bot")
    ready.git("switch", "-q", "main")
    done = ready.update("--branch", "bot", "--refresh")
    assert done.json["result"] == "up-to-date", done.out
    assert ready.git("rev-parse", "bot") == first
    ready.release("1.2.0", {"a": THEIRS, "b": LONG})
    assert ready.update("--branch", "bot", "--refresh").json["result"] == "updated"
    assert_merged(ready, before)
    ready.git("switch", "-q", "main")
    done = ready.update("--branch", "bot", "--refresh", "--strategy", "pick")
    assert done.json["result"] == "updated"
    assert parents(ready, "bot") == [before]
    ready.git("switch", "-q", "main")
    assert ready.update("--branch", "bot", "--refresh").json["result"] == "updated"
    assert parents(ready, "bot")[0] == before and len(parents(ready, "bot")) == 2


@pytest.mark.parametrize("change", ["tree", "message", "parent"])
def test_a_branch_with_a_merge_that_was_changed_is_not_made_anew(ready, change):
    assert ready.update("--branch", "bot").code == 0
    first, base = parents(ready, "bot")
    if change == "tree":
        ready.edit({"b": MINE})
        ready.git("reset", "-q", "--soft", "HEAD~1")
    message = ready.git("log", "-1", "--format=%B", "bot")
    if change == "message":
        message = message.replace("Update", "Renew", 1)
    second = first if change == "parent" else base
    made = ready.git(
        "commit-tree", ready.git("write-tree"), "-p", first, "-p", second, "-m", message
    )
    ready.git("reset", "-q", "--hard", made)
    ready.git("switch", "-q", "main")
    done = ready.update("--branch", "bot", "--refresh")
    assert (done.code, done.error["code"]) == (3, "foreign-commit"), done.out


def test_conflicts_that_are_committed_are_a_merge(ready):
    ready.edit({"a": MINE})
    before = ready.git("rev-parse", "HEAD")
    done = ready.update("--on-conflict", "commit", "--branch", "bot")
    assert (done.code, done.json["result"]) == (5, "conflicts")
    assert_merged(ready, before)
    assert (ready.read("a"), ready.read("a.tmplgen-theirs")) == (MINE, THEIRS)


NEXT = {"a": lines(20, {5: "theirs", 15: "newer"}), "b": THEIRS, "added": "new\n"}


@pytest.mark.parametrize("first, then", [("pick", "merge"), ("merge", "pick")])
@pytest.mark.parametrize("kind", ["clean", "conflict"])
def test_after_the_one_comes_the_other(ready, kind, first, then):
    if kind == "conflict":
        ready.edit({"a": MINE})
    assert ready.update("--strategy", first).code == (5 if kind == "conflict" else 0)
    if kind == "conflict":
        put(ready.child, {"a": MINE})
        ready.git("add", "a")
        assert ready.update("--continue").code == 0
    ready.release("1.2.0", NEXT)
    before = ready.git("rev-parse", "HEAD")
    done = ready.update("--strategy", then)
    assert done.code == 0, done.out
    assert parents(ready)[0] == before
    assert len(parents(ready)) == (2 if then == "merge" else 1)
    assert "newer" in ready.read("a")
    assert_sound(ready)


def test_the_base_is_found_in_a_merges_second_parent(ready):
    """Where the catalog is gone and the refs were not cloned, history has it."""
    assert ready.update().code == 0
    there = ready.folder / "clone"
    ready.git("clone", "-q", f"file://{ready.child}", there, cwd=ready.folder)
    assert ready.git("for-each-ref", "refs/tmplgen/", cwd=there) == ""
    moved = ready.folder / "moved"
    ready.catalog.rename(moved)
    ready.catalog = moved
    ready.release("1.1.0", {"a": "other history\n"})
    ready.git("checkout", "-q", "--orphan", "fresh", cwd=moved)
    ready.release("1.2.0", NEXT)
    ready.git("tag", "-d", "v1.1.0", cwd=moved)
    ready.git("tag", "-d", "v1.0.0", cwd=moved)
    done = ready.update("--catalog", moved, "--to", "v1.2.0", child=there)
    assert done.code == 0, done.out
    assert "newer" in ready.read("a", there)


def test_a_merge_that_was_reverted_can_be_taken_again(ready):
    """To git it is merged for good: by history alone nothing would ever come."""
    assert ready.update().code == 0
    tree = ready.tree()
    ready.git("revert", "--no-edit", "-m", "1", "HEAD")
    before = ready.git("rev-parse", "HEAD")
    assert ready.update().code == 0
    assert ready.tree() == tree
    assert_merged(ready, before)


def test_branches_that_merged_the_same_version_have_nothing_left_to_do(ready):
    ready.git("switch", "-qc", "topic")
    ready.edit({"other": "topic\n"})
    assert ready.update().code == 0
    ready.git("switch", "-q", "main")
    assert ready.update().code == 0
    ready.git("merge", "-q", "-m", "merged", "topic")
    assert ready.update().json["result"] == "up-to-date"
    ready.release("1.2.0", NEXT)
    assert ready.update().code == 0
    assert "newer" in ready.read("a")


def test_a_staged_merge_that_was_stashed_is_an_ordinary_change(ready):
    """As of any merge, git's stash forgets that it was one; every hint says what works."""
    before = ready.git("rev-parse", "HEAD")
    assert ready.update("--no-commit").json["result"] == "staged"
    ready.git("stash", "-q")
    assert "nothing of it" in ready.update("--continue").error["message"]
    ready.git("stash", "pop", "-q", "--index")
    for args in ((), ("--continue",), ("--abort",)):
        done = ready.update(*args)
        assert done.code == 3 and "'git commit' takes it" in done.error["hint"], done.out
    ready.git("commit", "-qm", "taken")
    assert parents(ready) == [before]
    assert ready.update().json["result"] == "up-to-date"
    assert_sound(ready)
