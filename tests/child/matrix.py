"""Children of the render matrix on disk, and what every one of them must pass."""

import atexit
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .render import CATALOG

TMPLGEN = (CATALOG / os.environ.get("TMPLGEN", "build/tmplgen")).resolve()
# Whole lines are as long as they are; `on:` of a workflow is a key, whatever YAML 1.1 thinks.
YAMLLINT = """
extends: default
rules:
  line-length: disable
  document-start: disable
  truthy: {check-keys: false}
  braces: {max-spaces-inside: 1}
  comments: {min-spaces-from-content: 1}
"""
# Words of the README that are no files of a fresh child: what its commands make.
MADE = re.compile(
    r"(bench/(RESULTS\.md|results\.json)|smoke/gpu-smoke|requirements/lock.*|data/(mine|texts).*)$"
)
FOLDERS = "bench|ci|configs|data|deploy|docs|requirements|scripts|smoke|src|tests"


@dataclass
class Child:
    folder: Path
    words: list

    @property
    def id(self):
        return " ".join(self.words)

    def files(self, pattern):
        found = (path for path in self.folder.rglob(pattern) if ".git" not in path.parts)
        return sorted(path for path in found if path.is_file())

    def text(self, name):
        return (self.folder / name).read_text()


def tmplgen(*words, cwd, statuses=(0,)):
    done = subprocess.run(
        [str(TMPLGEN), *(str(word) for word in words)],
        cwd=cwd,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(cwd),
            **{f"GIT_{who}_NAME": "Ann" for who in ("AUTHOR", "COMMITTER")},
            **{f"GIT_{who}_EMAIL": "ann@example.org" for who in ("AUTHOR", "COMMITTER")},
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode in statuses, f"{words}\n{done.stdout}{done.stderr}"
    return done.returncode


def check(children):
    """Everything that is to be said against these children; nothing is what is wanted."""
    found = []
    for one in CHECKS:
        found += one(children)
    return found


def _tool(command, root, **env):
    env = {**os.environ, **env}
    done = subprocess.run(command, cwd=root, env=env, capture_output=True, text=True, check=False)
    return [f"{command[:3]}: {done.stdout}{done.stderr}"] if done.returncode else []


def _distinct(children, pattern):
    """Files of all children, each content once."""
    found = {}
    for child in children:
        for path in child.files(pattern):
            found.setdefault(path.read_bytes(), path)
    return sorted(found.values())


def ruff(children):
    # Each child has settings of its own, which ruff finds.
    folders = [str(child.folder) for child in children]
    words = (["check"], ["format", "--check"])
    return [
        finding
        for one in words
        for finding in _tool(
            [sys.executable, "-m", "ruff", *one, "--no-cache", "--quiet", *folders],
            children[0].folder,
        )
    ]


def compiles(children):
    found = []
    for path in _distinct(children, "*.py"):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
            except (SyntaxError, ValueError, Warning) as error:
                found.append(f"{path}: {error}")
    return found


def shellcheck(children):
    scripts = [str(path) for path in _distinct(children, "*.sh")]
    quiet = ["--exclude", "SC1091"]  # `. ci/project.sh`: read from where the child is
    found = _tool(["shellcheck", *quiet, *scripts], children[0].folder)
    for child in children:
        for path in child.files("*.sh"):
            runs = path.read_text().startswith("#!")
            if os.access(path, os.X_OK) != runs:
                found.append(f"{path}: {'not ' if runs else ''}executable")
    return found


def yamllint(children):
    from yamllint import config, linter

    rules = config.YamlLintConfig(YAMLLINT)
    paths = [path for kind in ("*.yml", "*.yaml") for path in _distinct(children, kind)]
    return [
        f"{path}:{problem}"
        for path in paths
        if path.name != ".tmplgen.yml"
        for problem in linter.run(io.StringIO(path.read_text()), rules)
    ]


def project(children):
    os.environ["VALIDATE_PYPROJECT_NO_NETWORK"] = "1"
    from validate_pyproject import api, errors

    validator = api.Validator()
    found = []
    for child in children:
        if not (child.folder / "pyproject.toml").exists():
            continue
        try:
            validator(tomllib.loads(child.text("pyproject.toml")))
        except (errors.ValidationError, tomllib.TOMLDecodeError) as error:
            found.append(f"{child.id}: pyproject.toml: {error}")
    return found


def readme(children):
    """What the README tells its reader to run or to read is there."""
    found = []
    for child in children:
        text = child.text("README.md")
        targets = set(re.findall(r"^([a-z-]+):", child.text("Makefile"), re.M))
        for line in re.findall(r"(?:^    |`)make ([^`\n#]*)", text, re.M):
            line = re.sub(r'"[^"]*"', "", line)
            named = {word for word in line.split() if re.fullmatch("[a-z-]+", word)}
            found += [f"{child.id}: README.md: make {word}" for word in named - targets]
        for path in re.findall(rf"(?<![\w./@])(?:{FOLDERS})/[\w./-]*\w", text):
            if not (child.folder / path).exists() and not MADE.match(path):
                found.append(f"{child.id}: README.md: {path}")
        for package, module, name in re.findall(r"from (\w+) import (\w+); print\(\2\.(\w+)", text):
            code = child.folder / "src" / package / f"{module}.py"
            if not code.exists() or f"\ndef {name}(" not in code.read_text():
                found.append(f"{child.id}: README.md: {module}.{name}")
        found += [
            f"{child.id}: README.md: without {path.name}"
            for path in child.files("src/*/[a-z]*.py")
            if not re.search(rf"[/`]{path.name}`|-m {path.parent.name}[.]{path.stem}\b", text)
        ]
        source = "".join(path.read_text() for path in child.files("src/*/*.py"))
        for setting in set(re.findall(r"\b(?:SERVE|BATCH)_([A-Z][A-Z_]*[A-Z])\b", text)):
            if not re.search(rf"^ +{setting.lower()}:", source, re.M):
                found.append(f"{child.id}: README.md: no setting {setting.lower()}")
    return found


def unrendered(children):
    found = []
    for child in children:
        for path in child.files("*"):
            name = path.relative_to(child.folder).as_posix()
            if name.startswith((".github", "smoke/", "deploy/", "monitoring/")) or name in (
                "README.md",
                ".tmplgen.yml",
            ):
                continue
            text = path.read_text()
            if "chat_template" in text:  # that is Jinja too
                continue
            lines = text.splitlines()
            found += [
                f"{path}: {line}"
                for line in lines
                if re.search(r"\{%|\{\{ |\[%|\[\[ ", line)
                and not line.startswith("description = ")
                and "--format '{{" not in line
            ]
    return found


CHECKS = (ruff, compiles, shellcheck, yamllint, project, readme, unrendered)


@cache
def _mypy_cache():
    """What children have in common, numpy above all, is read once a process."""
    folder = tempfile.mkdtemp(prefix="mypy-")
    atexit.register(shutil.rmtree, folder)
    return folder


def mypy(children):
    """mypy --strict by each one's own settings; what is not installed here is of any type."""
    words = [
        *[sys.executable, "-m", "mypy", "--ignore-missing-imports", "--no-error-summary"],
        *["--allow-subclassing-any", "--allow-untyped-decorators", "--no-warn-return-any"],
        *["--no-warn-unused-ignores", "--no-warn-unreachable", "--cache-dir", _mypy_cache()],
    ]
    return [e for child in children for e in _tool(words, child.folder, MYPYPATH="src")]
