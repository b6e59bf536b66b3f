"""The house does not grow unasked: tools/growth.txt says how large each part may be.

A line of it is `lines FOLDER MOST`: of C in a folder of src/, of everything in another one.
"""

from . import files

LIMITS = "tools/growth.txt"
HINT = f"raise it in {LIMITS}, in a commit of its own that says what a user gets for it"


def _limits(root):
    """{folder: the most lines that it may have}"""
    rows = [line.split() for line in (root / LIMITS).read_text().splitlines()]
    return {row[1]: int(row[2]) for row in rows if row and row[0] == "lines"}


def _lines(root, paths, folder):
    counted = [p for p in paths if p.startswith(f"{folder}/")]
    if folder.startswith("src/"):
        counted = [p for p in counted if p.endswith((".c", ".h"))]
    return sum((root / path).read_bytes().count(b"\n") for path in counted)


def findings(root):
    """One line for each folder that is larger than it may be, or of which nothing is said."""
    if not (root / LIMITS).is_file():
        return []
    limits, paths = _limits(root), files.listed(root)
    found = []
    for folder, most in limits.items():
        lines = _lines(root, paths, folder)
        if lines > most:
            found.append(f"{LIMITS}: lines of {folder}: {lines}, and {most} is the most: {HINT}")
    folders = {
        "/".join(p.split("/")[:2]) for p in paths if p.startswith("src/") and p.count("/") > 1
    }
    found += [f"{LIMITS}: nothing says how large {f} may be" for f in sorted(folders - set(limits))]
    return found
