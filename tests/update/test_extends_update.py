"""Updates of children whose catalog builds on another: of that one, of the other, of both."""

import re
import shutil

import pytest
import yaml

from ..common.program import ROOT
from .scenarios import lines
from .world import RECORD, TEMPLATE, assert_sound, put, snapshot

QUESTION = "questions:\n  - {name: greeting, default: hello}\n"


class Pair:
    """The world's catalog is the one that is extended; the child's is `team`."""

    def __init__(self, world):
        self.world = world
        self.folder = world.folder / "team"
        self.folder.mkdir()
        world.git("init", "-q", cwd=self.folder)

    def release(self, version, files=(), ref=None, yml="", tag=True):
        source = f"file://{self.world.catalog}"
        extends = f"extends: {{source: '{source}'" + (f", ref: {ref}}}" if ref else "}")
        put(
            self.folder,
            {
                "catalog.yml": f"name: acme\nversion: {version}\n{extends}\n{yml}",
                **dict(files),
            },
        )
        commit = self.world.commit(version, cwd=self.folder)
        if tag:
            self.world.git("tag", "-f", f"v{version}", cwd=self.folder)
        return commit

    def new(self, *args, ref=None):
        source = f"{self.folder}@{ref}" if ref else self.folder
        done = self.world.tmplgen(
            "new", self.world.child, "--type", "app", "--catalog", source, *args
        )
        assert done.code == 0, done.err
        return done

    @property
    def recorded(self):
        return yaml.safe_load(self.world.read(RECORD))["catalog"]

    @property
    def versions(self):
        return self.recorded["version"], self.recorded["extends"]["version"]


@pytest.fixture
def team(world):
    """Version 1.0.0 of both; what the team adds is the file `ours`."""
    world.release("1.0.0", {"a": lines(20), "own": "1\n"})
    pair = Pair(world)
    pair.release("1.0.0", {"templates/app/files/ours": "ours 1\n"})
    return pair


def ok(world, *args, result="updated"):
    done = world.update(*args)
    assert done.code == 0, done.out
    assert done.json["result"] == result, done.json
    assert not [w for w in done.json["warnings"] if "was not rendered again" in w], done.json
    assert_sound(world)
    return done


def available(world):
    done = world.tmplgen("status", world.child, "--json")
    assert done.code == 0, done.err
    check = world.update("--check")
    assert check.code == (6 if done.json["update"]["available"] else 0), check.out
    return done.json["update"]


# ---------------------------------------------------------------- the record


def test_the_record_names_both_and_its_hash_holds_both(world, team):
    team.new()
    made = team.recorded
    assert list(made) == ["source", "ref", "commit", "version", "extends"]
    assert made["extends"] == {
        "source": f"file://{world.catalog}",
        "ref": "v1.0.0",
        "commit": world.git("rev-parse", "HEAD", cwd=world.catalog),
        "version": "1.0.0",
    }
    text = world.read(RECORD)
    other = text.replace(made["extends"]["commit"], "0" * 40)
    world.edit({RECORD: other})
    world.release("1.1.0", {"a": lines(20, {3: "new"}), "own": "1\n"})
    # edited by hand: what the commit before says is what it was made from
    assert ok(world).json["from"]["extends"]["commit"] == made["extends"]["commit"]
    world.git("checkout", "-q", "--orphan", "alone")
    world.edit({RECORD: other})
    world.git("update-ref", "-d", "refs/heads/main")
    done = world.update("--check")
    assert (done.code, done.error["code"]) == (3, "edited-record")


def test_a_source_that_moved_may_be_edited(world, team):
    team.new()
    moved = world.folder / "moved"
    world.edit({RECORD: world.read(RECORD).replace(f"file://{world.catalog}", f"file://{moved}")})
    ok(world, result="updated")
    assert team.recorded["extends"]["source"] == f"file://{world.catalog}"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("    version: 1.0.0\n", "", "'version' is missing"),
        ("    source: ", "    sauce: ", "sauce"),
        ("  extends:\n", "  extends: []\n  other:\n", "unknown key"),
    ],
)
def test_a_damaged_record_is_told_with_its_place(world, team, old, new, words):
    team.new()
    text = world.read(RECORD)
    head, tail = text.split("  extends:\n")
    changed = head + ("  extends:\n" + tail).replace('"', "").replace(old, new, 1)
    world.edit({RECORD: changed})
    done = world.tmplgen("update", world.child)
    assert done.code == 2 and f"{RECORD}:" in done.err and words in done.err, done.err


