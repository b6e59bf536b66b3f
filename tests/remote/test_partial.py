"""A folder of a large repository: only what is needed of it comes, whatever the server can."""

import random
import subprocess

import pytest

from ..command.world import git
from . import servers
from .world import World, fails, ok

PIECE = 200000


@pytest.fixture
def world(tmp_path):
    """A catalog in a folder of a repository that has 800 KB of something else."""
    made = World(tmp_path / "world", inner="platform/catalog")
    noise = random.Random(17)
    for i in range(3):
        made.put(f"data/{i}", noise.randbytes(PIECE))
    made.put("platform/other/large", noise.randbytes(PIECE))
    return made


def large_objects(world):
    """Of the cache's packs those that are no part of the catalog, by their size."""
    found = []
    for index in world.cache.glob("*/objects/pack/*.idx"):
        listed = git(world.cache, "verify-pack", "-v", str(index)).splitlines()
        found += [line for line in listed if " blob " in line and int(line.split()[2]) > 100000]
    return found


def test_folder_of_a_repository_comes_without_the_rest(world, daemon):
    world.release("1.0.0")
    source = f"{daemon}//platform/catalog"
    ok(world.new(source))
    assert world.record()["source"] == source and world.text() == "1.0.0"
    assert not large_objects(world)
    assert world.cache_bytes() < 100000
    world.release("1.1.0")
    ok(world.update())
    assert world.text() == "1.1.0" and world.record()["source"] == source
    assert world.cache_bytes() < 100000


def test_server_that_cannot_filter_gives_the_newest_commit_whole(world, daemon):
    git(world.bare, "config", "uploadpack.allowFilter", "false")
    world.put("data/old", random.Random(1).randbytes(2 * PIECE))
    world.release("1.0.0")
    world.put("data/old", b"")
    world.release("1.1.0")
    ok(world.new(f"{daemon}//platform/catalog"))
    assert world.text() == "1.1.0"
    assert 4 * PIECE < world.cache_bytes() < 5 * PIECE  # and nothing of the commit before


@pytest.mark.full
@pytest.mark.parametrize("filtered", ["true", "false"])
def test_server_of_the_old_protocol(world, filtered):
    """Version 0 gives no object but those that names lead to."""
    git(world.bare, "config", "uploadpack.allowFilter", filtered)
    world.configure_git("[protocol]\n\tversion = 0\n")
    first = world.release("1.0.0")
    world.release("1.1.0")
    with servers.git_daemon(world.root) as port:
        source = f"git://127.0.0.1:{port}/catalogs.git//platform/catalog"
        ok(world.new(f"{source}@v1.0.0"))
        world.forget()
        git(world.bare, "tag", "-d", "v1.0.0")
        ok(world.new(f"{source}@{first}", "by-commit"))  # by the whole history
        assert world.text("by-commit") == "1.0.0"
        fails(world.new(f"{source}@{'1' * 40}", "none"), 2, "unknown-ref")


def test_commit_that_no_name_leads_to(world, daemon):
    world.release("1.0.0")
    fails(world.new(f"{daemon}//platform/catalog@{'1' * 40}"), 2, "unknown-ref")
    fails(world.new(f"{daemon}//platform/catalog@{'1' * 12}"), 2, "unknown-ref")


def test_folder_that_is_not_there(world, daemon):
    world.release("1.0.0")
    for folder in ("platform/none", "data/0", "platform/catalog/catalog.yml"):
        fails(world.new(f"{daemon}//{folder}"), 2, "unknown-catalog")
    fails(world.new(daemon), 2, "unknown-catalog")  # nothing at the top


def test_folder_of_a_repository_on_this_machine(world):
    world.release("1.0.0")
    for where in (world.source, world.bare):
        source = f"{'file://' if where == world.bare else ''}{where}//platform/catalog"
        name = f"of-{where.name}"
        ok(world.new(source, name, trust=False))
        assert world.record(name)["source"] == source
        assert world.record(name)["ref"] == "v1.0.0"
    world.put("platform/catalog/templates/thing/files/a.txt.j2", "dirty {{ greeting }}\n")
    done = world.new(f"{world.source}//platform/catalog", "dirty", trust=False)
    assert ok(done) and world.record("dirty")["ref"] is (None)
    fails(world.new(f"{world.bare}//../x", "no", trust=False), 3, "unsafe-path")
    fails(world.new(f"{world.bare}//none", "no", trust=False), 2, "unknown-catalog")
    world.release("1.1.0")
    ok(world.update(name=f"of-{world.bare.name}", trust=False))
    assert world.text(f"of-{world.bare.name}") == "1.1.0"


@pytest.mark.full
def test_monorepo_of_many_files(world, daemon):
    """5,000 files of which the catalog is 3: the rest is told by name alone."""
    for i in range(5000):
        world.put(f"src/{i % 100}/{i}.txt", f"{i}\n" * 50)
    world.release("1.0.0")
    ok(world.new(f"{daemon}//platform/catalog"))
    whole = subprocess.run(["du", "-sb", world.bare], capture_output=True, text=True, check=True)
    assert world.cache_bytes() < int(whole.stdout.split()[0]) / 4
