"""The catalogs that an update reads: moved, rewritten, gone, hostile; and a base that drifted."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
import yaml

from ..common.program import BINARY
from .scenarios import LONG, lines, template
from .world import RECORD, assert_sound, files_on_disk, put, snapshot


def text(number):
    return {"a": lines(20, {number: f"version {number}"})}


def ok(world, *args, result="updated", **more):
    done = world.update(*args, **more)
    assert done.code == 0, done.out
    assert done.json["result"] == result
    return done


def fails(world, code, word, *args, **more):
    before = snapshot(world)
    done = world.update(*args, **more)
    assert (done.code, done.error["code"]) == (code, word), done.out
    assert done.error["message"]
    assert snapshot(world) == before
    assert_sound(world)
    return done.error


def recorded(world):
    return yaml.safe_load(world.read(RECORD))["catalog"]


def by_url(world):
    """A child whose record names the catalog as file://."""
    world.release("1.0.0", text(1))
    path, world.catalog = world.catalog, f"file://{world.catalog}"
    world.new()
    world.catalog = path


def bare(world):
    """The catalog as a bare repository, as it lies on a server."""
    target = world.folder / "bare.git"
    shutil.rmtree(target, ignore_errors=True)
    world.git("clone", "-q", "--bare", world.catalog, target, cwd=world.folder)
    return target


# ---------------------------------------------------------------- where it lies


def test_file_url_follows_tags_and_stays_a_url(world):
    by_url(world)
    world.release("1.1.0", text(2))
    world.release("1.2.0-rc.1", text(3))
    ok(world)
    assert recorded(world)["source"] == f"file://{world.catalog}"
    assert (recorded(world)["ref"], recorded(world)["version"]) == ("v1.1.0", "1.1.0")
    ok(world, result="up-to-date")


def test_moved_tag_behind_a_file_url_is_told_and_the_recorded_commit_counts(world):
    by_url(world)
    old = recorded(world)["commit"]
    world.release("1.0.0", text(2))
    done = ok(world, result="up-to-date")
    assert any("v1.0.0" in w for w in done.json["warnings"]), done.json
    assert recorded(world)["commit"] == old
    world.release("1.1.0", text(3))
    world.edit({"own": "own\n"})
    done = ok(world)
    assert done.json["base"]["proven_by"] == "render"
    assert any("v1.0.0" in w for w in done.json["warnings"]), done.json


def test_moved_tag_is_taken_when_it_is_named(world):
    by_url(world)
    moved = world.release("1.0.0", text(2))
    ok(world, "--to", "v1.0.0")
    assert recorded(world)["commit"] == moved
    assert world.read("a") == text(2)["a"]
    ok(world, result="up-to-date")


def test_tag_that_is_gone_leaves_the_recorded_commit(world):
    by_url(world)
    world.git("tag", "-d", "v1.0.0", cwd=world.catalog)
    ok(world, result="up-to-date")
    world.release("1.1.0", text(2))
    ok(world)


def test_bare_repository_is_a_catalog_like_another(world):
    world.release("1.0.0", text(1))
    child_of = bare(world)
    world.catalog, source = child_of, world.catalog
    world.new()
    world.catalog = source
    world.release("1.1.0", text(2))
    bare(world)
    ok(world)
    assert recorded(world)["source"] == str(child_of)


def test_catalog_option_takes_a_new_place_and_a_ref(world):
    world.release("1.0.0", text(1))
    world.new()
    world.release("1.1.0", text(2))
    world.release("1.2.0", text(3))
    moved = world.folder / "moved"
    world.catalog.rename(moved)
    ok(world, "--catalog", f"{moved}@v1.1.0")
    assert recorded(world)["source"] == str(moved)
    assert recorded(world)["ref"] == "v1.1.0"
    ok(world)
    assert recorded(world)["ref"] == "v1.2.0"


def test_catalog_option_with_another_history_proves_the_base_by_its_ref(world):
    world.release("1.0.0", text(1))
    world.new()
    world.edit({"a": lines(20, {1: "version 1", 12: "mine"})})
    shutil.rmtree(world.catalog)
    world.catalog = world.folder / "another"
    world.release("2.0.0", text(2))
    done = ok(world, "--catalog", world.catalog)
    assert done.json["base"]["proven_by"] == "ref"
    assert world.read("a") == lines(20, {2: "version 2", 12: "mine"})


