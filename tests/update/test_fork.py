"""
A child whose template lives elsewhere by now: the same repository at another place, or a fork that
went its own way. The same under every strategy.
"""

import shutil

import pytest
import yaml

from .scenarios import LONG, lines
from .world import GIT_COMMANDS, RECORD, STRATEGIES, assert_sound, put, snapshot

MINE = {3: "mine"}
THEIRS = {15: "theirs"}


@pytest.fixture(params=[*STRATEGIES, "rebase"])
def strategy(request, world):
    """A rebase as well: what is tried here holds for it, too."""
    world.strategy = request.param
    return request.param


@pytest.fixture
def forked(world, strategy, stock):
    return stock.take(world, make_forked)


def make_forked(world):
    """The child has work of its own, and the first version of the template."""
    world.release("1.0.0", {"a": LONG, "b": LONG, "gone": LONG})
    world.new()
    world.edit({"a": lines(20, MINE), "own": "own\n"})


def move(world, name="fork"):
    """The catalog, and releases of it from now on, are at another place."""
    place = world.folder / name
    world.catalog.rename(place)
    world.catalog = place
    return place


def fork(world, name="fork"):
    """The same, and the old place stays as it is."""
    old, place = world.catalog, world.folder / name
    world.git("clone", "-q", old, place, cwd=world.folder)
    world.catalog = place
    return place


def recorded(world):
    return yaml.safe_load(world.read(RECORD))["catalog"]


def taken(world, *args, paths=None):
    done = world.update(*args)
    assert (done.code, done.json["result"]) == (0, "updated"), done.out
    assert done.json["strategy"] == world.strategy
    if paths is not None:
        assert done.paths == paths
    assert world.git("status", "--porcelain") == ""
    assert_sound(world)
    return done


def refused(world, code, word, *args):
    before = snapshot(world)
    done = world.update(*args)
    assert (done.code, done.error["code"]) == (code, word), done.out
    assert snapshot(world) == before
    assert_sound(world)
    return done.error


RELEASE = {"a": lines(20, THEIRS), "b": LONG}
PATHS = {"a": "merged", "gone": "deleted"}


def same_place_by_path(world):
    return str(move(world))


def same_place_by_url(world):
    return f"file://{move(world)}"


def fork_with_the_old_place_there(world):
    return str(fork(world))


def fork_with_the_old_place_gone(world):
    old = world.catalog
    place = fork(world)
    shutil.rmtree(old)
    return str(place)


def bare_repository(world):
    """Its releases are pushed there."""
    fork(world, "workshop")
    return str(world.folder / "server.git")


PLACES = [
    same_place_by_path,
    same_place_by_url,
    fork_with_the_old_place_there,
    fork_with_the_old_place_gone,
    bare_repository,
]


def release(world, version, files, place):
    world.release(version, files)
    if place.endswith("server.git"):
        shutil.rmtree(place, ignore_errors=True)
        world.git("clone", "-q", "--bare", world.catalog, place, cwd=world.folder)


@pytest.mark.parametrize("where", PLACES)
def test_S_89_the_new_place_is_taken_recorded_and_used_from_then_on(forked, where):
    place = where(forked)
    release(forked, "1.1.0", RELEASE, place)
    taken(forked, "--catalog", place, paths=PATHS)
    assert forked.read("a") == lines(20, {**MINE, **THEIRS})
    assert recorded(forked)["source"] == place
    release(forked, "1.2.0", {**RELEASE, "b": lines(20, {1: "newer"})}, place)
    done = taken(forked, paths={"a": "kept-yours", "b": "updated"})
    assert done.json["to"]["version"] == "1.2.0"
    assert recorded(forked)["source"] == place
    assert forked.update().json["result"] == "up-to-date"


def test_a_fork_with_commits_of_its_own_is_followed_and_the_old_place_no_more(forked):
    old = forked.catalog
    place = fork(forked)
    forked.release("1.0.1-fork", {"a": LONG, "b": lines(20, {2: "of the fork"})}, tag=False)
    forked.release("1.1.0", {"a": lines(20, THEIRS), "b": lines(20, {2: "of the fork"})})
    taken(forked, "--catalog", place, paths={**PATHS, "b": "updated"})
    forked.catalog = old
    forked.release("3.0.0", {"a": "of the old place\n"})
    assert forked.update().json["result"] == "up-to-date"
    assert "of the fork" in forked.read("b")


