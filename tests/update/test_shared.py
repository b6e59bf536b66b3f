"""A repository of several users: core.sharedRepository and the umask, as git heeds them."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from .faults import fast_folder
from .world import World, put

V1 = {"a": "1\n", "keep": "keep\n"}
V2 = {"a": "2\n", "keep": "keep\n", "new/b": "b\n"}


@pytest.fixture
def world(tmp_path):
    world = World(tmp_path / "w")
    world.release("1.0.0", V1)
    return world


def modes(git_dir: Path, names) -> dict:
    found = {}
    for name in names:
        for path in sorted(git_dir.glob(name)):
            key = name if "*" in name else str(path.relative_to(git_dir))
            found[key] = oct(stat.S_IMODE(path.stat().st_mode))
    return found


FILES = [
    "index",
    "refs/heads/topic",
    "logs/HEAD",
    "logs/refs/heads/topic",
    "objects/pack/*.pack",
    "objects/pack/*.idx",
]


def by_git(world, folder, shared):
    """What git itself makes of such files, in a commit on a new branch."""
    world.git("init", "-q", f"--shared={shared}", folder, cwd=world.folder)
    put(folder, {"a": "1\n"})
    world.commit(cwd=folder)
    world.git("switch", "-qc", "topic", cwd=folder)
    put(folder, {"a": "2\n"})
    world.commit(cwd=folder)
    world.git("repack", "-q", "-a", cwd=folder)
    return modes(folder / ".git", FILES)


@pytest.mark.parametrize("mask", [0o077, 0o022, 0o002])
@pytest.mark.parametrize("shared", ["false", "group", "all", "0640", "0660"])
def test_A6_an_update_makes_files_as_git_does(world, shared, mask):
    before = os.umask(mask)
    try:
        wanted = by_git(world, world.folder / "twin", shared)
        world.child.mkdir()
        world.git("init", "-q", f"--shared={shared}")
        world.new("--commit")
        world.release("1.1.0", V2)
        done = world.update("--branch", "topic")
        assert done.code == 0, done.out
        own = modes(world.child / ".git", ["tmplgen", "tmplgen/lock"])
    finally:
        os.umask(before)
    found = modes(world.child / ".git", FILES)
    assert found == wanted
    rights = {"group": 0o660, "0660": 0o660, "all": 0o660, "0640": 0o640}.get(shared, 0o600)
    assert int(own["tmplgen/lock"], 8) & rights == rights
    # Files of the work tree follow the umask alone.
    assert stat.S_IMODE((world.child / "new/b").stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE((world.child / "new").stat().st_mode) & 0o777 == 0o777 & ~mask


@pytest.mark.parametrize("mask", [0o077, 0o002])
@pytest.mark.parametrize("old", [0o600, 0o666])
@pytest.mark.parametrize("shared", ["group", "all", "0640"])
def test_A6_the_index_gets_the_rights_that_git_gives_it(world, shared, old, mask):
    """Somebody made it before the repository was shared."""
    index = world.child / ".git/index"
    before = os.umask(mask)
    try:
        world.new()
        world.release("1.1.0", V2)
        world.git("config", "core.sharedRepository", shared)
        twin = world.folder / "twin"
        shutil.copytree(world.child, twin)
        put(twin, {"a": "2\n"})
        for path in (index, twin / ".git/index"):
            path.chmod(old)
        world.git("add", "a", cwd=twin)
        assert world.update().code == 0
    finally:
        os.umask(before)
    assert modes(world.child / ".git", ["index"]) == modes(twin / ".git", ["index"])


def test_the_index_of_one_user_keeps_its_mode(world):
    world.new()
    world.release("1.1.0", V2)
    (world.child / ".git/index").chmod(0o600)
    assert world.update().code == 0
    assert modes(world.child / ".git", ["index"]) == {"index": "0o600"}


@pytest.fixture
def open_world():
    """Where somebody else may go, too."""
    folder = fast_folder()
    folder.chmod(0o711)
    world = World(folder / "w")
    world.release("1.0.0", V1)
    yield world
    shutil.rmtree(folder)


def give(world, group):
    """All of it to the group, as `git init --shared` sets a repository up."""
    subprocess.run(["chgrp", "-R", str(group), world.folder], check=True)
    subprocess.run(["chmod", "-R", "g+rwX", world.catalog, world.home], check=True)
    subprocess.run(["chmod", "g+rwxs", world.folder], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be two users")
def test_A6_another_user_of_the_group_goes_on(open_world):
    """One of the group stops at a conflict, another one ends it."""
    world, group = open_world, 12345
    other = ["setpriv", "--reuid=23456", f"--regid={group}", "--clear-groups"]
    give(world, group)
    before = os.umask(0o077)
    try:
        world.child.mkdir()
        world.child.chmod(0o2770)
        world.git("init", "-q", "--shared=group")
        world.git("config", "--global", "--add", "safe.directory", world.child)
        world.new("--commit")
        world.edit({"a": "mine\n"})
        world.release("1.1.0", {**V1, "a": "2\n"})
        give(world, group)
        for path in world.child.iterdir():  # git's folder is as tmplgen and git made it
            if path.name != ".git":
                subprocess.run(["chmod", "-R", "g+rwX", path], check=True)
        assert world.update().code == 5
        os.umask(0o007)
        if subprocess.run([*other, world.binary, "--version"], check=False).returncode:
            pytest.skip("nobody else may run the program here")
        done = world.tmplgen("update", world.child, "--abort", "--json", prefix=other)
    finally:
        os.umask(before)
    assert done.code == 0, done.out + done.err
    assert world.read("a") == "mine\n"