def test_same_version_at_a_new_place_changes_the_record_alone(world):
    world.release("1.0.0", text(1))
    world.new()
    moved = world.folder / "moved"
    world.catalog.rename(moved)
    done = ok(world, "--catalog", moved)
    assert done.paths == {}
    assert world.git("show", "--name-only", "--format=", "HEAD") == RECORD
    assert recorded(world)["source"] == str(moved)


def test_remote_catalog_that_nobody_trusted_is_refused(world):
    world.release("1.0.0", text(1))
    world.new()
    error = fails(world, 3, "untrusted-source", "--catalog", "https://example.org/catalog.git")
    assert "--trust" in error["hint"]


def test_what_is_not_committed_in_the_catalog_never_comes_in(world):
    world.release("1.0.0", text(1))
    world.new()
    world.release("1.1.0", text(2))
    put(world.catalog / "templates/app/files", {"a": "not committed\n"})
    ok(world)
    assert world.read("a") == text(2)["a"]


# ---------------------------------------------------------------- what may be wrong with it


HOSTILE = {
    "no catalog.yml": ({"catalog.yml": None}, 2),
    "no template": ({"templates/app/template.yml": None}, 2),
    "bad YAML": ({"templates/app/template.yml": "a: [\n"}, 2),
    "anchors": ({"catalog.yml": "name: &a demo\nversion: 9.0.0\n"}, 2),
    "unknown key": ({"catalog.yml": "name: demo\nversion: 9.0.0\nhooks: [rm]\n"}, 2),
    "broken template": ({"templates/app/files/b.j2": "{% if %}\n"}, 2),
    "endless template": (
        {"templates/app/files/b.j2": "{% for i in range(100000) %}" * 3 + "x" + "{% endfor %}" * 3},
        2,
    ),
    "link": ({"templates/app/files/b": ("l", "/etc/passwd")}, 2),
    "name with dots": ({"templates/app/files/{{ '..' }}.j2": "x\n"}, 3),
    "way out": ({"templates/app/files/{{ '..' }}/{{ '..' }}/out": "x\n"}, 3),
    "git folder": ({"templates/app/files/{{ '.git' }}/hooks/post-commit": ("x", "x\n")}, 3),
    "git folder, folded": ({"templates/app/files/{{ '.GIT' }}/config": "x\n"}, 3),
    "git folder, short": ({"templates/app/files/{{ 'GIT~1' }}/config": "x\n"}, 3),
    "two that fold to one": (
        {"templates/app/files/Readme": "x\n", "templates/app/files/README": "y\n"},
        2,
    ),
    "the record": ({"templates/app/files/.tmplgen.yml": "x\n"}, 2),
    "newer tool": ({"catalog.yml": 'name: demo\nversion: 9.0.0\ntmplgen: ">=99"\n'}, 2),
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_catalog_changes_nothing(world, kind):
    files, code = HOSTILE[kind]
    world.release("1.0.0", text(1))
    world.new()
    world.release("9.0.0", text(2), tag=False)
    put(world.catalog, files)
    world.commit("hostile", cwd=world.catalog)
    world.git("tag", "v9.0.0", cwd=world.catalog)
    outside = files_on_disk(world.folder / "home")
    before = snapshot(world)
    done = world.update(timeout=60)
    assert done.code == code, done.out
    assert done.error["message"]
    assert snapshot(world) == before
    assert files_on_disk(world.folder / "home") == outside
    assert not (world.folder / "out").exists()
    assert_sound(world)


def test_path_that_leads_through_a_link_of_the_child_is_never_written(world):
    """The template's new folder is a link to elsewhere in the child."""
    elsewhere = world.folder / "elsewhere"
    elsewhere.mkdir()
    world.release("1.0.0", text(1))
    world.new()
    world.edit({"conf": ("l", str(elsewhere))})
    world.release("1.1.0", {**text(2), "conf/x": "x\n"})
    done = world.update()
    assert done.code in (3, 5), done.out
    if done.code == 5:
        assert world.tmplgen("update", "--abort", cwd=world.child).code == 0
    assert list(elsewhere.iterdir()) == []
    assert os.readlink(world.child / "conf") == str(elsewhere)


def test_damaged_catalog_is_an_error_and_no_hang(world):
    world.release("1.0.0", text(1))
    world.new()
    world.release("1.1.0", text(2))
    blob = world.git("rev-parse", "v1.1.0:templates/app/files/a", cwd=world.catalog)
    path = world.catalog / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:20])
    before = snapshot(world)
    done = world.update(timeout=30)
    assert done.code == 1, done.out
    assert snapshot(world) == before


