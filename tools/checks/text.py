"""What no file may hold, and what each must begin with."""

import functools
import hashlib
import re
from pathlib import Path

from .files import GENERATED

# Package managers know their own registries: a name of one here breaks behind a mirror. SHA-256 of
# each name, cut to 64 bits: a list of names would itself be what it forbids.
REGISTRIES = frozenset(
    """
    0dc11026ac75c015 1ba4e37997a2e986 2e97613f5a81eaa4 70bb4000cd2fab03
    a0f007d863a0ed19 a4aa2ac280bb8d1a c899567ee9068517 e680c440a2e92079
    """.split()
)
HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
UNFINISHED = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b")

# [text](target) where the target is a file.
LINK = re.compile(r"\]\((?!\w+:|#)([^)\s]+)\)")

BINARY = (".pack", ".png", ".gz", ".bin")
# Lines of these may be long, and may end in blanks where that is the point of the test.
DATA = ("tests/data/", "tests/oracle/", "tests/fuzz/", "tests/command/data/", "releases/")
# What children are made of keeps to the rules of children, but for C: that is built here too.
TEMPLATES = re.compile(r"(templates|base-images)/(?!.*\.[ch]$)")
CODE = (".c", ".h", ".py", ".sh", ".mjs", ".js")
WIDEST = 100
# Rows of the matrix are reviewed line by line.
MATRIX = re.compile(r"matrices/.*\.yml$")
WIDEST_ROW = 120


def _machine_paths(root):
    """This checkout's own folder and the one around it, where that is nobody's home."""
    top = root.resolve()
    common = (Path("/"), Path("/tmp"), Path("/root"), Path.home())
    return [str(p) for p in (top, top.parent) if p not in common]


@functools.cache
def _is_registry(host):
    """Whether any two or three labels in a row are a registry's name."""
    labels = host.split(".")
    names = {
        ".".join(labels[start:end])
        for start in range(len(labels) - 1)
        for end in (start + 2, start + 3)
    }
    return any(hashlib.sha256(n.encode()).hexdigest()[:16] in REGISTRIES for n in names)


def _names_registry(line):
    return "." in line and any(map(_is_registry, HOST.findall(line.lower())))


def _starts_with_comment(path, lines):
    first = lines[0] if lines else ""
    if first.startswith("#!"):
        first = lines[1] if len(lines) > 1 else ""
    if path.endswith((".c", ".h")):
        return first.startswith("/*")
    if path.endswith((".mjs", ".js")):
        return first.startswith(("//", "/*"))
    return first.startswith(("#", '"""', 'r"""'))


def _is_data(path):
    return path.startswith(DATA) or TEMPLATES.match(path) is not None


def _line_findings(path, lines, machine_paths):
    data = _is_data(path) or GENERATED.match(lines[0])
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if _names_registry(line):
            yield f"{where}: the name of a package registry"
        if any(f"{p}/" in line or line.endswith(p) for p in machine_paths):
            yield f"{where}: a path of this machine"
        if UNFINISHED.search(line) and not path.startswith(DATA):
            yield f"{where}: unfinished work"
        if path.endswith(CODE) and len(line) > WIDEST and not data:
            yield f"{where}: {len(line)} columns, at most {WIDEST}"
        if MATRIX.match(path) and len(line) > WIDEST_ROW:
            yield f"{where}: {len(line)} columns of a row, at most {WIDEST_ROW}"
        if line != line.rstrip() and not data and not path.endswith(".md"):
            yield f"{where}: blanks at the end"


def _link_findings(root, path, text):
    """Links of a document to files that are not there."""
    for match in LINK.finditer(text):
        target = match[1].split("#")[0]
        if target and not (root / path).parent.joinpath(target).exists():
            line = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{line}: a link to '{target}', which is not there"


def findings(root, paths):
    """One line for each rule that a file breaks."""
    found = []
    machine_paths = _machine_paths(root)
    for path in paths:
        if " " in path:
            found.append(f"{path}: a blank in its path, at which loops of a shell and xargs break")
        if path.endswith(BINARY):
            continue
        try:
            text = Path(root, path).read_bytes().decode("utf-8")
        except UnicodeDecodeError:
            if not path.startswith(DATA):
                found.append(f"{path}: not UTF-8")
            continue
        lines = text.split("\n")
        if path.endswith(".md") and not _is_data(path):
            found += _link_findings(root, path, text)
        found += _line_findings(path, lines, machine_paths)
        if path.endswith(CODE) and not _is_data(path):
            if not _starts_with_comment(path, lines):
                found.append(f"{path}:1: no comment that says what the file is for")
        if text and not text.endswith("\n") and not _is_data(path):
            found.append(f"{path}: no newline at the end")
    return found
