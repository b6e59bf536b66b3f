"""Goldens: what some requests render to, kept in tests/golden as text that people can review.

A folder there is one golden:

    args            what follows `tmplgen new` on the command line
    listing         every file: its mode, its path if its source does not say it, its source;
                    '=' before the source if that says every byte, else '~'
    files/          by the path in the source, what every file with '~' has more and less than it
    SIBLING.diff    in the place of both: how they differ from those of the golden SIBLING

A template says its text: the answers in their places, and what whole lines of it include.
In files/ `=N` stands for the next N lines that the source says, `-N` for N that the child does not
have: those are tags, or another case's; a line behind `+` is the child's alone. So a change of what
the source says changes a number at most, and a change of what a tag makes shows. A golden in memory
is a dict from the paths in its folder to their texts.
"""

import difflib
import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

ANSWER = re.compile(r"\{\{ (\w+) \}\}")
INCLUDE = re.compile(r"^[ \t]*\{% include (.*?)(?: ignore missing)? %\}\n", re.M)
# Where a file of the catalog lands: its path below files/, answers in their places, without .j2.
LANDS = re.compile(r"templates/(?:_layers/)?[^/]+/files/(.*?)(?:\.j2)?")
# tmplgen ends a child's .gitattributes with this line, whatever the catalog says.
RECORD_LINE = "/.tmplgen.yml -merge\n"
# A source and a file that agree in fewer lines than this in a row agree by chance.
ROW = 3
# Lines of git's header that change with every byte, and that nobody needs to apply the difference.
NOISE = re.compile(r"^(index|similarity index) .*\n", re.M)


class File(NamedTuple):
    """A file of a child."""

    mode: str
    data: bytes
    source: str  # the file of the catalog


def _included(catalog: Path, name: str) -> Path | None:
    owner, _, rest = name.partition("/")
    folders = (f"_includes/{name}", f"{owner}/includes/{rest}", f"_layers/{owner}/includes/{rest}")
    paths = (catalog / "templates" / folder for folder in folders)
    return next((path for path in paths if path.is_file()), None)


def _said(catalog: Path, text: str, answers: dict) -> str:
    """What a template says: its answers in their places, and what whole lines of it include."""

    def include(tag: re.Match) -> str:
        words = [word.strip() for word in tag[1].split("~")]
        name = "".join(w[1:-1] if w[0] == "'" else str(answers.get(w, "?")) for w in words)
        path = _included(catalog, name)
        return _said(catalog, path.read_text(), answers) if path else tag[0]

    return INCLUDE.sub(include, ANSWER.sub(lambda tag: str(answers.get(tag[1], tag[0])), text))


def _expected(catalog: Path, path: str, source: str, answers: dict) -> str:
    """What a file is if no tag of its source makes anything."""
    text = (catalog / source).read_bytes().decode()
    if source.endswith(".j2"):
        text = _said(catalog, text, answers)
    return text + RECORD_LINE if path == ".gitattributes" else text


def edits(said: str, has: str) -> str:
    """How to come from what the source says to what the file has: =N, -N and lines behind '+'."""
    old, new = said.splitlines(True), has.splitlines(True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    script, i, j = "", 0, 0
    for a, b, size in matcher.get_matching_blocks():
        if size < ROW and a < len(old):
            continue
        script += f"-{a - i}\n" if a > i else ""
        script += "".join(f"+{line}" for line in new[j:b])
        script += f"={size}\n" if size else ""
        i, j = a + size, b + size
    return script


def _place(path: str, source: str, answers: dict) -> str | None:
    """The path as the source has it; None if the source does not say it."""
    lands = LANDS.fullmatch(source)
    said = lands and re.sub(r"\{\{(\w+)\}\}", lambda tag: answers.get(tag[1], tag[0]), lands[1])
    return lands[1] if said == path else None


def of_child(files: dict[str, File], answers: dict, catalog: Path) -> dict[str, str]:
    """The golden of a child's files."""
    lines, texts = [], {}
    for path, file in sorted(files.items(), key=lambda item: (item[1].source, item[0])):
        place, text = _place(path, file.source, answers), file.data.decode()
        said = _expected(catalog, path, file.source, answers)
        named = f"{file.mode} " if place else f"{file.mode} {path} "
        lines.append(f"{named}{'=' if text == said else '~'} {file.source}\n")
        if text != said:
            texts[f"files/{place or path}"] = edits(said, text)
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
