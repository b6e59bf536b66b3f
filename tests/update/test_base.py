"""What the child was made from: a base that is named is checked, and bases travel in clones."""

import shutil

from .scenarios import lines, template
from .world import assert_sound, put, snapshot, stocked

MODEL = lines(40, {1: "class Model:"})
FIRST = {"a": lines(20), "b": "1\n", "c/d": lines(12)}
SECOND = {"a": lines(20, {15: "two"}), "b": "2\n", "c/d": lines(12), "e": "new\n"}
THIRD = {"a": lines(20, {15: "three"}), "b": "2\n", "e": "new\n", "f": "more\n"}


def rewrite_catalog(world, version="3.0.0", files=THIRD, **more):
    """Another history: no commit of before is there any more, nor a tag."""
    shutil.rmtree(world.catalog)
    world.release(version, files, **more)


def clone(world, *args, name="clone"):
    world.git("clone", "-q", *args, f"file://{world.child}", name, cwd=world.folder)
    return world.folder / name


@stocked
def updated(world):
    """A child of 1.0.0 with work of its own, updated to 2.0.0."""
    world.release("1.0.0", FIRST)
    world.new()
    world.edit({"src/model.py": MODEL, "a": lines(20, {3: "mine"})})
    world.release("2.0.0", SECOND)
    done = world.update()
    assert (done.code, done.json["result"]) == (0, "updated"), done.out


def lose(world):
    """Nothing proves the base: the history begins anew, and the catalog's, too."""
    rewrite_catalog(world)
    world.git("checkout", "-q", "--orphan", "anew")
    world.commit("anew")
    for name in world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split():
        world.git("update-ref", "-d", name)


def refused(world, child, *args, code="unproven-base"):
    before = snapshot(world, child)
    done = world.update(*args, child=child)
    assert (done.code, done.error["code"]) == (3, code), done.out
    assert snapshot(world, child) == before
    return done.error


def note_of(done, path):
    return next(entry["note"] or "" for entry in done.json["paths"] if entry["path"] == path)


# ---------------------------------------------------------------- --base


def test_A1_base_head_is_refused_and_shows_what_it_would_do(updated):
    lose(updated)
    error = refused(updated, updated.child, "--base", "HEAD")
    assert "delete 2 files of your own ('c/d', 'src/model.py')" in error["message"]
    assert "undo what you changed in 1 file ('a')" in error["message"]
    assert "--base HEAD --trust-base" in error["hint"]
    assert_sound(updated)


def test_A1_trusted_base_never_deletes_what_no_version_renders(updated):
    lose(updated)
    done = updated.update("--base", "HEAD", "--trust-base")
    assert done.code == 0, done.out
    assert done.json["base"]["proven_by"] == "given"
    assert updated.read("src/model.py") == MODEL
    assert updated.read("c/d") == FIRST["c/d"]
    assert updated.read("a") == THIRD["a"]  # the edit is undone: that was said
    assert "src/model.py" not in done.paths
    assert any("'src/model.py'" in warning for warning in done.json["warnings"])
    assert any("undone" in warning and "('a')" in warning for warning in done.json["warnings"])
    assert "undone" in note_of(done, "a")
    assert_sound(updated)


def test_A1_trusted_base_tells_what_it_undoes_where_work_went_on_since(updated):
    """The commit has one edit, the child another since: the first is undone, the second stays."""
    base = updated.git("rev-parse", "HEAD")
    updated.edit({"a": lines(20, {3: "mine", 9: "later", 15: "two"})})
    rewrite_catalog(updated)
    updated.git("checkout", "-q", "--orphan", "anew")
    updated.commit("anew")
    for name in updated.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split():
        updated.git("update-ref", "-d", name)
    done = updated.update("--base", base, "--trust-base")
    assert (done.code, done.paths["a"]) == (0, "merged"), done.out
    assert updated.read("a") == lines(20, {9: "later", 15: "three"})
    assert "undone" in note_of(done, "a")
    assert any("undone" in warning and "('a')" in warning for warning in done.json["warnings"])


