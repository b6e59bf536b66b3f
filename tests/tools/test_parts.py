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
    kinds = rf"(full|rest|soak|turns)-({'|'.join(folders)})$"
    parts = [re.sub(kinds, r"\1-NAME", word) for word in said.split("it has ")[1].split()]
    own = {part for part in parts if name != "test" or part not in folders}
    assert own == set(re.findall("`([^`]+)`", told)) - {"full", "rest", "soak", "turns"}


def test_every_set_is_in_the_manual():
    assert [name for name, _ in ROWS] == ["test", "test-full", "soak"]


@pytest.fixture(scope="module")
def run_tests():
    return SimpleNamespace(**runpy.run_path(str(ROOT / "tools/run-tests")))


def test_a_part_is_told_as_a_multiple_of_the_build_and_the_slowest_tests_by_name(run_tests):
    tests = [(float(i), f"test_{i}") for i in range(40)]
    rows = [
        run_tests.Row("build", cpu=80),
        run_tests.Row("update", cpu=20, tests=tests[::2]),
        run_tests.Row("all", cpu=120, tests=tests[1::2]),
    ]
    built = {"cpu": 80, "commit": "0123456789ab"}
    assert run_tests.ratios(rows, built) == {"build": 1, "update": 0.25, "all": 1.5}
    told = run_tests.table(rows, built)
    assert re.search(r"^update +0\.0 +20\.0 +0\.25 +0", told, re.M)
    assert "80 s, what the build of 012345678 took" in told
    assert re.findall(r"test_\d+", told) == [name for _, name in tests[:14:-1]]
    assert re.search(r"^update +0\.0 +20\.0 +- +0", run_tests.table(rows, None), re.M)


@pytest.mark.parametrize("there", [True, False])
def test_only_a_build_from_nothing_is_what_others_are_measured_by(
    run_tests, there, monkeypatch, tmp_path
):
    names = run_tests.first_build.__globals__
    monkeypatch.setitem(names, "TOP", tmp_path)
    monkeypatch.setitem(names, "BUILD_CPU", tmp_path / "build-cpu.json")
    monkeypatch.setitem(names, "build", lambda *_: lambda _: run_tests.Counts())
    monkeypatch.setitem(names, "call", lambda *_, **__: SimpleNamespace(stdout="abc\n"))
    (tmp_path / "build/src/base").mkdir(parents=True)
    if there:
        (tmp_path / "build/src/base/arena.o").touch()
    run_tests.first_build("all")(None)
    assert run_tests.measured_build() == (None if there else {"cpu": 0.0, "commit": "abc"})


def test_the_least_room_of_a_run_is_told(run_tests, monkeypatch):
    """Not that at its end: what filled the disk is often gone by then."""
    room_of = run_tests.Room
    free = SimpleNamespace(free=50_000_000_000)
    monkeypatch.setattr("shutil.disk_usage", lambda _: free)
    room = room_of()
    with room.watched():
        free.free = 2_500_000_000
        time.sleep(2.5)
        free.free = 40_000_000_000
    assert str(room) == "disk: 50.0 GB free at first, 2.5 at least"
