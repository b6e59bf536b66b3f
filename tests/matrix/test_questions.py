"""Questions of users, asked in public, with the answers that are right (questions/README.md)."""

import re
from pathlib import Path

import pytest
import yaml
from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

FILES = sorted((Path(__file__).parent / "questions").glob("*.yml"))
CASES = [
    pytest.param(case, id=f"{path.stem}-{at}")
    for path in FILES
    for at, case in enumerate(yaml.safe_load(path.read_text()), 1)
]
OPERATORS = ("==", ">=", "<=", "<", ">", "~=", "!=")
FEWEST = 150


def look_up(value, path):
    for name in path.split("."):
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def is_right(found, wanted):
    """A text, one of several, or a SPEC."""
    if isinstance(wanted, list):
        return any(is_right(found, one) for one in wanted)
    if found is None or wanted is None:
        return found is wanted
    if str(found) == str(wanted):
        return True
    if isinstance(wanted, str) and wanted.startswith(OPERATORS):
        try:
            return SpecifierSet(wanted).contains(Version(found), prereleases=True)
        except InvalidVersion:
            return False
    return False


def any_matches(pattern, texts):
    return any(re.search(pattern, text) for text in texts)


def faults_of_answer(case, resolution):
    faults = [
        f"{path}: {look_up(resolution, path)} is not {wanted}"
        for path, wanted in case.get("accept", {}).items()
        if not is_right(look_up(resolution, path), wanted)
    ]
    notes = [f"{note['code']}: {note['text']}" for note in resolution["notes"]]
    for name, texts in (
        ("notes", notes),
        ("requires", resolution["requirements"]),
        ("builds", resolution["build_requirements"]),
    ):
        faults += [
            f"{name}: none of {texts} matches {pattern}"
            for pattern in case.get(name, [])
            if not any_matches(pattern, texts)
        ]
    return faults


def faults_of_refusal(case, error):
    reasons = {conflict["reason"] for conflict in error["conflicts"]}
    changes = [change for near in error["nearest"] for change in near["change"]]
    faults = []
    if case["refused"] and not reasons & set(case["refused"]):
        faults.append(f"refused for {sorted(reasons)}, not {case['refused']}")
    wanted = case.get("nearest", [])
    if wanted and not any(any_matches(pattern, changes) for pattern in wanted):
        faults.append(f"none of {changes} matches one of {wanted}")
    faults += [
        f"{p} is proposed: {changes}" for p in case.get("never", []) if any_matches(p, changes)
    ]
    return faults


def faults_of(case, document):
    if document["exit"] == 2:
        said = f"{document['error']['message']} {document['error']['hint']}"
        wanted = case.get("usage")
        return [] if wanted and re.search(wanted, said) else [f"wrong usage: {said}"]
    if document["exit"] == 4:
        error = document["error"]
        if "refused" in case:
            return faults_of_refusal(case, error)
        return ["refused", *map(str, error["conflicts"])]
    resolution = document["resolution"]
    if "accept" in case:
        return faults_of_answer(case, resolution)
    return [f"answered: {resolution['requirements']} on {resolution['image']['tag']}"]


def test_there_are_enough_of_every_class():
    assert len(CASES) >= FEWEST
    assert len(FILES) >= 8  # noqa: PLR2004


@pytest.mark.parametrize("case", CASES)
def test_question_of_a_user(resolve, case):
    assert case["link"].startswith("https://")
    assert case["why"]
    faults = faults_of(case, resolve(case["request"]))
    assert not faults, (case["question"], case["request"], faults)
