"""The questions that uv is asked, too: answers are right (tests/peers/uv_matrix.py)."""

from pathlib import Path

import pytest
import yaml

from .test_questions import faults_of

PEERS = Path(__file__).parents[1] / "peers"
QUESTIONS = yaml.safe_load((PEERS / "uv_questions.yml").read_text())


def test_there_are_thirty():
    assert len(QUESTIONS) >= 30  # noqa: PLR2004


@pytest.mark.full
@pytest.mark.parametrize("case", QUESTIONS, ids=lambda case: case["question"])
def test_answer_beside_uv(resolve, case):
    assert case["why"]
    faults = faults_of(case, resolve(case["request"]))
    assert not faults, (case["request"], faults)
