"""`status` and `diff`: what the child changed, and what waits."""

import shutil

import pytest

from .scenarios import LONG, lines, template
from .world import RECORD, files_on_disk, git_files, put


def make(world):
    world.release(
        "1.0.0",
        {"a": LONG, "b": lines(30), "c": "1\n", "m": "1\n", "y/z": "1\n"},
        template=template("managed m"),
    )
    world.new()


def states(world, **more):
    done = world.tmplgen("status", world.child, "--json", **more)
    return {p["path"]: p["state"] for p in done.json["paths"]}


def test_fresh_child_has_nothing_to_tell(world):
    make(world)
    document = world.tmplgen("status", world.child, "--json").json
    assert (document["template"], document["catalog"]["version"]) == ("app", "1.0.0")
    assert (document["paths"], document["in_progress"]) == ([], None)
    assert document["update"] == {"available": None}


def test_every_change_has_its_state(world):
    make(world)
    world.edit({"a": lines(20, {3: "x"}), "moved": {"from": "b"}, "c": None, "own": "o\n"})
    world.edit(
        {RECORD: world.read(RECORD).replace("yours: []", 'yours:\n  - "y/**"'), "y/z": "2\n"}
    )
    assert states(world) == {
        "a": "modified",
        "moved": "renamed",
        "c": "deleted",
        "own": "added",
        "y/z": "yours",
    }


def test_changes_that_are_not_committed_count(world):
    make(world)
    (world.child / "a").write_text("x\n")
    (world.child / "c").unlink()
    assert states(world) == {"a": "modified", "c": "deleted"}


def test_an_update_that_waits_is_told(world):
    make(world)
    world.release("1.1.0", {"a": LONG})
    document = world.tmplgen("status", world.child, "--json").json
    assert document["update"] == {"available": "1.1.0"}


def test_operations_half_done_are_told(world):
    make(world)
    world.edit({"a": lines(20, {3: "mine"})})
    world.release("1.1.0", {"a": lines(20, {3: "theirs"}), "b": lines(30)})
    assert world.update().code == 5
    assert world.tmplgen("status", world.child, "--json").json["in_progress"] == "conflicts"
    assert world.tmplgen("update", world.child, "--abort").code == 0
    assert world.tmplgen("status", world.child, "--json").json["in_progress"] is None


def test_looking_writes_nothing(world):
    make(world)
    (world.child / "a").write_text("x\n")
    before = (files_on_disk(world.child, times=True), git_files(world.child / ".git"))
    world.tmplgen("status", world.child)
    world.tmplgen("diff", world.child)
    world.update("--check")
    assert (files_on_disk(world.child, times=True), git_files(world.child / ".git")) == before