def test_type_that_the_catalog_dropped_is_refused_by_name(world):
    world.release("1.0.0", text(1))
    world.new()
    world.git("mv", "templates/app", "templates/other", cwd=world.catalog)
    put(world.catalog, {"catalog.yml": "name: demo\nversion: 1.1.0\n"})
    world.commit(cwd=world.catalog)
    world.git("tag", "v1.1.0", cwd=world.catalog)
    error = fails(world, 2, "unknown-type")
    assert "app" in error["message"] and "other" in error["hint"]


# ---------------------------------------------------------------- the record, edited by hand


def inputs_of(record):
    """The hash that the record must have (sha256 of the canonical inputs)."""
    inputs = {
        "answers": record["answers"],
        "commit": record["catalog"]["commit"],
        "engine": record["render"]["engine"],
        "overlay": None,
        "request": record["request"],
        "resolution": record["resolution"],
        "template": record["template"],
        "tree": record["render"]["tree"],
    }
    document = json.dumps(inputs, sort_keys=True, separators=(",", ":")) + "\n"
    return hashlib.sha256(document.encode()).hexdigest()


def other_engine(world):
    """A child that an engine of another number made, which rendered one line otherwise."""
    world.release("1.0.0", {"a": LONG, "b": "1\n"})
    world.new()
    record = yaml.safe_load(world.read(RECORD))
    assert inputs_of(record) == record["render"]["inputs"]
    put(world.child, {"a": lines(20, {10: "as it was rendered then"})})
    world.git("add", "-A")
    world.git("rm", "-q", "--cached", RECORD)
    record["render"]["engine"] = 2
    record["render"]["tree"] = world.git("write-tree")
    record["render"]["inputs"] = inputs_of(record)
    put(world.child, {RECORD: yaml.safe_dump(record, sort_keys=False)})
    world.git("add", "-A")
    world.git("commit", "-q", "--amend", "-m", "made long ago")
    for name in world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split():
        world.git("update-ref", "-d", name)


def test_base_of_another_engine_is_proven_by_the_root_commit(world):
    other_engine(world)
    world.edit({"a": lines(20, {3: "mine", 10: "as it was rendered then"})})
    world.release("1.1.0", {"a": lines(20, {15: "theirs"}), "b": "1\n"})
    done = ok(world)
    assert done.json["base"]["proven_by"] == "history"
    assert world.read("a") == lines(20, {3: "mine", 15: "theirs"})


def lose_the_base(world):
    world.git("checkout", "-q", "--orphan", "anew")
    world.edit({"a": lines(20, {3: "mine", 10: "as it was rendered then"})})


def test_drift_is_refused_with_both_ids(world):
    other_engine(world)
    lose_the_base(world)
    world.release("1.1.0", {"a": lines(20, {15: "theirs"}), "b": "1\n"})
    error = fails(world, 3, "drift")
    tree = yaml.safe_load(world.read(RECORD))["render"]["tree"]
    ids = re.findall(r"\b[0-9a-f]{40}\b", error["message"])
    assert ids[0] == tree and len(set(ids)) == 2
    assert "--accept-drift" in error["hint"] and "--base" in error["hint"]


def test_accepted_drift_counts_old_text_as_the_childs(world):
    other_engine(world)
    lose_the_base(world)
    world.release("1.1.0", {"a": lines(20, {15: "theirs"}), "b": "2\n"})
    done = ok(world, "--accept-drift")
    assert done.paths == {"a": "merged", "b": "updated"}
    assert world.read("a") == lines(20, {3: "mine", 10: "as it was rendered then", 15: "theirs"})
    assert any("new rendering" in w for w in done.json["warnings"])
    ok(world, result="up-to-date")


def test_accepted_drift_conflicts_where_the_template_changes_what_drifted(world):
    other_engine(world)
    lose_the_base(world)
    world.release("1.1.0", {"a": lines(20, {10: "theirs"}), "b": "1\n"})
    done = world.update("--accept-drift")
    assert (done.code, done.paths) == (5, {"a": "conflict"})
    assert "as it was rendered then" in world.read("a")


