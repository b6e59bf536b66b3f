"""`tmplgen new` beside cookiecutter, copier and plain git making the same files."""

import json
import os
import shutil
import subprocess
import sys

import convert
from contender import TMPLGEN, TOOLS, TOP, Contender, goal, prose, table, take_turns

TITLE = "A new project"
REQUEST = ["--type", "service", "--framework", "pytorch", "--defaults"]
# tmplgen's own files: neither of the others has such.
OWN = {".tmplgen.yml", ".gitattributes"}
ABOUT = """
A service on PyTorch, {files} files. The templates of the other two are made from the same catalog
by `tests/bench/convert.py`, and what they write is compared byte by byte. tmplgen resolves the
stack, writes the files and commits them, safely on disk; cookiecutter and copier only write files;
plain git (`git init && git add -A && git -c core.fsync=all commit`) only commits files that are
there.
"""
FLOOR = "git init -q && git add -A && git -c core.fsync=all commit -q -m x"


def asked(work, env, *command):
    """The document of a command."""
    said = subprocess.run(
        [TMPLGEN, *command, "--json"], cwd=work, env=env, stdout=subprocess.PIPE, check=True
    )
    return json.loads(said.stdout)


def contenders(work, document, made):
    copier, cookiecutter = work / "copier", work / "cookiecutter"
    convert.to_copier(TOP, document, copier)
    convert.to_cookiecutter(TOP, document, cookiecutter)
    name = document["answers"]["name"]
    return [
        Contender("tmplgen new", [TMPLGEN, "new", *REQUEST]),
        Contender(
            "git init, add, commit",
            ["sh", "-c", FLOOR],
            lambda folder: shutil.copytree(made, folder, dirs_exist_ok=True),
        ),
        Contender(
            "cookiecutter", [TOOLS / "cookiecutter", "--no-input", "-o", ".", str(cookiecutter)]
        ),
        Contender(
            "copier copy",
            [TOOLS / "copier", "copy", "--trust", "--defaults", "--quiet", str(copier), name],
        ),
    ]


def files_of(folder):
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), os.access(path, os.X_OK))
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def check_same(reference, folder, name):
    """Both have to have made the same files, or the times say nothing."""
    wanted = {path: data for path, data in files_of(reference).items() if path not in OWN}
    got = {path: data for path, data in files_of(folder).items() if path not in OWN}
    for path in sorted(wanted.keys() | got.keys()):
        if wanted.get(path) != got.get(path):
            sys.exit(f"{name} makes another {path} than tmplgen")


def run(rounds, work, env):
    document = asked(work, env, "new", *REQUEST)
    questions = asked(work, env, "template", "show", document["type"])["questions"]
    document["answers"].update(convert.unasked(document, questions))
    if not document["commit"]:
        sys.exit(f"{work} is inside a repository, where `new` commits nothing: set TMPDIR")
    name = document["answers"]["name"]
    made = work / "made"
    shutil.copytree(work / name, made, ignore=shutil.ignore_patterns(".git"))
    field = contenders(work, document, made)
    take_turns(
        field,
        rounds,
        work,
        env,
        lambda contender, folder: check_same(
            made, folder if contender is field[1] else folder / name, contender.name
        ),
    )
    own, floor, cookiecutter, copier = field
    return [
        *prose(ABOUT.format(files=len(files_of(made)))),
        "",
        *table(field),
        "",
        goal("at most 0.4 of plain git", floor.fastest / own.fastest, 2.5, "x"),
        goal("15 times faster than cookiecutter", cookiecutter.fastest / own.fastest, 15, "x"),
        goal("40 times faster than copier", copier.fastest / own.fastest, 40, "x"),
        goal("under 16 MiB at its peak", own.megabytes, 16, "MiB", more_is_better=False),
    ]
