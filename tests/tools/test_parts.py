"""The parts of tools/run-tests are those that docs/hacking.md tells of; what it tells of a run."""

import re
import runpy
import subprocess
import time
from types import SimpleNamespace

import pytest

from ..common.program import ROOT

ROWS = re.findall(r"^\| `make (test|test-full|soak)` \| (.*) \|$",
                  (ROOT / "docs/hacking.md").read_text(), re.M)  # fmt: skip


@pytest.mark.parametrize(("name", "told"), ROWS, ids=[name for name, _ in ROWS])
def test_the_manual_has_the_parts_of_a_set(name, told):
    command = [ROOT / "tools/run-tests", name, "no-such-part"]
    said = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")}
    folders -= {"e2e", "lint"}  # they have parts of their own
    kinds = rf"(full|soak|turns)-({'|'.join(folders)})$"
    parts = [re.sub(kinds, r"\1-NAME", word) for word in said.split("it has ")[1].split()]
    own = {part for part in parts if name != "test" or part not in folders}
    assert own == set(re.findall("`([^`]+)`", told)) - {"full", "soak", "turns"}


def test_every_set_is_in_the_manual():
    assert [name for name, _ in ROWS] == ["test", "test-full", "soak"]


def test_the_least_room_of_a_run_is_told(monkeypatch):
    """Not that at its end: what filled the disk is often gone by then."""
    room_of = runpy.run_path(str(ROOT / "tools/run-tests"))["Room"]
    free = SimpleNamespace(free=50_000_000_000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: free)
    room = room_of()
    with room.watched():
        free.free = 2_500_000_000
        time.sleep(2.5)
        free.free = 40_000_000_000
    assert str(room) == "disk: 50.0 GB free at first, 2.5 at least"
