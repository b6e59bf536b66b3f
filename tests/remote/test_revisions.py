"""Which revision of a catalog on a server: tags, branches, policies, and what moves."""

from ..command.world import git
from .world import fails, ok


def test_policies_are_kept_and_followed(world, daemon):
    for version in ("1.2.5", "1.4.0", "1.4.1-rc.1", "2.0.0"):
        world.release(version)
    for policy, version in (("^1.2", "1.4.0"), ("~1.2", "1.2.5"), ("1.x", "1.4.0")):
        ok(world.new(f"{daemon}@{policy}", version))
        assert (world.record(version)["ref"], world.text(version)) == (policy, version)
        (world.work / version).rename(world.work / f"of-{policy}")
    said = fails(world.new(f"{daemon}@^3", "none"), 2, "unknown-ref")
    assert "no release that '^3' admits" in said
    world.release("1.9.0")
    name = "of-^1.2"
    assert world.update("--check", name=name).code == 6
    ok(world.update(name=name))
    assert (world.record(name)["ref"], world.text(name)) == ("^1.2", "1.9.0")
    world.release("3.0.0")
    assert ok(world.update(name=name))["result"] == "up-to-date"
    ok(world.update("--to", "^2", name=name))
    assert (world.record(name)["ref"], world.text(name)) == ("^2", "2.0.0")


def test_policies_of_a_repository_on_this_machine(world):
    for version in ("1.0.0", "1.1.0", "2.0.0"):
        world.release(version)
    ok(world.new(f"{world.bare}@^1.0", trust=False))
    assert (world.record()["ref"], world.text()) == ("^1.0", "1.1.0")
    world.release("1.3.0")
    ok(world.update(trust=False))
    assert (world.record()["ref"], world.text()) == ("^1.0", "1.3.0")


def test_branch_of_that_name_comes_before_a_policy(world, daemon):
    world.release("1.0.0")
    git(world.source, "checkout", "-q", "-b", "1.x")
    world.commit("1.0.1", "branch")
    world.push("1.x")
    ok(world.new(f"{daemon}@1.x"))
    assert (world.record()["ref"], world.text()) == ("1.x", "branch")


def test_branch_is_followed_over_a_forced_push(world, daemon):
    world.commit("1.0.0", "first")
    world.commit("1.0.1", "second")
    ok(world.new(f"{daemon}@main"))
    git(world.source, "reset", "-q", "--hard", "HEAD~1")
    world.commit("1.0.2", "forced")
    done = ok(world.update())
    assert (done["base"]["proven_by"], world.text()) == ("render", "forced")
    assert world.record()["ref"] == "main"


def test_tag_that_moved_is_told_and_the_recorded_commit_counts(world, daemon):
    old = world.release("1.0.0", "as it was")
    ok(world.new(daemon))
    world.release("1.0.0", "moved")
    done = ok(world.update())
    assert done["result"] == "up-to-date" and world.text() == "as"
    assert any("the tag 'v1.0.0' now points to" in text for text in done["warnings"])
    assert world.record()["commit"] == old
    ok(world.new(daemon, "other"))
    assert world.text("other") == "moved"


def test_repository_without_a_release_follows_its_main_branch(world, daemon):
    world.commit("0.1.0", "first")
    ok(world.new(daemon))
    assert (world.record()["ref"], world.text()) == ("main", "first")
    world.commit("0.2.0", "second")
    ok(world.update())
    assert world.text() == "second"


def test_empty_repository(world, daemon):
    said = fails(world.new(daemon), 2, "unknown-ref")
    assert "has no commit" in said


def test_names_of_refs_that_mean_more_to_git(world, daemon):
    world.release("1.0.0")
    for ref in ("-x", "v1.0.0^{}", "HEAD~1", "a b", "refs", "v1.0.0.", "*"):
        fails(world.new(f"{daemon}@{ref}"), 2, "unknown-ref")


def test_unknown_tag_has_the_nearest(world, daemon):
    world.release("1.0.0")
    assert "did you mean 'v1.0.0'?" in fails(world.new(f"{daemon}@v1.0"), 2, "unknown-ref")
