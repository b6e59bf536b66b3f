"""The child's own matrix rows, .tmplgen-matrix.yml: added, changed, removed, not committed."""

import pytest

from .scenarios import LONG, lines
from .test_stack import FILES, NEW, OLD, moved, ok, release, stack, start
from .world import RECORD, assert_sound, put, snapshot

OVERLAY = ".tmplgen-matrix.yml"
NOTHING = "images: {images: []}\n"


def rows(*versions):
    """An overlay with patch releases of the framework that the catalog does not know."""
    text = "frameworks:\n  demo:\n    releases:\n"
    for version in versions:
        text += f"    - {{version: {version}, pythons: 3.10, default: cu118, "
        text += "companions: {other: 1.0}}\n"
    text += "    builds:\n    - {variant: cu118, cuda: 11.8, x86_64: 8.0, releases: "
    return text + " ".join(versions) + "}\n"


def fails(world, code, word, *args, **more):
    before = snapshot(world, more.get("child"))
    done = world.update(*args, **more)
    assert (done.code, done.error["code"]) == (code, word), done.out
    assert snapshot(world, more.get("child")) == before
    return done.error


def status(world, child=None):
    return world.tmplgen("status", child or world.child, "--json").json


def shallow(world):
    world.git("clone", "-q", "--depth=1", f"file://{world.child}", "shallow", cwd=world.folder)
    return world.folder / "shallow"


# ---------------------------------------------------------------- committed


@pytest.mark.parametrize("text", [NOTHING, rows("1.0.5")], ids=["nothing", "newer"])
def test_added_overlay_counts_from_the_next_update_on(world, text):
    start(world)
    world.edit({OVERLAY: text, "a": lines(20, {3: "mine"})})
    document = status(world)
    assert [p["path"] for p in document["paths"]] == [OVERLAY, "a"]
    done = ok(world)
    assert done.json["base"]["proven_by"] == "render"
    assert stack(world) == ("1.0.0" if text == NOTHING else "1.0.5", "cu118")
    expected = {} if text == NOTHING else {"version": ("1.0.0", "1.0.5")}
    assert moved(done) == expected
    assert world.read("a") == lines(20, {3: "mine"})
    ok(world, result="up-to-date")
    assert_sound(world)


def test_overlay_that_changes_is_read_anew_and_one_that_goes_is_forgotten(world):
    start(world)
    for text, version in ((rows("1.0.5"), "1.0.5"), (rows("1.0.5", "1.0.6"), "1.0.6")):
        world.edit({OVERLAY: text})
        ok(world)
        assert stack(world) == (version, "cu118")
    world.edit({OVERLAY: None})
    done = ok(world)
    assert (stack(world), done.json["base"]["proven_by"]) == (("1.0.0", "cu118"), "render")
    ok(world, result="up-to-date")


def test_overlays_of_several_commits_without_an_update_between(world):
    start(world)
    world.edit({OVERLAY: rows("1.0.5")})
    ok(world)
    for text in (None, NOTHING, rows("1.0.5", "1.0.6")):
        world.edit({OVERLAY: text, "own": str(text)})
    ok(world)
    assert stack(world) == ("1.0.6", "cu118")


def test_overlay_and_a_new_version_come_together(world):
    start(world)
    world.edit({OVERLAY: rows("1.0.5"), "a": lines(20, {3: "mine"})})
    release(world, "1.1.0", NEW, files={**FILES, "a": lines(20, {15: "theirs"})})
    done = ok(world)
    assert stack(world) == ("1.0.5", "cu118")
    assert done.paths["pins"] == "updated"
    assert world.read("a") == lines(20, {3: "mine", 15: "theirs"})


def test_overlay_and_a_request_edited_by_hand_come_together(world):
    start(world)
    text = world.read(RECORD)
    edited = text.replace("  framework: demo\n", "  framework: demo==1.0.5\n")
    assert edited != text
    world.edit({OVERLAY: rows("1.0.5", "1.0.6"), RECORD: edited})
    ok(world)
    assert stack(world) == ("1.0.5", "cu118")
    ok(world, result="up-to-date")


def test_overlay_changed_in_the_commit_that_takes_a_staged_update(world):
    start(world)
    world.edit({OVERLAY: rows("1.0.5")})
    ok(world, "--no-commit", result="staged")
    world.edit({OVERLAY: rows("1.0.5", "1.0.6")})
    done = ok(world)
    assert moved(done) == {"version": ("1.0.5", "1.0.6")}


