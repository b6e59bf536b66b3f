"""The built binary as users call it, in a world of its own: no network, no git identity."""

import os
import subprocess
from pathlib import Path

from ..common.program import BINARY, Result


class Runner:
    """Calls tmplgen; `home` is the user's folder, where a configuration may be put."""

    def __init__(self, home: Path):
        self.home = home
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "XDG_CONFIG_HOME": str(home / ".config"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "LC_ALL": "C.UTF-8",
        }
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                self.env[name] = os.environ[name]

    def __call__(self, *args, cwd: Path, env=None, stdin="", timeout=120) -> Result:
        done = subprocess.run(
            [str(BINARY), *map(str, args)],
            cwd=cwd,
            env={**self.env, **(env or {})},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Result(done.returncode, done.stdout, done.stderr)

    def configure(self, text: str) -> None:
        path = self.home / ".config" / "tmplgen" / "config.yml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(cwd: Path, *args: str, env=None) -> str:
    """Runs git for a check, without anybody's configuration; its output, stripped."""
    done = subprocess.run(
        ["git", *args],
        cwd=cwd,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(cwd),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_NAME": "A",
            "GIT_AUTHOR_EMAIL": "a@example.com",
            "GIT_COMMITTER_NAME": "A",
            "GIT_COMMITTER_EMAIL": "a@example.com",
            **(env or {}),
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


CATALOG = "name: test\nversion: 1.0.0\n"
TEMPLATE = """\
description: a test
stack: none
questions:
  - {name: greeting, type: str, default: hello}
"""


class Catalog:
    """A catalog in a folder: the smallest one that works, changed file by file."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.write("catalog.yml", CATALOG)
        self.template(TEMPLATE)
        self.file("hello.txt.j2", "{{ greeting }} {{ name }}\n")

    def write(self, path: str, content, executable=False) -> "Catalog":
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            target.write_bytes(content)
        else:
            target.write_text(content, newline="")
        target.chmod(0o755 if executable else 0o644)
        return self

    def template(self, text: str, name="thing") -> "Catalog":
        return self.write(f"templates/{name}/template.yml", text)

    def file(self, path: str, content, **more) -> "Catalog":
        return self.write(f"templates/thing/files/{path}", content, **more)

    def layer(self, name: str, manifest: str, files: dict) -> "Catalog":
        self.write(f"templates/_layers/{name}/layer.yml", manifest)
        for path, content in files.items():
            self.write(f"templates/_layers/{name}/files/{path}", content)
        return self
