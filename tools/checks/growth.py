"""The house does not grow unasked: tools/growth.txt says how large and how slow each part may be.

A line of it is KIND WHAT MOST, of three kinds:

    lines FOLDER MOST        of C in a folder of src/, of everything in another one
    ratio SUITE MOST         the processor time of a part of `make test`, as a multiple of its
                             build's, in the last run of it here
    instructions NAME MOST   millions of them, of a command of `make bench PARTS=instructions`
"""

import json
import subprocess
import sys

from . import files

LIMITS = "tools/growth.txt"
RATIOS = "build/reports/test.json"
COUNT = "tests/bench/part_instructions.py"
HINT = f"raise it in {LIMITS}, in a commit of its own that says what a user gets for it"


def _limits(root, kind):
    """{what: the most that it may have}"""
    if not (root / LIMITS).is_file():
        return {}
    rows = [line.split() for line in (root / LIMITS).read_text().splitlines()]
    return {row[1]: float(row[2]) for row in rows if row and row[0] == kind}


def _beyond(kind, limits, measured):
    return [
        f"{LIMITS}: {kind} of {what}: {measured[what]:g}, and {most:g} is the most: {HINT}"
        for what, most in limits.items()
        if measured.get(what, 0) > most
    ]


def _lines(root, paths, folder):
    counted = [p for p in paths if p.startswith(f"{folder}/")]
    if folder.startswith("src/"):
        counted = [p for p in counted if p.endswith((".c", ".h"))]
    return sum((root / path).read_bytes().count(b"\n") for path in counted)


def lines(root):
    """What is larger than it may be, or of which nothing is said."""
    limits, paths = _limits(root, "lines"), files.listed(root)
    if not limits:
        return []
    folders = {
        "/".join(p.split("/")[:2]) for p in paths if p.startswith("src/") and p.count("/") > 1
    }
    found = _beyond("lines", limits, {folder: _lines(root, paths, folder) for folder in limits})
    unsaid = sorted(folders - set(limits))
    return found + [f"{LIMITS}: nothing says how many lines {it} may have" for it in unsaid]


def ratios(root):
    """What took longer than it may, and the suites of which nothing is said."""
    limits, report = _limits(root, "ratio"), root / RATIOS
    if not limits or not report.is_file():
        return []
    measured = json.loads(report.read_text())
    unsaid = sorted(set(measured) - set(limits))
    return _beyond("ratio", limits, measured) + [
        f"{LIMITS}: nothing says how long {it} may take" for it in unsaid
    ]


def instructions(root):
    """What needs more of them than it may."""
    limits = _limits(root, "instructions")
    if not limits:
        return []
    python = root / "build/venv/bin/python"
    command = [python if python.exists() else sys.executable, COUNT, *limits]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if done.returncode:
        return [*done.stderr.splitlines(), f"{COUNT}: exit code {done.returncode}"]
    return _beyond("millions of instructions", limits, json.loads(done.stdout))