def test_base_that_cannot_be_proven_is_a_warning(world):
    make(world)
    world.git("update-ref", "-d", world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen"))
    world.git("checkout", "-q", "--orphan", "other")
    world.edit({"a": "x\n"})
    world.catalog.rename(world.folder / "gone")
    document = world.tmplgen("status", world.child, "--json").json
    assert document["paths"] == []
    assert len(document["warnings"]) == 2


@pytest.mark.parametrize("plain", [False, True])
def test_A4_catalog_that_gives_no_answer_is_a_warning_and_with_fetch_an_error(world, plain):
    make(world)
    if plain:
        shutil.rmtree(world.catalog / ".git")
        world.child = world.new(path=world.folder / "of-a-folder")
    here = world.tmplgen("status", world.child, "--json")
    assert world.tmplgen("status", world.child, "--json", "--fetch").out == here.out
    world.catalog.rename(world.folder / "gone")
    known = world.tmplgen("status", world.child, "--json")
    assert (known.code, known.json["update"]) == (0, {"available": None})
    assert any("whether there is an update is not known" in w for w in known.json["warnings"])
    asked = world.tmplgen("status", world.child, "--fetch", "--json")
    assert (asked.code, asked.error["code"]) == (1, "unreachable-catalog")
    assert asked.error == world.update("--check").error


def test_A4_fetch_tells_an_update_that_waits(world):
    make(world)
    world.release("1.1.0", {"a": LONG})
    document = world.tmplgen("status", world.child, "--fetch", "--json").json
    assert document["update"] == {"available": "1.1.0"}


def test_diff_is_a_patch_that_git_applies(world):
    make(world)
    base = world.copy("base")
    world.edit({"a": lines(20, {3: "x"}), "c": None, "own": "o\n", "m": ("x", "1\n")})
    patch = world.tmplgen("diff", world.child).out
    world.git("update-index", "-q", "--refresh", cwd=base)
    world.git("apply", "--index", cwd=base, stdin=patch.encode())
    assert world.git("write-tree", cwd=base) == world.tree()


def test_diff_without_changes_is_empty(world):
    make(world)
    done = world.tmplgen("diff", world.child)
    assert (done.code, done.out) == (0, "")


def test_status_works_from_a_folder_of_the_child(world):
    make(world)
    done = world.tmplgen("status", "--json", cwd=world.child / "y")
    assert done.json["template"] == "app"


def test_status_says_so_where_nothing_is_to_do(world):
    make(world)
    done = world.tmplgen("status", cwd=world.child)
    assert "No newer version is known; its files are as it made them\n" in done.out
    put(world.child, {"c": "2\n"})
    done = world.tmplgen("status", cwd=world.child)
    assert done.out.endswith("No newer version is known\n")


# ---------------------------------------------------------------- what is only staged


def stage(world):
    """A new file, a rename, an edit, a mere intent, one taken out of the index; all on disk."""
    make(world)
    base = world.copy("base")
    put(world.child, {"new": "x\n", "intended": "i\n", "c": "2\n"})
    world.git("add", "new", "c")
    world.git("add", "-N", "intended")
    world.git("mv", "b", "moved")
    world.git("rm", "-q", "--cached", "y/z")
    put(world.child, {"new": "x\ny\n"})
    return base


STAGED = {
    "c": "modified",
    "intended": "added",
    "moved": "renamed",
    "new": "added",
    "y/z": "deleted",
}


def test_staged_files_count_as_they_lie_on_disk(world):
    stage(world)
    assert states(world) == STAGED
    world.git("add", "new", "intended")
    world.git("commit", "-q", "-m", "staged")
    assert states(world) == STAGED


def test_diff_has_what_is_only_staged(world):
    base = stage(world)
    patch = world.tmplgen("diff", world.child).out
    world.git("update-index", "-q", "--refresh", cwd=base)
    world.git("apply", "--index", cwd=base, stdin=patch.encode())
    world.git("add", "new", "intended")
    assert world.git("write-tree", cwd=base) == world.git("write-tree")


def test_staged_and_gone_from_disk_is_not_there(world):
    make(world)
    put(world.child, {"new": "x\n", "intended": "i\n"})
    world.git("add", "new")
    world.git("add", "-N", "intended")
    put(world.child, {"new": None, "intended": None})
    assert states(world) == {}


def test_files_in_conflict_count_as_they_lie_on_disk(world):
    make(world)
    world.edit({"a": lines(20, {3: "mine"})})
    new = {"a": lines(20, {3: "theirs"}), "b": lines(30), "c": "1\n", "m": "1\n", "y/z": "1\n"}
    world.release("1.1.0", {**new, "n": "n\n"}, template=template("managed m"))
    assert world.update().code == 5
    assert states(world) == {"a": "modified", "n": "added"}


def test_staged_files_of_a_child_in_a_folder(world):
    make(world)
    top = world.folder / "mono"
    top.mkdir()
    world.git("init", "-q", cwd=top)
    put(top, {"README": "mono\n"})
    world.commit(cwd=top)
    child = world.new("--commit", path=top / "services" / "a")
    put(top, {"services/a/new": "x\n", "services/ab/new": "x\n", "new": "x\n"})
    world.git("add", "-A", cwd=top)
    done = world.tmplgen("status", child, "--json")
    assert {p["path"]: p["state"] for p in done.json["paths"]} == {"new": "added"}


def test_staged_files_with_other_line_endings_and_staged_links(world):
    make(world)
    put(world.child, {".gitattributes": "*.txt text eol=crlf\n", "t.txt": "1\r\n", "l": ("l", "a")})
    world.git("add", "-A")
    assert states(world) == {".gitattributes": "modified", "l": "added", "t.txt": "added"}
    assert world.tmplgen("diff", world.child).out.count("\r") == 0


# ---------------------------------------------------------------- what `update --check` says


def told(world):
    """The version that `status` tells; `update --check` must say the same."""
    document = world.tmplgen("status", world.child, "--json").json
    checked = world.update("--check")
    available = document["update"]["available"]
    assert checked.code == (6 if available else 0), checked.out
    if available:
        assert checked.json["to"]["version"] == available
    return available, document["warnings"]


def test_update_from_a_plain_folder_is_told(world):
    world.release("1.0.0", {"a": LONG})
    shutil.rmtree(world.catalog / ".git")
    world.new()
    assert told(world)[0] is None
    put(world.catalog, {"templates/app/files/a": lines(21)})
    assert told(world)[0] == "1.0.0"
    assert world.update().code == 0
    assert told(world)[0] is None


def test_update_that_the_record_alone_asks_for_is_told(world):
    ask = template(questions="  - {name: team, type: str, default: red}\n")
    world.release("1.0.0", {"t.j2": "{{ team }}\n"}, template=ask)
    world.new()
    world.edit({RECORD: world.read(RECORD).replace("team: red", "team: blue")})
    assert told(world)[0] == "1.0.0"
    world.edit({RECORD: world.read(RECORD).replace("team: blue", "team: red")})
    assert told(world)[0] is None


def test_overlay_that_changed_is_told(world):
    make(world)
    world.edit({".tmplgen-matrix.yml": "images: {images: []}\n"})
    assert told(world)[0] == "1.0.0"


def test_branch_that_is_gone_is_told(world):
    world.release("1.0.0", {"a": LONG}, tag=False)
    world.new(ref="main")
    assert told(world) == (None, [])
    world.git("branch", "-m", "trunk", cwd=world.catalog)
    world.release("1.1.0", {"a": lines(21)}, tag=False)
    available, warnings = told(world)
    assert available is None
    for said in (warnings, world.update().json["warnings"]):
        assert len(said) == 1 and "'main'" in said[0] and "--to" in said[0]
    assert world.update("--to", "trunk").code == 0
    assert told(world) == (None, [])


@pytest.mark.parametrize("length", [12, 40])
def test_commit_is_no_branch_that_is_gone(world, length):
    commit = world.release("1.0.0", {"a": LONG}, tag=False)
    world.new(ref=commit[:length])
    world.release("1.1.0", {"a": lines(21)}, tag=False)
    assert told(world) == (None, [])


def test_moved_tag_is_told(world):
    make(world)
    world.release("1.0.0", {"a": lines(21)})
    available, warnings = told(world)
    assert available is None
    assert any("v1.0.0" in text for text in warnings)


def test_no_file_of_the_catalog_is_read_that_is_not_needed(world):
    """Whether there is a newer version the commits say: it is rendered by the update."""
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    world.release("1.1.0", {"a": lines(20, {15: "theirs"})})
    blob = world.git("rev-parse", "HEAD:templates/app/files/a", cwd=world.catalog)
    (world.catalog / ".git/objects" / blob[:2] / blob[2:]).unlink()
    before = files_on_disk(world.child)
    status = world.tmplgen("status", world.child, "--json")
    assert (status.json["update"]["available"], status.json["warnings"]) == ("1.1.0", [])
    done = world.update()
    assert done.code == 1 and "templates/app/files/a" in done.error["message"], done.out
    assert files_on_disk(world.child) == before
