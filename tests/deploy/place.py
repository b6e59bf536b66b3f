"""Where the bot works: a catalog with releases, a child in a bare repository, CI's clone of it."""

import os
import shutil
import subprocess

from ..common.program import BINARY, ROOT
from .forge import TOKEN

OF_TEAMS = ("images", "cluster")  # these have no framework
WHO = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ann"), ("EMAIL", "ann@example.org"))
}
EDITORCONFIG = "templates/_layers/common/files/.editorconfig"


def git(folder, *words, **env):
    done = subprocess.run(
        ["git", *words],
        cwd=folder,
        env={**os.environ, **WHO, **env},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"git {words}: {done.stderr}"
    return done.stdout.strip()


class Place:
    """A catalog with releases, a child of the first in a bare repository, and the clone of CI."""

    def __init__(self, folder, kind, forge, *more):
        self.folder, self.forge = folder, forge
        self.catalog = folder / "catalog"
        self.catalog.mkdir()
        for name in ("templates", "matrices", "base-images"):
            shutil.copytree(ROOT / name, self.catalog / name)
        shutil.copy(ROOT / "catalog.yml", self.catalog)
        git(self.catalog, "init", "--quiet", "--initial-branch", "main")
        self.release("9.0.0")
        child = folder / "child"
        words = ["--name", "it", "--ci", "github,gitlab,jenkins", "--quiet"]
        words += ["--framework", "none"] if kind not in OF_TEAMS else ["--registry", "r.example/a"]
        words += ["--type", kind, "--catalog", f"{self.catalog}@v9.0.0", *more]
        self.tmplgen("new", child, *words)
        git(child, "branch", "-M", "main")
        self.origin = folder / "origin.git"
        git(folder, "clone", "--quiet", "--bare", str(child), str(self.origin))
        self.clone = folder / "clone"
        self.checkout()

    def tmplgen(self, *words):
        done = subprocess.run(
            [BINARY, *map(str, words)],
            env={**os.environ, **WHO, "HOME": str(self.folder)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr

    def release(self, version, **files):
        """Writes FILES (with __ for /) and tags the next version."""
        for path, change in files.items():
            file = self.catalog / path
            file.write_text(change(file.read_text()))
        manifest = self.catalog / "catalog.yml"
        lines = manifest.read_text().splitlines()
        manifest.write_text(
            "\n".join(f"version: {version}" if it.startswith("version:") else it for it in lines)
            + "\n"
        )
        git(self.catalog, "add", "--all")
        git(self.catalog, "commit", "--quiet", "-m", version)
        git(self.catalog, "tag", f"v{version}")

    def checkout(self):
        """A fresh clone, at a detached HEAD, as CI has it."""
        shutil.rmtree(self.clone, ignore_errors=True)
        git(self.folder, "clone", "--quiet", str(self.origin), str(self.clone))
        git(self.clone, "checkout", "--quiet", "--detach", "origin/main")

    def run(self, how="github", token=TOKEN, fresh=True, folder="", **env):
        if fresh:
            self.checkout()
        words = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder / "home"),
            "TMPLGEN": str(BINARY),
            "GITHUB_REPOSITORY": "acme/it",
            "GITHUB_API_URL": self.forge.url,
            "CI_API_V4_URL": f"{self.forge.url}/api/v4",
            "CI_PROJECT_ID": "7",
            "DEFAULT_BRANCH": "main",
            **({"TEMPLATE_UPDATE_TOKEN": token} if token else {}),
            **env,
        }
        (self.folder / "home").mkdir(exist_ok=True)
        return subprocess.run(
            ["sh", f"{folder}ci/template-update.sh", how],
            cwd=self.clone,
            env={name: value for name, value in words.items() if value is not None},
            capture_output=True,
            text=True,
            check=False,
        )

    def push(self, **files):
        """A team's own commit on the main branch."""
        work = self.folder / "work"
        git(self.folder, "clone", "--quiet", str(self.origin), str(work))
        for path, change in files.items():
            (work / path).write_text(change((work / path).read_text()))
        git(work, "commit", "--quiet", "-am", "ours")
        git(work, "push", "--quiet", "origin", "main")

    def branch(self):
        """The commits of the bot's branch there, newest first; none where it is not there."""
        found = git(self.origin, "branch", "--list", "tmplgen/update")
        return (
            git(self.origin, "log", "--format=%s", "main..tmplgen/update").splitlines()
            if found
            else []
        )

    def at(self, path, ref="tmplgen/update"):
        return git(self.origin, "show", f"{ref}:{path}")


def comment(text):
    return text + "# newer\n"
