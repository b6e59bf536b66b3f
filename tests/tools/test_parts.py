"""The parts of tools/run-tests are those that docs/hacking.md tells of."""

import re
import subprocess

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