def test_a_record_of_more_catalogs_than_a_few_is_refused(world, team):
    team.new()
    made = yaml.safe_load(world.read(RECORD))
    origin = made["catalog"]
    for _ in range(6):
        origin = {**made["catalog"], "extends": origin}
    made["catalog"] = origin
    world.edit({RECORD: yaml.safe_dump(made)})
    done = world.tmplgen("update", world.child)
    assert done.code == 2 and "catalogs that extend each other" in done.err, done.err


# ---------------------------------------------------------------- who moves


def test_neither_moves(world, team):
    team.new()
    before = snapshot(world)
    assert available(world) == {"available": None}
    ok(world, result="up-to-date")
    assert snapshot(world) == before


def test_the_team_moves(world, team, strategy):
    team.new()
    world.edit({"a": lines(20, {18: "mine"})})
    team.release("1.1.0", {"templates/app/files/ours": "ours 2\n"})
    assert available(world)["available"] == "1.1.0"
    done = ok(world)
    assert done.paths == {"a": "kept-yours", "ours": "updated"}
    assert team.versions == ("1.1.0", "1.0.0")
    document = done.json
    assert document["from"]["extends"]["version"] == document["to"]["extends"]["version"] == "1.0.0"
    ok(world, result="up-to-date")


def test_the_other_one_moves(world, team, strategy):
    team.new()
    world.edit({"a": lines(20, {18: "mine"})})
    commit = world.release("1.1.0", {"a": lines(20, {3: "new"}), "own": "1\n"})
    waits = available(world)
    assert waits["available"] == "1.0.0"
    assert waits["extends"] == {"version": "1.1.0", "commit": commit}
    words = world.tmplgen("status", world.child).out
    assert "Template app 1.0.0 on 1.0.0 of" in words
    assert "An update is available: 1.0.0 on 1.1.0" in words
    done = ok(world, "--summary", str(world.folder / "summary.md"))
    assert world.read("a") == lines(20, {3: "new", 18: "mine"})
    assert done.json["to"]["extends"] == {"version": "1.1.0", "commit": commit}
    assert team.versions == ("1.0.0", "1.1.0")
    summary = (world.folder / "summary.md").read_text()
    assert "`1.0.0 on 1.0.0` to `1.0.0 on 1.1.0`" in summary
    subject = world.git("log", "-1", "--format=%s")
    assert "from 1.0.0 on 1.0.0 to 1.0.0 on 1.1.0" in subject, subject
    ok(world, result="up-to-date")


def test_both_move(world, team):
    team.new()
    world.release("1.1.0", {"a": lines(20, {3: "new"}), "own": "1\n"})
    team.release("1.1.0", {"templates/app/files/ours": "ours 2\n"})
    done = ok(world)
    assert done.paths == {"a": "updated", "ours": "updated"}
    assert team.versions == ("1.1.0", "1.1.0")


def test_words_of_the_update_name_both(world, team):
    team.new()
    world.release("1.1.0", {"a": "new\n", "own": "1\n"})
    done = world.tmplgen("update", world.child, "--check")
    assert "An update is available: 1.0.0 on 1.0.0 -> 1.0.0 on 1.1.0" in done.out
    world.edit({"a": "mine\n"})
    done = world.tmplgen("update", world.child)
    assert done.code == 5 and ">>>>>>> template 1.0.0 on 1.1.0" in world.read("a")


