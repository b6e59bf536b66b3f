"""Children that are ready to be updated or adopted, and runs of copies of them."""

import os
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from .faults import clone_folder
from .scenarios import lines
from .world import World, leftovers, put

OLD = {
    "edited": lines(20),
    "same": lines(10),
    "dropped/deep/x": lines(5),
    "file-to-folder": "1\n",
    "folder-to-file/x": "1\n",
    "run.sh": "#!/bin/sh\n",
    "moved/a": lines(30),
}
NEW = {
    "edited": lines(20, {15: "theirs"}),
    "same": lines(10),
    "new/deep/y": lines(7),
    "file-to-folder/x": "2\n",
    "folder-to-file": "2\n",
    "run.sh": ("x", "#!/bin/sh\n"),
    "elsewhere/a": lines(30, {30: "theirs"}),
}
MOVES = "migrations:\n  - {from: '<1.1', rename_files: {moved/a: elsewhere/a}}\n"
MINE = {
    "edited": lines(20, {3: "mine"}),
    "moved/a": lines(30, {1: "mine"}),
    "own/file": "own\n",
    ".gitignore": "secret\nbuild/\n",
}
CONFLICT = {**MINE, "edited": lines(20, {15: "mine"})}
# By strategy, what git is told of a stop, in files of its folder.
TOLD = {
    "pick": {"CHERRY_PICK_HEAD"},
    "merge": {"MERGE_HEAD", "MERGE_MODE"},
    "rebase": {"CHERRY_PICK_HEAD"},
}
# What is committed after that: of a rebase that stops it is not in the work tree meanwhile.
LATER = [
    {"own/later": "later\n", "same": lines(10, {4: "later"})},
    {"own/later": "later\nstill\n", "edited": lines(20, {3: "mine", 19: "later"})},
]
LATER_CONFLICT = [LATER[0], {"own/later": "later\nstill\n"}]
# What no run may ever touch: not tracked, ignored, dirty elsewhere, staged nowhere.
UNTRACKED = {"secret": "token\n", "build/out": "artefact\n", "notes": "note\n"}


@dataclass
class Case:
    """A child that is ready to be updated, kept so that every run starts from a copy."""

    world: World
    pristine: Path  # nobody changes it
    args: tuple
    conflict: bool
    sub: str = ""  # the child's folder in its repository
    linked: bool = False  # a work tree that lies beside its main one
    place: str = "run"  # where the copy lies that is run in

    def fresh(self):
        self.place = "run"
        clone_folder(self.pristine, self.folder)

    @property
    def strategy(self):
        return self.args[1] if "--strategy" in self.args else "pick"

    @property
    def told(self):
        return {name for names in TOLD.values() for name in names if (self.git_dir / name).exists()}

    @property
    def folder(self):
        return self.world.folder / self.place

    @property
    def top(self):
        return self.folder / ("linked" if self.linked else "")

    @property
    def child(self):
        return self.top / self.sub

    @property
    def common(self):
        return self.folder / ("main/.git" if self.linked else ".git")

    @property
    def git_dir(self):
        return self.common / ("worktrees/linked" if self.linked else "")

    @property
    def adopts(self):
        return "--type" in self.args

    def command(self, args):
        return ["adopt" if "--type" in args else "update", self.child, "--json", *args]

    def clear(self):
        """Nothing is left of what was run."""
        kept = {self.pristine, self.world.catalog, self.world.home}
        for path in set(self.world.folder.iterdir()) - kept:
            subprocess.run(["rm", "-rf", path], check=True)

    def leftovers(self):
        """What nobody should find when nothing is half done."""
        return leftovers(self.git_dir) + (leftovers(self.common) if self.linked else [])


def link(world, top):
    """The child on a branch of its own in a linked work tree; all paths as they are in the copy."""
    folder = world.folder / "pristine"
    os.rename(top, world.folder / "main")
    folder.mkdir()
    os.rename(world.folder / "main", folder / "main")
    world.git("checkout", "-q", "-b", "other", cwd=folder / "main")
    world.git("worktree", "add", "-q", folder / "linked", "main", cwd=folder / "main")
    put(folder / "linked", UNTRACKED)
    for path in (folder / "linked/.git", folder / "main/.git/worktrees/linked/gitdir"):
        path.write_text(path.read_text().replace("/pristine/", "/run/"))
    return folder