def test_a_fork_that_rewrote_history_and_tags_still_has_the_base_proven(forked):
    """Its v1.0.0 is another commit, with other files: what the child was made from counts."""
    shutil.rmtree(forked.catalog)
    forked.catalog = forked.folder / "rewritten"
    forked.release("1.0.0", {"a": "squashed\n", "gone": LONG})
    forked.release("1.1.0", RELEASE)
    done = taken(forked, "--catalog", forked.catalog, paths=PATHS)
    assert done.json["base"]["proven_by"] == "ref"
    assert forked.read("a") == lines(20, {**MINE, **THEIRS})


def test_a_fork_whose_tag_of_the_recorded_version_moved_is_asked_for_what_is_newer(forked):
    """At the same version the fork's other files are an update of their own."""
    place = fork(forked)
    forked.release("1.0.0", {**RELEASE, "gone": LONG})
    taken(forked, "--catalog", f"{place}@v1.0.0", paths={"a": "merged"})
    assert recorded(forked)["commit"] == forked.git("rev-parse", "v1.0.0", cwd=place)


def test_a_dry_run_at_the_new_place_foresees_it_and_records_nothing(forked):
    place = fork(forked)
    forked.release("1.1.0", RELEASE)
    before = snapshot(forked)
    dry = forked.update("--catalog", place, "--dry-run")
    assert (dry.code, dry.paths, snapshot(forked)) == (0, PATHS, before)
    taken(forked, "--catalog", place, paths=PATHS)


def test_the_same_files_at_a_new_place_change_the_record_alone(forked):
    place = fork(forked)
    before = forked.tree()
    taken(forked, "--catalog", place, paths={"a": "kept-yours"})
    assert forked.git("diff", "--name-only", before, "HEAD") == RECORD
    assert recorded(forked)["source"] == str(place)


# ---------------------------------------------------------------- what is refused


def test_the_old_place_gone_and_none_named_says_how(forked):
    move(forked)
    error = refused(forked, 1, "unreachable-catalog")
    assert "--catalog" in error["hint"]


def test_a_place_that_is_none_is_mistyped(forked):
    refused(forked, 2, "unknown-catalog", "--catalog", forked.folder / "typo")


def test_a_catalog_without_the_template_is_refused_by_name(forked):
    """An unrelated one: nothing in it is what the child was made from."""
    stranger = forked.folder / "stranger"
    put(
        stranger,
        {
            "catalog.yml": "name: stranger\nversion: 9.0.0\n",
            "templates/site/template.yml": "description: a site\nstack: none\n",
            "templates/site/files/index": "x\n",
        },
    )
    forked.git("init", "-q", cwd=stranger)
    forked.commit("9.0.0", cwd=stranger)
    forked.git("tag", "v9.0.0", cwd=stranger)
    error = refused(forked, 2, "unknown-type", "--catalog", stranger)
    assert "app" in error["message"] and "site" in error["hint"]
    assert recorded(forked)["source"] == str(forked.catalog)


def test_a_fork_that_is_behind_the_child_is_a_downgrade(forked):
    forked.git("clone", "-q", forked.catalog, "behind", cwd=forked.folder)
    forked.release("1.1.0", RELEASE)
    taken(forked, paths=PATHS)
    refused(forked, 3, "downgrade", "--catalog", f"{forked.folder / 'behind'}@v1.0.0")


# ---------------------------------------------------------------- in conflict


@pytest.fixture
def conflict(forked):
    place = fork(forked)
    shutil.rmtree(forked.folder / "catalog")
    forked.release("1.1.0", {"a": lines(20, {3: "theirs"}), "b": LONG})
    before = snapshot(forked)
    assert forked.update("--catalog", place).code == 5
    return forked, before


def ends(world, whose, word):
    """Only tmplgen ends a rebase as a whole."""
    if whose == "git" and world.strategy in GIT_COMMANDS:
        world.git(world.git_command, word)
    else:
        assert world.update(word).code == 0


@pytest.mark.parametrize("whose", ["tmplgen", "git"])
def test_a_conflict_is_continued_and_the_new_place_is_recorded(conflict, whose):
    world, _ = conflict
    put(world.child, {"a": lines(20, {3: "both"})})
    world.git("add", "a")
    ends(world, whose, "--continue")
    assert recorded(world)["source"] == str(world.catalog)
    assert world.update().json["result"] == "up-to-date"
    world.release("1.2.0", {"a": lines(20, {3: "theirs", 9: "newer"}), "b": LONG})
    taken(world, paths={"a": "merged"})
    assert world.read("a") == lines(20, {3: "both", 9: "newer"})


@pytest.mark.parametrize("whose", ["tmplgen", "git"])
def test_a_conflict_is_given_up_and_the_old_place_stays_recorded(conflict, whose):
    world, before = conflict
    ends(world, whose, "--abort")
    assert snapshot(world) == before
    assert recorded(world)["source"] == str(world.folder / "catalog")
    assert world.update().error["code"] == "unreachable-catalog"
