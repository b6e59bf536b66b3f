"""A user, a catalog in a repository on a server, and what its releases are."""

import os
import shutil
from pathlib import Path

import yaml

from ..command.world import CATALOG, TEMPLATE, Runner, git

RECORD = ".tmplgen.yml"
UNREACHABLE = (1, "unreachable-catalog")


class World:
    """One repository, `catalogs.git` below `root`, and a user with a home of its own."""

    def __init__(self, folder: Path, inner=""):
        self.folder, self.inner = folder, inner
        self.root = folder / "root"
        self.bare = self.root / "catalogs.git"
        self.source = folder / "source"
        self.work = folder / "work"
        for made in (self.root, self.source, self.work, folder / "home"):
            made.mkdir(parents=True)
        self.run = Runner(folder / "home")
        self.run.env |= {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com"}
        self.run.env |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"}
        git(self.source, "init", "-q", "-b", "main")
        git(self.source, "config", "core.compression", "0")
        git(self.root, "init", "-q", "--bare", "-b", "main", str(self.bare))
        git(self.bare, "config", "uploadpack.allowFilter", "true")
        (self.bare / "git-daemon-export-ok").touch()

    # ------------------------------------------------------------ the catalog

    def put(self, path, content):
        target = self.source / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            target.write_text(content)

    def commit(self, version, text="hello", *tag, env=None):
        """
        The catalog at that version, committed on main, tagged where `tag` are words of `git tag`,
        and pushed; the commit's id.
        """
        top = f"{self.inner}/" if self.inner else ""
        self.put(f"{top}catalog.yml", CATALOG.replace("1.0.0", version))
        self.put(f"{top}templates/thing/template.yml", TEMPLATE)
        self.put(f"{top}templates/thing/files/a.txt.j2", f"{text} {{{{ greeting }}}}\n")
        git(self.source, "add", "-A")
        git(self.source, "commit", "-q", "--allow-empty", "-m", version)
        if tag:
            git(self.source, "tag", *tag, env=env)
        self.push("main", *tag[-1:])
        return git(self.source, "rev-parse", "HEAD")

    def push(self, *refs):
        git(self.source, "push", "-q", "--force", str(self.bare), *refs)

    def release(self, version, text=None, *how, env=None):
        """The same, and its tag; `how` are options of `git tag`."""
        return self.commit(version, text or version, "-f", *how, f"v{version}", env=env)

    # ------------------------------------------------------------ the user

    @property
    def cache(self):
        return self.folder / "home/.cache/tmplgen/catalogs"

    def cache_bytes(self):
        return sum(f.stat().st_size for f in self.cache.rglob("*") if f.is_file())

    def forget(self):
        shutil.rmtree(self.cache, ignore_errors=True)

    def new(self, source, name="child", *more, trust=True, **how):
        words = ["new", name, "--type", "thing", "--json", f"--catalog={source}", *more]
        return self.run(*words, *(["--trust"] if trust else []), cwd=self.work, **how)

    def update(self, *more, name="child", trust=True, **how):
        words = ["update", *more, "--json", *(["--trust"] if trust else [])]
        return self.run(*words, cwd=self.work / name, **how)

    def status(self, *more, name="child", **how):
        return self.run("status", "--json", *more, cwd=self.work / name, **how)

    def text(self, name="child"):
        return (self.work / name / "a.txt").read_text().split()[0]

    def record(self, name="child"):
        return yaml.safe_load((self.work / name / RECORD).read_text())["catalog"]

    def configure_git(self, text):
        (self.folder / "home/.gitconfig").write_text(text)


def ok(done):
    assert done.code == 0, done.out + done.err
    return done.json


def fails(done, code, word):
    """The error's message and hint, in one text."""
    assert done.code == code, done.out + done.err
    error = done.json["error"]
    assert error["code"] == word, error
    return f"{error['message']}\n{error['hint']}"


def has_secret(folder: Path, secret: str):
    """Whether a file below holds it, or a name."""
    for path in folder.rglob("*"):
        if secret in path.name or (path.is_file() and secret.encode() in path.read_bytes()):
            return path
    return None


def usable(world, source, name):
    """The cache is sound after whatever happened: the same command works."""
    ok(world.new(source, name))
    caches = [path for path in world.cache.iterdir() if (path / "objects").is_dir()]
    for path in caches:
        assert not list(path.glob("incoming-*")), os.listdir(path)
        git(path, "--git-dir", str(path), "count-objects", "-v")
        for index in (path / "objects/pack").glob("*.idx"):
            git(path, "verify-pack", str(index))