def build(tmp, conflict=False, args=(), sub="", linked=False, adopt="", later=()):
    if adopt:
        return build_adopted(tmp, adopt, conflict, args, sub)
    world = World(tmp / "w")
    world.release("1.0.0", OLD)
    top = world.folder / "pristine"
    if sub:
        top.mkdir()
        world.git("init", "-q", cwd=top)
        put(top, {"other/file": "other\n"})
        world.commit(cwd=top)
        world.child = top / sub
        world.new("--commit")
    else:
        world.child = top
        world.new()
    for files in (CONFLICT if conflict else MINE, *later):
        world.edit(files)
    world.release("1.1.0", NEW, template="description: a test\nstack: none\n" + MOVES)
    put(world.child, UNTRACKED)
    world.git("gc", "-q", cwd=top)
    pristine = link(world, top) if linked else top
    return Case(world, pristine, args, conflict, sub, linked)


# Of the one file that is merged the older version is the one it is most like.
TO_MERGE = {**NEW, "edited": lines(20, {10: "theirs", 15: "theirs"})}


def build_adopted(tmp, adopt, conflict=False, args=(), sub=""):
    """A repository that was not made from the template; "empty": one without a commit."""
    world = World(tmp / "w")
    world.release("1.0.0", OLD)
    world.release("1.1.0", TO_MERGE)
    top = world.folder / "pristine"
    world.child = top / sub
    world.child.mkdir(parents=True)
    world.git("init", "-q", cwd=top)
    if sub:
        put(top, {"other/file": "other\n"})
    if adopt == "empty":
        put(world.child, {"own/file": "own\n"})
    else:
        world.edit(CONFLICT if conflict else MINE)
    put(world.child, UNTRACKED)
    world.git("gc", "-q", cwd=top)
    merge = ("--merge", "edited") if adopt != "empty" else ()
    words = ("--type", "app", "--catalog", world.catalog, "--name", "shop", *merge, *args)
    return Case(world, top, words, conflict, sub)


MERGE = ("--strategy", "merge")
REBASE = ("--strategy", "rebase")
CASES = {
    "clean": {},
    "conflict": {"conflict": True},
    "staged": {"args": ("--no-commit",)},
    "branch": {"args": ("--branch", "topic/update")},
    "branch-conflict": {"conflict": True, "args": ("--branch", "topic/update")},
    "folder": {"sub": "services/a"},
    "folder-conflict": {"conflict": True, "sub": "services/a"},
    "linked": {"linked": True},
    "linked-conflict": {"linked": True, "conflict": True},
    "adopt": {"adopt": "mine"},
    "adopt-staged": {"adopt": "mine", "args": ("--no-commit",)},
    "adopt-conflict": {"adopt": "mine", "conflict": True},
    "adopt-folder": {"adopt": "mine", "sub": "services/a"},
    "adopt-empty": {"adopt": "empty"},
    "adopt-empty-staged": {"adopt": "empty", "args": ("--no-commit",)},
    "merge": {"args": MERGE},
    "merge-conflict": {"conflict": True, "args": MERGE},
    "merge-staged": {"args": (*MERGE, "--no-commit")},
    "rebase": {"args": REBASE, "later": LATER},
    "rebase-conflict": {"conflict": True, "args": REBASE, "later": LATER_CONFLICT},
}


class Cases:
    """Each is made once, in a folder of its own; a test gets its own object, and runs in copies."""

    def __init__(self, folder):
        self.folder, self.made = folder, {}

    def get(self, name):
        if name not in self.made:
            self.made[name] = build(self.folder / name, **CASES[name])
        return replace(self.made[name])


each_case = pytest.mark.parametrize("case", CASES, indirect=True)


def in_cases(*names):
    """The test runs in these alone."""
    return pytest.mark.parametrize("case", names, indirect=True)


def run(case, env=None, *args):
    case.fresh()
    return again(case, env, *(args or case.args))


def again(case, env=None, *args):
    return case.world.tmplgen(*case.command(args), env=env)