def test_overlay_in_the_very_first_commit(world):
    start(world)
    put(world.child, {OVERLAY: rows("1.0.5")})
    world.git("add", "-A")
    world.git("commit", "-q", "--amend", "-m", "all at once")
    ok(world)
    assert stack(world) == ("1.0.5", "cu118")


def test_overlay_of_a_template_without_a_stack(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({OVERLAY: NOTHING})
    ok(world)
    ok(world, result="up-to-date")


def test_broken_overlay_is_refused_with_its_place(world):
    start(world)
    world.edit({OVERLAY: "images: [\n"})
    error = fails(world, 2, "invalid")
    assert error["where"]["file"] == OVERLAY


# ---------------------------------------------------------------- where history does not tell


def test_added_overlay_needs_no_history(world):
    start(world)
    world.edit({OVERLAY: rows("1.0.5")})
    child = shallow(world)
    done = world.update(child=child)
    assert (done.code, world.read("pins", child)) == (0, "demo==1.0.5\n")


def test_shallow_clone_without_the_older_overlay_says_what_brings_it(world):
    start(world)
    world.edit({OVERLAY: rows("1.0.5")})
    ok(world)
    world.edit({OVERLAY: rows("1.0.5", "1.0.6")})
    child = shallow(world)
    error = fails(world, 3, "edited-record", child=child)
    assert OVERLAY in error["message"] and "git fetch --unshallow" in error["hint"]
    world.git("fetch", "-q", "--unshallow", cwd=child)
    assert world.update(child=child).code == 0
    assert world.read("pins", child) == "demo==1.0.6\n"


def test_record_and_overlay_that_never_belonged_together_are_both_named(world):
    start(world)
    world.edit({OVERLAY: rows("1.0.5")})
    ok(world)
    put(world.child, {OVERLAY: rows("1.0.5", "1.0.6")})
    world.git("checkout", "-q", "--orphan", "anew")
    world.commit()
    error = fails(world, 3, "edited-record")
    assert OVERLAY in error["message"] and RECORD in error["message"]
    assert "unshallow" not in error["hint"]


# ---------------------------------------------------------------- not committed


UNCOMMITTED = {
    "new": (None, NOTHING),
    "broken": (None, "x: ["),
    "changed": (NOTHING, NOTHING + "\n"),
    "deleted": (NOTHING, None),
}


@pytest.mark.parametrize("case", UNCOMMITTED)
def test_overlay_that_is_not_committed_is_refused_and_told(world, case):
    committed, now = UNCOMMITTED[case]
    start(world)
    if committed:
        world.edit({OVERLAY: committed})
        ok(world)
    put(world.child, {OVERLAY: now})
    for args in ((), ("--dry-run",)):
        assert OVERLAY in fails(world, 3, "dirty", *args)["message"]
    done = world.update("--check")
    assert (done.code, done.json["result"]) == (0, "up-to-date")
    for warnings in (done.json["warnings"], status(world)["warnings"]):
        assert len(warnings) == 1 and OVERLAY in warnings[0]
    world.commit()
    assert not any("not committed" in text for text in status(world)["warnings"])


@pytest.mark.parametrize("shape", [("l", "nowhere"), "folder"])
def test_what_is_no_file_is_no_overlay(world, shape):
    start(world)
    world.edit({f"{OVERLAY}/x": "x\n"} if shape == "folder" else {OVERLAY: shape})
    ok(world, result="up-to-date")


def test_record_that_is_not_committed_is_told(world):
    start(world)
    put(world.child, {RECORD: world.read(RECORD) + "\n"})
    for warnings in (world.update("--check").json["warnings"], status(world)["warnings"]):
        assert len(warnings) == 1 and RECORD in warnings[0]


def test_overlay_outside_of_the_sparse_checkout_counts(world):
    start(world)
    world.edit({OVERLAY: rows("1.0.5")})
    world.git("sparse-checkout", "set", "--no-cone", "/*", f"!/{OVERLAY}")
    assert not (world.child / OVERLAY).exists()
    ok(world)
    assert stack(world) == ("1.0.5", "cu118")


def test_overlay_of_a_child_in_a_folder(world):
    release(world, "1.0.0", OLD)
    top = world.folder / "mono"
    top.mkdir()
    world.git("init", "-q", cwd=top)
    put(top, {"README": "mono\n"})
    world.commit(cwd=top)
    child = world.new("--framework", "demo", "--commit", path=top / "services" / "a")
    put(child, {OVERLAY: rows("1.0.5")})
    error = fails(world, 3, "dirty", child=child)
    assert f"services/a/{OVERLAY}" in error["message"]
    world.commit(cwd=top)
    assert world.update(child=child).code == 0
    assert world.read("pins", child) == "demo==1.0.5\n"