def test_accept_drift_of_a_base_that_is_proven_changes_nothing(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.release("1.1.0", text(2))
    assert ok(world, "--accept-drift").json["base"]["proven_by"] == "render"


def edit_record(world, change):
    record = yaml.safe_load(world.read(RECORD))
    change(record)
    world.edit({RECORD: yaml.safe_dump(record, sort_keys=False)})


QUESTIONS = "  - {name: team, type: str, default: red}\n  - {name: size, type: int, default: 1}\n"


def asking_child(world):
    files = {"t.j2": "{{ team }} {{ size }}\n"}
    world.release("1.0.0", files, template=template(questions=QUESTIONS))
    world.new("--set", "team=blue")
    return files


def test_answer_removed_by_hand_is_asked_anew(world):
    asking_child(world)
    edit_record(world, lambda record: record["answers"].pop("team"))
    ok(world)
    assert world.read("t") == "red 1\n"


def test_invalid_answer_by_hand_is_refused_by_name(world):
    asking_child(world)
    edit_record(world, lambda record: record["answers"].update(size="many"))
    assert "size" in fails(world, 2, "invalid-answer")["message"]


def test_unknown_answer_by_hand_is_refused_by_name(world):
    asking_child(world)
    edit_record(world, lambda record: record["answers"].update(colour="red"))
    assert "colour" in fails(world, 2, "unknown-question")["message"]


def test_hand_edit_and_new_version_come_together(world):
    files = asking_child(world)
    edit_record(world, lambda record: record["answers"].update(size=5))
    world.release("1.1.0", {**files, "n": "n\n"}, template=template(questions=QUESTIONS))
    ok(world)
    assert world.read("t") == "blue 5\n" and world.read("n") == "n\n"
    ok(world, result="up-to-date")


def test_set_wins_over_the_hand_edit(world):
    asking_child(world)
    edit_record(world, lambda record: record["answers"].update(size=5))
    ok(world, "--set", "size=6")
    assert world.read("t") == "blue 6\n"


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record["render"].update(tree="0" * 40),
        lambda record: record["render"].update(engine=7),
        lambda record: record["catalog"].update(commit="0" * 40),
        lambda record: record["render"].update(inputs="0" * 64),
    ],
    ids=["tree", "engine", "commit", "inputs"],
)
def test_hand_edit_of_what_is_no_answer_is_put_right(world, change):
    """The newest genuine version is the record; what was edited is no wish of the user's."""
    files = asking_child(world)
    edit_record(world, change)
    world.release("1.1.0", {**files, "n": "n\n"}, template=template(questions=QUESTIONS))
    done = ok(world)
    assert done.json["base"]["proven_by"] == "render"
    record = yaml.safe_load(world.read(RECORD))
    assert record["render"]["inputs"] == inputs_of(record)
    assert record["catalog"]["version"] == "1.1.0"
    ok(world, result="up-to-date")


def test_type_edited_by_hand_is_refused(world):
    asking_child(world)
    edit_record(world, lambda record: record.update(template="other"))
    fails(world, 2, "invalid-record")


# ---------------------------------------------------------------- not to be reached, mistyped


def test_catalog_whose_disk_is_not_mounted_is_unreachable(world):
    """The mount point is there, and empty: nobody has mistyped anything."""
    world.release("1.0.0", text(1))
    world.new()
    shutil.rmtree(world.catalog)
    world.catalog.mkdir()
    error = fails(world, 1, "unreachable-catalog")
    assert "--catalog" in error["hint"]
    error = fails(world, 2, "unknown-catalog", "--catalog", world.catalog)
    assert "has moved" not in error["hint"] and "catalog.yml" in error["hint"]


def test_catalog_in_a_folder_that_nobody_may_enter_is_unreachable(world):
    world.release("1.0.0", text(1))
    closed = world.folder / "closed"
    closed.mkdir()
    closed.chmod(0)
    open_folder = Path(tempfile.mkdtemp())  # the program may lie where nobody else may look
    open_folder.chmod(0o755)
    binary = shutil.copy(BINARY, open_folder)
    done = subprocess.run(
        [binary, "new", "x", "--type", "app", "--catalog", closed / "catalog", "--json"],
        cwd="/",
        env=world.env,
        capture_output=True,
        preexec_fn=(lambda: os.setuid(65534)) if os.getuid() == 0 else None,
        check=False,
    )
    closed.chmod(0o755)
    shutil.rmtree(open_folder)
    error = json.loads(done.stdout)
    assert (done.returncode, error["error"]["code"]) == (1, "unreachable-catalog"), done.stdout
    assert "Permission denied" in error["error"]["message"]