@pytest.mark.parametrize("how", ["tag", "commit"])
def test_what_is_pinned_moves_with_the_team_alone(world, how):
    commit = world.release("1.0.0", {"a": "1\n"})
    pair = Pair(world)
    pair.release("1.0.0", ref="v1.0.0" if how == "tag" else commit)
    pair.new()
    newer = world.release("1.1.0", {"a": "2\n"})
    assert available(world) == {"available": None}
    ok(world, result="up-to-date")
    pair.release("1.1.0", ref="v1.1.0" if how == "tag" else newer)
    assert ok(world).paths == {"a": "updated"}
    assert pair.versions == ("1.1.0", "1.1.0")


def test_a_branch_moves(world):
    world.release("1.0.0", {"a": "1\n"}, tag=False)
    pair = Pair(world)
    pair.release("1.0.0", ref="main")
    pair.new()
    assert pair.recorded["extends"]["ref"] == "main"
    world.release("1.0.0", {"a": "2\n"}, tag=False)
    assert ok(world).paths == {"a": "updated"}


def test_a_child_at_a_commit_of_the_team_stays_with_both(world, team):
    commit = world.git("rev-parse", "HEAD", cwd=team.folder)
    team.new(ref=commit)
    world.release("1.1.0", {"a": "2\n", "own": "1\n"})
    ok(world, result="up-to-date")
    ok(world, "--to", commit)
    assert team.versions == ("1.0.0", "1.1.0")


def test_going_back_is_refused(world, team):
    team.new()
    world.release("1.1.0", {"a": "2\n", "own": "1\n"})
    ok(world)
    team.release("1.0.1", ref="v1.0.0")
    ok(world)  # the team's newer release says so
    assert team.versions == ("1.0.1", "1.0.0")
    team.release("1.0.1")
    world.git("tag", "-d", "v1.0.1", cwd=team.folder)
    world.git("tag", "v1.0.1", cwd=team.folder)
    ok(world, "--to", "v1.0.1")
    assert team.versions == ("1.0.1", "1.1.0")
    world.git("tag", "-d", "v1.1.0", cwd=world.catalog)
    done = world.update()
    assert (done.code, done.error["code"]) == (3, "downgrade")
    assert "1.0.1 on 1.1.0" in done.error["message"] and "1.0.1 on 1.0.0" in done.error["message"]
    ok(world, "--allow-downgrade")


# ---------------------------------------------------------------- to and fro


def test_a_child_of_the_other_one_joins_the_team_and_leaves_it(world, team):
    """The team begins below the version of what it builds on: that is no step back."""
    team.release("0.1.0", {"templates/app/files/ours": "ours 1\n"})
    world.git("tag", "-d", "v1.0.0", cwd=team.folder)
    world.new()
    done = ok(world, "--catalog", str(team.folder))
    assert done.paths == {"ours": "added"}
    assert team.versions == ("0.1.0", "1.0.0")
    done = ok(world, "--catalog", str(world.catalog))
    assert done.paths == {"ours": "deleted"}
    assert "extends" not in team.recorded


def test_a_fork_becomes_a_catalog_that_extends(world, team):
    fork = world.folder / "fork"
    shutil.copytree(world.catalog, fork)
    put(fork, {"templates/app/files/ours": "ours 1\n"})
    world.commit("fork", cwd=fork)
    world.git("tag", "-f", "v1.0.0", cwd=fork)
    done = world.tmplgen("new", world.child, "--type", "app", "--catalog", fork)
    assert done.code == 0, done.err
    put(fork, {"templates/app/template.yml": None, "templates/app/files/a": None})
    put(fork, {"templates/app/files/own": None})
    yml = f"name: demo\nversion: 1.1.0\nextends: {{source: 'file://{world.catalog}'}}\n"
    put(fork, {"catalog.yml": yml})
    world.commit("extends", cwd=fork)
    world.git("tag", "v1.1.0", cwd=fork)
    done = ok(world)
    assert done.paths == {}
    assert team.versions == ("1.1.0", "1.0.0")


# ---------------------------------------------------------------- the base


