"""Goldens: what some requests render to, kept in tests/golden as text that people can review.

A folder there is one golden:

    args            what follows `tmplgen new` on the command line
    listing         mode and path of every file; behind '=' the file of the catalog that it equals
    files/          the text of every other file
    SIBLING.diff    in the place of both: how they differ from those of the golden SIBLING

A file equals one of the catalog if it has the same bytes, or if it comes from a template whose only
tags are answers, and has the answers in their places. A golden in memory is a dict from the paths
in its folder to their texts.
"""

import difflib
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ANSWER = re.compile(r"\{\{ (\w+) \}\}")
# tmplgen ends a child's .gitattributes with this line, whatever the catalog says.
RECORD_LINE = b"/.tmplgen.yml -merge\n"
# Lines of git's header that change with every byte, and that nobody needs to apply the difference.
NOISE = re.compile(r"^(index|similarity index) .*\n", re.M)


class File(NamedTuple):
    """A file of a child."""

    mode: str
    data: bytes
    source: str  # the file of the catalog


def _expected(catalog: Path, path: str, source: str, answers: dict) -> bytes:
    """What a file is if its source is copied, or has no tags but answers."""
    data = (catalog / source).read_bytes()
    if source.endswith(".j2"):
        text = ANSWER.sub(lambda tag: str(answers.get(tag[1], tag[0])), data.decode())
        data = text.encode()
    return data + RECORD_LINE if path == ".gitattributes" else data


def of_child(files: dict[str, File], answers: dict, catalog: Path) -> dict[str, str]:
    """The golden of a child's files."""
    lines, texts = [], {}
    for path, file in sorted(files.items()):
        if file.data == _expected(catalog, path, file.source, answers):
            lines.append(f"{file.mode} {path} = {file.source}\n")
        else:
            lines.append(f"{file.mode} {path}\n")
            texts[f"files/{path}"] = file.data.decode()
    return {"listing": "".join(lines), **texts}


def _git(*words, cwd: Path, stdin="") -> subprocess.CompletedProcess:
    env = {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(cwd)}
    env["GIT_CEILING_DIRECTORIES"] = str(cwd.parent)
    return subprocess.run(
        ["git", *words], cwd=cwd, env=env, input=stdin.encode(), capture_output=True, check=False
    )


def _put(folder: Path, golden: dict[str, str]) -> None:
    for path, text in golden.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())


def _take(folder: Path) -> dict[str, str]:
    paths = [folder / "listing", *sorted((folder / "files").rglob("*"))]
    return {str(p.relative_to(folder)): p.read_bytes().decode() for p in paths if p.is_file()}


def _difference(old: dict[str, str], new: dict[str, str]) -> str:
    """Without context, so that it stays as it is where both change alike."""
    with TemporaryDirectory() as scratch:
        place = Path(scratch)
        _put(place / "a", old)
        _put(place / "b", new)
        form = ("--no-index", "--no-prefix", "--no-color", "--find-renames", "--unified=0")
        done = _git("diff", *form, "a", "b", cwd=place)
        assert done.returncode in (0, 1), done.stderr.decode()
    text = NOISE.sub("", done.stdout.decode())
    return re.sub(r"^(rename (?:from|to)) [ab]/", r"\1 ", text, flags=re.M)


def _apply(old: dict[str, str], difference: Path) -> dict[str, str]:
    with TemporaryDirectory() as scratch:
        place = Path(scratch)
        _put(place, old)
        text = difference.read_bytes().decode()
        done = _git("apply", "--unidiff-zero", "--allow-empty", "-", cwd=place, stdin=text)
        assert done.returncode == 0, f"{difference}: {done.stderr.decode()}"
        return _take(place)


def sibling_of(folder: Path) -> Path | None:
    """The golden from which this one is kept as a difference; None: it is kept whole."""
    found = list(folder.glob("*.diff"))
    return folder.parent / found[0].stem if found else None


def read(folder: Path, base: dict[str, str] | None = None) -> dict[str, str]:
    """The golden of the folder; `base` stands for its sibling's, which is read otherwise."""
    sibling = sibling_of(folder)
    if not sibling:
        return _take(folder)
    return _apply(base or read(sibling), folder / f"{sibling.name}.diff")


def write(folder: Path, golden: dict[str, str], base: dict[str, str] | None = None) -> None:
    """Keeps it in the way of the folder: whole, or as what differs from `base`, its sibling's."""
    sibling = sibling_of(folder)
    if sibling:
        _put(folder, {f"{sibling.name}.diff": _difference(base, golden)})
    else:
        shutil.rmtree(folder / "files", ignore_errors=True)
        _put(folder, golden)


def changes(old: dict[str, str], new: dict[str, str]) -> str:
    """What differs, to be read; "" where nothing does."""
    return "".join(
        line
        for path in sorted({*old, *new})
        for line in difflib.unified_diff(
            old.get(path, "").splitlines(True),
            new.get(path, "").splitlines(True),
            f"golden/{path}",
            f"rendered/{path}",
        )
    )