def test_A1_trusted_base_undoes_nothing_where_the_rendering_is_known(world):
    """'new' was the child's before the template had one; line 15 of 'a' both changed."""
    world.release("1.0.0", {"a": lines(20), "b": lines(20)})
    world.new()
    own = lines(9, {1: "own"})
    world.edit({"new": own, "a": lines(20, {15: "mine"}), "b": lines(20, {3: "mine"})})
    theirs = lines(20, {15: "two"})
    world.release("2.0.0", {"a": theirs, "b": theirs, "new": lines(9, {1: "theirs"})})
    done = world.update("--base", "HEAD", "--trust-base")
    assert done.code == 5, done.out
    assert {path: done.paths[path] for path in ("a", "b", "new")} == {
        "a": "conflict",
        "b": "merged",
        "new": "conflict",
    }
    assert world.read("b") == lines(20, {3: "mine", 15: "two"})
    warned = " ".join(done.json["warnings"])
    assert all(f"'{path}'" in warned for path in ("a", "b", "new"))


def test_trusted_base_deletes_what_a_version_rendered_and_nobody_changed(updated):
    """Version 1.0.0 is at hand still, as the catalog's tag: 'c/d' is the template's."""
    lose(updated)
    files = updated.catalog / "templates/app/files"
    shutil.rmtree(updated.catalog)
    updated.release("1.0.0", FIRST)
    updated.release("3.0.0", THIRD)
    assert files.exists()
    error = refused(updated, updated.child, "--base", "HEAD")
    assert "delete 1 file of your own ('src/model.py')" in error["message"]
    done = updated.update("--base", "HEAD", "--trust-base")
    assert (done.code, done.paths["c/d"]) == (0, "deleted"), done.out
    assert updated.read("src/model.py") == MODEL


def test_trusted_base_leaves_an_edited_file_that_the_template_dropped_to_the_user(updated):
    mine = lines(12, {2: "mine"})
    updated.edit({"c/d": mine})
    lose(updated)
    shutil.rmtree(updated.catalog)
    updated.release("1.0.0", FIRST)
    updated.release("3.0.0", THIRD)
    done = updated.update("--base", "HEAD", "--trust-base")
    assert (done.code, done.paths["c/d"]) == (5, "conflict"), done.out
    assert updated.read("c/d") == mine


def test_base_that_is_the_recorded_rendering_is_taken_in_silence(world):
    world.release("1.0.0", FIRST)
    world.new()
    made = world.git("rev-parse", "HEAD")
    world.edit({"own": MODEL, "a": lines(20, {3: "mine"})})
    rewrite_catalog(world)
    done = world.update("--base", made)
    assert (done.code, done.json["base"]["proven_by"]) == (0, "given"), done.out
    assert world.read("a") == lines(20, {3: "mine", 15: "three"})
    assert world.read("own") == MODEL


def test_base_that_is_wrong_where_it_can_be_proven_is_not_needed(updated):
    updated.release("3.0.0", THIRD)
    error = refused(updated, updated.child, "--base", "HEAD")
    assert "leave --base out" in error["hint"]
    assert "'src/model.py'" in error["message"] and "'a'" in error["message"]
    assert "'c/d'" not in error["message"]  # a version rendered it just so


def test_base_of_a_child_in_a_folder_is_its_folder_in_the_commit(world):
    top = world.folder / "mono"
    top.mkdir()
    world.git("init", "-q", cwd=top)
    world.release("1.0.0", FIRST)
    child = world.new("--commit", path=top / "services" / "a")
    made = world.git("rev-parse", "HEAD", cwd=top)
    put(child, {"own": MODEL})
    world.commit(cwd=top)
    rewrite_catalog(world)
    refused(world, child, "--base", "HEAD")
    done = world.update("--base", made, child=child)
    assert (done.code, done.json["base"]["proven_by"]) == (0, "given"), done.out
    assert world.read("own", child) == MODEL