def test_the_base_is_of_both_recorded_commits(world, team):
    """Neither ref nor history: a fresh clone of the last commit alone."""
    team.new()
    world.release("1.1.0", {"a": "2\n", "own": "1\n"})
    team.release("1.1.0", {"templates/app/files/ours": "ours 2\n"})
    world.edit({"a": lines(20) + "mine\n"})
    clone = world.folder / "clone"
    world.git("clone", "-q", "--depth=1", f"file://{world.child}", clone, cwd=world.folder)
    world.child = clone
    done = world.update("--dry-run")
    assert done.json["base"]["proven_by"] == "render"
    assert done.paths == {"a": "conflict", "ours": "updated"}
    diff = world.tmplgen("diff", clone).out
    assert "+mine" in diff and "ours" not in diff


def test_the_other_one_is_gone(world, team):
    team.new()
    shutil.move(world.catalog, world.folder / "away")
    done = world.update()
    assert (done.code, done.error["code"]) == (1, "unreachable-catalog"), done.out
    assert "what 'acme' extends" in done.error["message"]
    status = world.tmplgen("status", world.child, "--json")
    assert status.code == 0
    assert [p["path"] for p in status.json["paths"]] == []  # proven by its base ref
    assert any("what 'acme' extends" in w for w in status.json["warnings"])
    done = world.tmplgen("status", world.child, "--fetch")
    assert done.code == 1
    shutil.move(world.folder / "away", world.catalog)
    ok(world, result="up-to-date")


def test_a_new_place_of_the_other_one_comes_with_a_release_of_the_team(world, team):
    team.new()
    away = world.folder / "away"
    shutil.move(world.catalog, away)
    world.catalog = away
    team.release("1.1.0", {"templates/app/files/ours": "ours 2\n"})
    done = world.update()
    assert done.code == 0, done.out  # the base is proven by its ref
    assert done.paths == {"ours": "updated"}
    assert team.recorded["extends"]["source"] == f"file://{away}"


def test_a_parent_inside_the_project_is_not_read(world, team):
    team.new()
    inside = world.child / "catalog"
    shutil.copytree(world.catalog, inside)
    shutil.rmtree(inside / ".git")
    world.commit("a catalog")
    put(
        team.folder, {"catalog.yml": f"name: acme\nversion: 1.1.0\nextends: {{source: {inside}}}\n"}
    )
    world.commit("hostile", cwd=team.folder)
    world.git("tag", "v1.1.0", cwd=team.folder)
    done = world.update()
    assert (done.code, done.error["code"]) == (3, "untrusted-source"), done.out
    assert world.update("--trust").code == 0


# ---------------------------------------------------------------- migrations and notes


def test_migrations_of_the_other_one_go_by_its_versions(world):
    """The team is at 7.0.0: `from: <2` of the other one means the other one's."""
    world.release("1.0.0", {"m.j2": "{{ greeting }}\n"}, template=TEMPLATE + QUESTION)
    pair = Pair(world)
    own = "extends: app\nquestions: [{name: who, default: you}]\nmigrations:\n"
    own += "  - {from: '<8', rename_answers: {}, note: ours}\n"
    files = {
        "templates/app/template.yml": "extends: app\nquestions: [{name: who, default: you}]\n",
        "templates/app/files/w.j2": "{{ who }}\n",
    }
    pair.release("7.0.0", files)
    pair.new("--set", "greeting=hi", "--set", "who=Ann")
    moved = """\
questions:
  - {name: welcome, default: hello}
migrations:
  - {from: "<2", rename_answers: {greeting: welcome}, rename_files: {m: n}, note: theirs}
  - {from: ">=3", note: never}
"""
    world.release("2.0.0", {"n.j2": "{{ welcome }}\n"}, template=TEMPLATE + moved)
    done = ok(world)
    assert done.paths == {"n": "renamed"}
    assert done.json["answers"]["renamed"] == [{"from": "greeting", "to": "welcome"}]
    assert [n["text"] for n in done.json["notes"]] == ["theirs\n"]
    assert world.read("n") == "hi\n" and world.read("w") == "Ann\n"
    pair.release("8.0.0", {"templates/app/template.yml": own})
    assert [n["text"] for n in ok(world).json["notes"]] == ["ours\n"]


