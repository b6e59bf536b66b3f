"""A template with versions, a child made from it, and what a run of tmplgen does to that child."""

import hashlib
import itertools
import os
import re
import shutil
import stat
import subprocess
from copy import deepcopy
from pathlib import Path

import pytest

from ..common.program import BINARY, SANITIZED
from ..common.program import Result as AnyResult
from .faults import built

TEMPLATE = "description: a test\nstack: none\n"
RECORD = ".tmplgen.yml"
# Strategies of `update`, each with git's command that goes on from its stops. Tests that hold for
# all of them run over these.
GIT_COMMANDS = {"pick": "cherry-pick", "merge": "merge"}
STRATEGIES = list(GIT_COMMANDS)
# A time in the past, so that a test's commits do not depend on the clock.
WHEN = "1700000000 +0000"
# Nothing in the background, and no processes and files that no test needs: sample hooks, graphs.
GIT_CONFIG = """\
[init]
	defaultBranch = main
	templateDir =
[gc]
	auto = 0
[maintenance]
	auto = false
[core]
	commitGraph = false
	multiPackIndex = false
"""


class Result(AnyResult):
    @property
    def paths(self) -> dict:
        """State by path; every path has one line."""
        lines = self.json["paths"]
        states = {line["path"]: line["state"] for line in lines}
        assert len(states) == len(lines), lines
        return states

    @property
    def error(self) -> dict:
        return self.json["error"]


def environment(home: Path, **more) -> dict:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ann",
        "GIT_AUTHOR_EMAIL": "ann@example.com",
        "GIT_COMMITTER_NAME": "Ann",
        "GIT_COMMITTER_EMAIL": "ann@example.com",
        "LC_ALL": "C.UTF-8",
        **more,
    }
    for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
        if name in os.environ:
            env[name] = os.environ[name]
    return env


def put(folder: Path, files: dict) -> None:
    """
    Writes files: text, bytes, None (removed), ("x", text) for an executable, ("l", target) for a
    link, {"from": path} for a file moved there.
    """
    for path, content in files.items():
        if isinstance(content, dict):
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            os.rename(folder / content["from"], folder / path)
    for path, content in files.items():
        target = folder / path
        if isinstance(content, dict):
            continue
        if content is None:
            if target.is_dir() and not target.is_symlink():
                shutil.rmtree(target)
            else:
                target.unlink()
            continue
        mode, text = content if isinstance(content, tuple) else ("", content)
        if mode != "x" and target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink() or mode == "l":
            target.unlink(missing_ok=True)
        if mode == "l":
            target.symlink_to(text)
            continue
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        target.chmod(0o755 if mode == "x" else 0o644)


def looked_at(env: dict) -> dict:
    if SANITIZED:
        return env
    loaded = [env["LD_PRELOAD"]] if "LD_PRELOAD" in env else []
    return {**env, "LD_PRELOAD": ":".join([*map(str, loaded), str(built("open_at_end"))])}


