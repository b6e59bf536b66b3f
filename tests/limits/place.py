"""Catalogs as mappings of paths to contents, and what must hold after a run on one."""

import re
from pathlib import Path

from ..command.world import git
from ..common.measure import Run
from .measure import Meter, is_small

HEAD = "description: a test\nstack: none\n"
NEW = ("new", "made", "--type", "t", "--catalog", "cat", "--defaults")
DRY = (*NEW, "--dry-run")
# How a limit, or a refusal by one, is told.
LIMIT = r"limit|longer|larger|more than|at most|too (long|large|many|much|deep|big)"


def catalog(manifest="", files=None, layers=None, head=HEAD, file="{{ name }}\n"):
    """The smallest catalog of a type `t`, and more."""
    return {
        "catalog.yml": "name: test\nversion: 1.0.0\n",
        "templates/t/template.yml": head + manifest,
        "templates/t/files/x.j2": file,
        **{f"templates/t/files/{path}": text for path, text in (files or {}).items()},
        **{f"templates/_layers/{path}": text for path, text in (layers or {}).items()},
    }


def question(more, name="q"):
    """A catalog with one question, which its one template reads."""
    return catalog(f"questions:\n  - {{name: {name}, {more}}}\n", file="{{ name }} {{ q }}\n")


def template(text):
    return catalog(file="{{ name }}\n" + text)


def write(folder: Path, files: dict):
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content.encode() if isinstance(content, str) else content)


def commit(folder: Path):
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "one")


def names(folder: Path):
    return {path.name for path in folder.iterdir() if path.name != "took.json"}


def run_on(meter: Meter, files: dict, words=NEW) -> Run:
    """Runs on a catalog; where that fails nothing may be left."""
    write(meter.folder / "cat", files)
    before = names(meter.folder)
    run = meter(*words)
    if run.code:
        assert names(meter.folder) == before, run
    return run


def holds(run: Run, codes=(2,), says=LIMIT):
    assert run.code in codes, run
    assert is_small(run), run
    if run.code:
        assert re.search(says, run.err, re.IGNORECASE), run