def test_a_child_that_joins_gets_the_migrations_of_where_it_came_from(world):
    world.release("1.0.0", {"m.j2": "{{ greeting }}\n"}, template=TEMPLATE + QUESTION)
    world.new("--set", "greeting=hi")
    moved = "questions: [{name: welcome}]\nmigrations:\n"
    moved += '  - {from: "<2", rename_answers: {greeting: welcome}}\n'
    world.release("2.0.0", {"m.j2": "{{ welcome }}\n"}, template=TEMPLATE + moved)
    pair = Pair(world)
    pair.release("0.1.0")
    done = ok(world, "--catalog", str(pair.folder))
    assert done.json["answers"]["renamed"] == [{"from": "greeting", "to": "welcome"}]


def test_what_is_new_of_both_the_teams_first(world, team):
    team.new()
    log = "## [1.1.0]\n\n- theirs\n\n## [1.0.0]\n\n- old\n"
    world.release("1.1.0", {"a": "2\n", "own": "1\n"}, **{"CHANGELOG.md": log})
    team.release("1.1.0", {"CHANGELOG.md": "## [1.1.0]\n\n- ours\n"})
    summary = world.folder / "summary.md"
    done = ok(world, "--summary", str(summary))
    assert done.json["notes"] == [
        {"version": "1.1.0", "from": "changelog", "text": "- ours\n"},
        {"version": "1.1.0", "from": "changelog", "text": "- theirs\n", "catalog": "demo"},
    ]
    body = world.git("log", "-1", "--format=%b")
    assert re.search(r"New in 1.1.0:\n\n  - ours\n\nNew in demo 1.1.0:\n\n  - theirs", body), body
    text = summary.read_text()
    assert text.index("### 1.1.0") < text.index("### demo 1.1.0")


def test_a_rebase_follows_the_other_ones_renames(world, team):
    team.new()
    world.edit({"a": lines(20, {18: "mine"})})
    world.edit({"b": "b\n"})
    moved = TEMPLATE + "migrations: [{from: '<1.1', rename_files: {a: c}}]\n"
    world.release("1.1.0", {"c": lines(20, {3: "new"}), "own": "1\n"}, template=moved)
    done = world.update("--strategy", "rebase")
    assert done.code == 0, done.out
    assert world.read("c") == lines(20, {3: "new", 18: "mine"})
    assert_sound(world)


# ---------------------------------------------------------------- the built-in one


def test_a_team_over_the_built_in_one(world):
    """Its newest release is that of the program; one that was made by a newer one is told."""
    folder = world.folder / "team"
    put(
        folder,
        {"catalog.yml": "name: acme\nversion: 1.0.0\nextends: {source: builtin, ref: v0.2.0}\n"},
    )
    world.git("init", "-q", cwd=folder)
    world.commit("1.0.0", cwd=folder)
    world.git("tag", "v1.0.0", cwd=folder)
    args = ["--type", "library", "--framework", "none", "--catalog", folder]
    done = world.tmplgen("new", world.child, *args)
    assert done.code == 0, done.err
    put(folder, {"catalog.yml": "name: acme\nversion: 1.1.0\nextends: {source: builtin}\n"})
    world.commit("1.1.0", cwd=folder)
    world.git("tag", "v1.1.0", cwd=folder)
    done = ok(world)
    newest = yaml.safe_load((ROOT / "catalog.yml").read_text())["version"]
    assert done.json["from"]["extends"]["version"] == "0.2.0"
    assert done.json["to"]["extends"]["version"] == newest
    ok(world, result="up-to-date")
    text = world.read(RECORD)
    at = text.index("extends:")
    version = re.search(r"version: \S+", text[at:])[0]
    world.edit({RECORD: text[:at] + text[at:].replace(version, "version: 99.0.0", 1)})
    done = world.update()
    assert (done.code, done.error["code"]) == (2, "unknown-ref"), done.out
    assert "older than the project" in done.error["message"]
    assert "older than the project" in world.tmplgen("status", world.child).err
