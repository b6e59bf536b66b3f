"""Golden renders: every rendered file of some requests, kept as text and compared byte for byte.

Each folder of tests/golden holds `args`, what follows `tmplgen new` on the command line; `listing`,
mode, size and id of every file; and `files/`, those that are rendered rather than copied. After a
change that is meant to show, `REFRESH_GOLDENS=1 pytest tests/command/test_golden.py` writes them
anew: read the difference before you commit it.
"""

import difflib
import os
import shlex
import shutil
from pathlib import Path

import pytest

from ..common.program import ROOT
from .world import git

GOLDEN = ROOT / "tests" / "golden"
CASES = sorted(path.parent.name for path in GOLDEN.glob("*/args"))
REFRESH = os.environ.get("REFRESH_GOLDENS") == "1"


def rendered(child: Path, document: dict) -> dict[str, str]:
    """The files that come from a template of the catalog, as text by their path."""
    return {
        entry["path"]: (child / entry["path"]).read_text()
        for entry in document["files"]
        if entry["source"] is None or entry["source"].endswith(".j2")
    }


def listing(child: Path, tree: str) -> str:
    return git(child, "ls-tree", "-r", "--format=%(objectmode) %(objectname) %(path)", tree) + "\n"


@pytest.mark.parametrize("case", CASES)
def test_render_is_the_golden_one(tmplgen, work, case):
    golden = GOLDEN / case
    args = shlex.split((golden / "args").read_text())
    done = tmplgen("new", *args, "--json", cwd=work)
    assert done.code == 0, done.err
    document = done.json
    child = Path(document["path"])
    files = rendered(child, document)
    if REFRESH:
        shutil.rmtree(golden / "files", ignore_errors=True)
        for path, text in files.items():
            target = golden / "files" / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, newline="")
        (golden / "listing").write_text(listing(child, document["tree"]))
    kept = {
        str(path.relative_to(golden / "files")): path.read_text()
        for path in (golden / "files").rglob("*")
        if path.is_file()
    }
    assert sorted(files) == sorted(kept)
    for path, text in files.items():
        shown = difflib.unified_diff(
            kept[path].splitlines(True), text.splitlines(True), f"golden/{path}", path
        )
        assert text == kept[path], "".join(shown)
    assert listing(child, document["tree"]) == (golden / "listing").read_text()


def test_there_is_a_golden_render_of_the_exact_command():
    assert (GOLDEN / "service-pytorch" / "args").read_text() == (
        "--type service --framework pytorch\n"
    )