class World:
    """Everything of one test lies below `folder`."""

    binary = BINARY
    strategy = "pick"  # of updates that name none

    def __init__(self, folder: Path):
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(parents=True)
        self.catalog = folder / "catalog"
        self.child = folder / "child"
        self.env = environment(self.home)
        put(self.home, {".gitconfig": GIT_CONFIG})

    # ------------------------------------------------------------ git

    def git(self, *args, cwd=None, env=None, check=True, stdin=None) -> str:
        done = subprocess.run(
            ["git", *map(str, args)],
            cwd=cwd or self.child,
            env={
                **self.env,
                "GIT_AUTHOR_DATE": WHEN,
                "GIT_COMMITTER_DATE": WHEN,
                "GIT_EDITOR": "true",
                **(env or {}),
            },
            capture_output=True,
            input=stdin,
            check=False,
        )
        if check and done.returncode:
            raise AssertionError(f"git {args}: {done.stderr.decode()}")
        return done.stdout.decode(errors="replace").strip("\n") if check else done

    def commit(self, message="change", cwd=None) -> str:
        """All that is there; git itself says the id, so that nobody has to ask for it."""
        self.git("add", "-A", cwd=cwd)
        whole = ("-c", "core.abbrev=40")
        said = self.git(*whole, "commit", "--allow-empty", "-m", message, cwd=cwd)
        return re.match(r"\[.*? ([0-9a-f]{40})\]", said)[1]

    # ------------------------------------------------------------ the template

    def release(self, version: str, files: dict, template=TEMPLATE, tag=True, **more) -> str:
        """One version of the catalog: the files of its one template, all of them."""
        files_dir = self.catalog / "templates" / "app" / "files"
        if not self.catalog.exists():
            self.catalog.mkdir()
            self.git("init", "-q", cwd=self.catalog)
        if files_dir.exists():
            shutil.rmtree(files_dir)
        files_dir.mkdir(parents=True)
        put(files_dir, files)
        put(
            self.catalog,
            {
                "catalog.yml": f"name: demo\nversion: {version}\n",
                "templates/app/template.yml": template,
                **more,
            },
        )
        commit = self.commit(version, cwd=self.catalog)
        if tag:
            put(self.catalog, {f".git/refs/tags/v{version}": f"{commit}\n"})
        return commit

    # ------------------------------------------------------------ the child

    def tmplgen(self, *args, cwd=None, env=None, prefix=(), timeout=120) -> Result:
        """A run that leaves a descriptor open at its end has exit code 97."""
        done = subprocess.run(
            [*prefix, str(self.binary), *map(str, args)],
            cwd=cwd or self.folder,
            env=looked_at({**self.env, **(env or {})}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def new(self, *args, path=None, ref=None) -> Path:
        target = path or self.child
        source = f"{self.catalog}@{ref}" if ref else str(self.catalog)
        done = self.tmplgen("new", target, "--type", "app", "--catalog", source, *args)
        assert done.code == 0, done.err
        return target

    def edit(self, files: dict, message="edit", child=None) -> str:
        put(child or self.child, files)
        return self.commit(message, cwd=child)

    def update(self, *args, child=None, **more) -> Result:
        named = {"--strategy", "--continue", "--abort"} & set(args)
        if not named and self.strategy != "pick":
            args = ("--strategy", self.strategy, *args)
        return self.tmplgen("update", child or self.child, "--json", *args, **more)

    @property
    def git_command(self) -> str:
        return GIT_COMMANDS[self.strategy]

    @property
    def pseudoref(self) -> str:
        """What git is told of a stop."""
        return self.git_command.upper().replace("-", "_") + "_HEAD"

    def copy(self, name: str) -> Path:
        """The child once more; a copied journal would not be its own, so none may be there."""
        target = self.folder / name
        subprocess.run(["cp", "-a", self.child, target], check=True)
        return target

    def copy_from(self, source: Path) -> None:
        """The child as it was when `source` was copied."""
        subprocess.run(["cp", "-a", source, self.child], check=True)
        self.git("update-index", "-q", "--refresh")

    def read(self, path: str, child=None) -> str:
        return ((child or self.child) / path).read_bytes().decode()

    def tree(self, child=None, rev="HEAD") -> str:
        return self.git("rev-parse", f"{rev}^{{tree}}", cwd=child)

    def listing(self, rev="HEAD", child=None) -> dict:
        """Mode and blob by path."""
        lines = self.git("ls-tree", "-r", "-z", rev, cwd=child).split("\0")
        found = {}
        for line in filter(None, lines):
            meta, path = line.split("\t", 1)
            mode, _, blob = meta.split(" ")
            found[path] = (mode, blob)
        return found

    def objects(self, ids=None, child=None) -> dict:
        """Kind and bytes of each, or of all that there are."""
        names = "".join(f"{oid}\n" for oid in ids or ()).encode()
        every = ["--batch-all-objects"] if ids is None else []
        done = self.git("cat-file", "--batch", *every, cwd=child, stdin=names, check=False)
        found, at = {}, 0
        while at < len(done.stdout):
            end = done.stdout.index(b"\n", at)
            oid, kind, size = done.stdout[at:end].decode().split(" ")
            found[oid] = kind, done.stdout[end + 1 : end + 1 + int(size)]
            at = end + 2 + int(size)
        return found

    def blob(self, oid: str, child=None) -> bytes:
        return self.objects([oid], child)[oid][1]


class Stock:
    """
    Worlds that many tests begin with: each is made once, and put where it was made for every test,
    since paths are a part of what is in it.
    """

    def __init__(self, folder: Path):
        self.folder, self.made, self.numbers = folder, {}, itertools.count()

    def take(self, world: World, make, *args) -> World:
        """`world` becomes what `make(world, *args)` makes of one of its strategy."""
        name = (make.__module__, make.__qualname__, world.strategy, *args)
        if name not in self.made:
            new = World(self.folder / str(next(self.numbers)))
            new.strategy = world.strategy
            make(new, *args)
            self.made[name] = new
            self.put(new.folder, self.kept(new))
        else:
            self.put(self.kept(self.made[name]), self.made[name].folder)
        vars(world).update(deepcopy(vars(self.made[name])))
        if (world.child / ".git").exists():
            world.git("update-index", "-q", "--refresh", check=False)
        return world

    def leave(self, world):
        """As it is: somebody will look at it."""
        self.made = {name: one for name, one in self.made.items() if one.folder != world.folder}

    def kept(self, world):
        return self.folder / f"{world.folder.name}.kept"

    def put(self, source, target):
        subprocess.run(["rm", "-rf", target], check=True)
        subprocess.run(["cp", "-a", source, target], check=True)


def stocked(make):
    """A fixture: the world that `make(world)` makes, once for each process."""

    @pytest.fixture(name=make.__name__)
    def take(world, stock):
        return stock.take(world, make)

    return take


def files_on_disk(folder: Path, times=False, empty=False) -> dict:
    """Everything below a work tree but .git: kind, mode, content; `empty` folders, too, which a
    fault may leave."""
    found = {}
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f != ".git")
        if empty and not (folders or names) and here != str(folder):
            found[os.path.relpath(here, folder)] = ("d", None)
        for name in [*names, *(f for f in folders if os.path.islink(os.path.join(here, f)))]:
            path = os.path.join(here, name)
            info = os.lstat(path)
            if name == ".git":
                continue
            if stat.S_ISLNK(info.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(info.st_mode):
                content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            else:
                content = None
            key = os.path.relpath(path, folder)
            found[key] = (stat.filemode(info.st_mode), content)
            if times:
                found[key] += (info.st_mtime_ns, info.st_ino)
    return found


def git_files(git_dir: Path) -> dict:
    """Every file of a git folder with its content's hash and its time."""
    found = {}
    for path in sorted(git_dir.rglob("*")):
        if path.is_file():
            found[str(path.relative_to(git_dir))] = (
                hashlib.sha256(path.read_bytes()).hexdigest(),
                path.stat().st_mtime_ns,
            )
    return found


def snapshot(world: World, child=None) -> dict:
    """What a user sees of a child, exactly."""
    where = child or world.child
    refs = world.git("for-each-ref", "--format=%(refname) %(objectname)", cwd=where).splitlines()
    return {
        "files": files_on_disk(where),
        "refs": [r for r in refs if not r.startswith("refs/tmplgen/")],
        "index": world.git("ls-files", "-s", cwd=where),
        "status": world.git(
            "status", "--porcelain=v2", "--branch", "--ignored", "-uall", cwd=where
        ),
    }


def leftovers(git_dir: Path) -> list:
    """
    Locks, journals and prepared files that nobody should find after a finished run: all but what is
    kept on purpose.
    """
    found = [str(p.relative_to(git_dir)) for p in git_dir.rglob("*.lock")]
    for path in (git_dir / "tmplgen").rglob("*") if (git_dir / "tmplgen").exists() else []:
        kept = path.name in ("lock", "proof") or path.parent.name == "resolutions"
        if path.is_file() and not kept:
            found.append(str(path.relative_to(git_dir)))
    found += [str(p.relative_to(git_dir)) for p in (git_dir / "objects").rglob("tmp_*")]
    return sorted(found)


def assert_seen_by_git(world: World, top: Path) -> None:
    """What `git status` calls unchanged is what the index says: it would be overwritten unasked."""
    listed = world.git("ls-files", "-s", "-z", cwd=top).split("\0")
    staged = {}
    for meta, path in (line.split("\t", 1) for line in filter(None, listed)):
        mode, blob, stage = meta.split(" ")
        if stage == "0" and mode != "120000" and (top / path).is_file():
            staged[path] = blob
    names = "\n".join(staged).encode()
    found = world.git("hash-object", "--stdin-paths", cwd=top, stdin=names).splitlines()
    differ = {path for path, blob in zip(staged, found, strict=True) if staged[path] != blob}
    seen = world.git("diff-files", "--name-only", "-z", cwd=top).split("\0")
    assert differ <= set(seen), f"git sees no change of {sorted(differ - set(seen))}"


def assert_sound(world: World, child=None) -> None:
    """git finds nothing wrong, and nothing is left over."""
    where = child or world.child
    done = world.git("fsck", "--strict", "--no-dangling", cwd=where, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    git_dir = Path(world.git("rev-parse", "--absolute-git-dir", cwd=where))
    # A power cut may leave folders of work.
    left = leftovers(git_dir) + list((git_dir / "tmplgen").glob("work*"))
    assert left == [], left
