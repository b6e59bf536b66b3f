"""Tests of which `make test` takes some cases: the mark `turns(n)`."""

import json
import shutil
import subprocess
import sys

import pytest

from ..common.program import ROOT

CASES = """
import pytest

@pytest.mark.turns(3)
@pytest.mark.parametrize("case", range(7))
def test_many(case):
    pass

@pytest.mark.turns(3)
@pytest.mark.parametrize("case", range(3))
def test_few(case):
    pass

@pytest.mark.parametrize("case", range(5))
def test_all(case):
    pass

@pytest.mark.turns(3)
@pytest.mark.parametrize(
    "case", [pytest.param(i, marks=[pytest.mark.full] * (i > 4)) for i in range(9)]
)
def test_slow(case):
    pass
"""
UNMARKED = {f"test_few[{i}]" for i in range(3)} | {f"test_all[{i}]" for i in range(5)}
MARKED = {f"test_many[{i}]" for i in range(7)}
SLOW = {f"test_slow[{i}]" for i in range(9)}


# Collects as often as it is asked to: a line is a question, another its answer.
COLLECT = """
import contextlib, io, json, os, sys
import pytest

for line in sys.stdin:
    words, variables = json.loads(line)
    os.environ.update(variables)
    with contextlib.redirect_stdout(io.StringIO()) as said:
        pytest.main(["-q", "--collect-only", "test_cases.py", *words])
    print(json.dumps(said.getvalue().splitlines()), flush=True)
"""


@pytest.fixture(scope="module")
def taken(tmp_path_factory):
    folder = tmp_path_factory.mktemp("turns")
    for name in ("conftest.py", "pytest.ini"):
        shutil.copy(ROOT / "tests" / name, folder)
    (folder / "test_cases.py").write_text(CASES)
    command = [sys.executable, "-c", COLLECT]
    with subprocess.Popen(
        command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        def collect(turns, *words, **variables):
            env = {"TURNS": turns, "ONE_OF_EACH": "0", "ONE_IN": "", **variables}
            process.stdin.write(json.dumps([words, env]) + "\n")
            process.stdin.flush()
            lines = json.loads(process.stdout.readline())
            return {line.partition("::")[2] for line in lines if "::" in line}

        yield collect


def test_a_seed_takes_as_many_cases_as_are_said(taken):
    first = taken("1")
    assert first >= UNMARKED
    assert len(first & MARKED) == 3
    assert taken("1") == first


def test_every_case_has_its_turn(taken):
    assert set().union(*(taken(str(turn)) for turn in range(1, 11))) == UNMARKED | MARKED | SLOW


def test_by_hand_all_are_taken(taken):
    assert taken("") == UNMARKED | MARKED | SLOW


def test_they_are_taken_of_those_that_a_run_has_at_all(taken):
    for turn in (1, 2):
        assert len(taken(str(turn), "-m", "full")) == 3
        assert len(taken(str(turn), "-m", "not full") & SLOW) == 3


def test_a_run_that_is_halved_has_each_case_in_one_of_two_turns(taken):
    one, other = (taken(turn, ONE_IN="2") for turn in ("4", "5"))
    assert one | other >= UNMARKED and not one & other & UNMARKED
    assert len(one & UNMARKED) not in (0, len(UNMARKED))
    assert taken("6", ONE_IN="2") & UNMARKED == one & UNMARKED
    assert taken("4", ONE_IN="1") == taken("4")
    assert taken("", ONE_IN="2") == taken("")