def test_trust_base_alone_is_wrong_usage(updated):
    done = updated.update("--trust-base")
    assert (done.code, done.error["code"]) == (2, "usage")


def test_long_lists_are_cut_off(updated):
    updated.edit({f"own/{number}": MODEL + str(number) for number in range(13)})
    lose(updated)
    message = refused(updated, updated.child, "--base", "HEAD")["message"]
    assert "delete 15 files" in message and "and 5 more" in message


# ---------------------------------------------------------------- bases travel


def assert_third(world, child, own):
    assert world.read("a", child) == lines(20, {3: "mine", 15: "three"})
    assert world.read("f", child) == "more\n"
    assert not (child / "c").exists()
    for path, text in own.items():
        assert world.read(path, child) == text
    assert_sound(world, child)


def test_A1_base_of_the_last_update_is_proven_in_a_fresh_clone(updated):
    fresh = clone(updated)
    rewrite_catalog(updated)
    done = updated.update(child=fresh)
    assert done.code == 0, done.out
    assert done.json["base"]["proven_by"] == "history"
    assert_third(updated, fresh, {"src/model.py": MODEL})
    status = updated.tmplgen("status", fresh, "--json").json
    states = {path["path"]: path["state"] for path in status["paths"]}
    assert states == {"a": "modified", "src/model.py": "added"}


def test_bases_of_many_updates_with_edits_between_are_proven(world):
    """Edits beside the template's lines, files of the child's own, a pin in a file of pins."""
    rules = template("lines pins.txt")

    def version(number, **more):
        a = lines(20, {15: f"{number}", number + 10: "more"})
        pins = f"x=={number}\ny==1\nz==1\n"
        return {"a": a, "pins.txt": pins, f"n{number}": "x\n", "m": lines(30), **more}

    world.release("1.0.0", version(1), rules)
    world.new()
    for number in range(2, 7):
        world.edit(
            {
                f"own{number}": f"{number}\n",
                "a": world.read("a").replace("line 3\n", "mine\n") + f"{number}\n",
                "pins.txt": world.read("pins.txt").replace("y==1", "y==7"),
            }
        )
        world.release(f"{number}.0.0", version(number), rules)
        done = world.update()
        assert done.code == 0, done.out
    fresh = clone(world)
    rewrite_catalog(world, "9.0.0", version(6, m=lines(30, {9: "nine"})), template=rules)
    before = world.read("a", fresh)
    done = world.update(child=fresh)
    assert (done.code, done.json["base"]["proven_by"]) == (0, "history"), done.out
    assert done.paths == {"m": "updated", "a": "kept-yours", "pins.txt": "kept-yours"}
    assert world.read("a", fresh) == before


def test_update_on_a_branch_that_was_merged_is_proven(world):
    world.release("1.0.0", FIRST)
    world.new()
    world.edit({"src/model.py": MODEL, "a": lines(20, {3: "mine"})})
    world.release("2.0.0", SECOND)
    assert world.update("--branch", "bot").code == 0
    world.git("switch", "-q", "main")
    world.edit({"own": "own\n"})
    world.git("merge", "-q", "--no-ff", "-m", "merged", "bot")
    fresh = clone(world)
    rewrite_catalog(world)
    done = world.update(child=fresh)
    assert (done.code, done.json["base"]["proven_by"]) == (0, "history"), done.out
    assert_third(world, fresh, {"src/model.py": MODEL, "own": "own\n"})


def test_update_that_was_committed_by_hand_is_proven(world):
    world.release("1.0.0", FIRST)
    world.new()
    world.edit({"a": lines(20, {3: "mine"}), "src/model.py": MODEL})
    world.release("2.0.0", SECOND)
    assert world.update("--no-commit").code == 0
    world.git("commit", "-q", "-m", "by hand")
    fresh = clone(world)
    rewrite_catalog(world)
    done = world.update(child=fresh)
    assert (done.code, done.json["base"]["proven_by"]) == (0, "history"), done.out
    assert_third(world, fresh, {"src/model.py": MODEL})


def test_file_that_the_child_moved_is_replayed_where_it_was(world):
    world.release("1.0.0", {**FIRST, "old": lines(30)})
    world.new()
    world.git("mv", "old", "moved")
    world.edit({"a": lines(20, {3: "mine"}), "src/model.py": MODEL})
    world.release("2.0.0", {**SECOND, "old": lines(30, {9: "two"})})
    assert world.update().paths["moved"] == "updated"
    fresh = clone(world)
    rewrite_catalog(world, files={**THIRD, "old": lines(30, {9: "two", 20: "three"})})
    done = world.update(child=fresh)
    assert (done.code, done.json["base"]["proven_by"]) == (0, "history"), done.out
    assert world.read("moved", fresh) == lines(30, {9: "two", 20: "three"})


def test_history_that_does_not_prove_it_is_refused_and_never_guessed(updated):
    """A conflict was resolved the child's way: what the template had there nobody knows."""
    updated.edit({"a": lines(20, {3: "mine", 15: "mine"})})
    updated.release("2.1.0", {**SECOND, "a": lines(20, {15: "another"})})
    assert updated.update().code == 5
    put(updated.child, {"a": lines(20, {3: "mine", 15: "mine"})})
    updated.git("add", "a")
    assert updated.tmplgen("update", "--continue", cwd=updated.child).code == 0
    fresh = clone(updated)
    rewrite_catalog(updated)
    error = refused(updated, fresh, code="no-base")
    assert "--base COMMIT" in error["hint"]
    assert "`git rm .tmplgen.yml`, commit, then `tmplgen adopt --type app`" in error["hint"]
    updated.git("rm", "-q", ".tmplgen.yml", cwd=fresh)
    updated.git("commit", "-q", "-m", "anew", cwd=fresh)
    before = updated.listing(child=fresh)
    words = ("adopt", fresh, "--type", "app", "--catalog", updated.catalog)
    assert updated.tmplgen(*words).code == 0
    after = updated.listing(child=fresh)
    assert {path: after[path] for path in before} == before
    assert updated.update(child=fresh).json["result"] == "up-to-date"


def test_same_tag_of_a_rewritten_catalog_renders_the_base(updated):
    """Where neither ref nor history has it: the id is what proves, not the catalog's commit."""
    lose(updated)
    shutil.rmtree(updated.catalog)
    updated.release("2.0.0", SECOND)
    updated.release("3.0.0", THIRD)
    done = updated.update()
    assert (done.code, done.json["base"]["proven_by"]) == (0, "render"), done.out
    assert_third(updated, updated.child, {"src/model.py": MODEL})


def test_depth_1_clone_is_refused_with_the_true_reason(updated):
    shallow = clone(updated, "--depth=1")
    rewrite_catalog(updated)
    error = refused(updated, shallow, code="no-base")
    assert "shallow" in error["message"]
    assert "git fetch --unshallow" in error["hint"]
    updated.git("fetch", "-q", "--unshallow", cwd=shallow)
    done = updated.update(child=shallow)
    assert (done.code, done.json["base"]["proven_by"]) == (0, "history"), done.out
    assert_third(updated, shallow, {"src/model.py": MODEL})


def test_update_commit_that_holds_more_than_the_update_proves_nothing(updated):
    """What it did to a file is no longer what the template did."""
    fresh = clone(updated)
    put(fresh, {"b": "other\n"})
    updated.git("commit", "-qa", "--amend", "-m", "more than the update", cwd=fresh)
    rewrite_catalog(updated)
    refused(updated, fresh, code="no-base")
