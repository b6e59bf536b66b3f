"""Requests whose verdicts were worked out by hand from the sources (requests.yml)."""

from pathlib import Path

import pytest
import yaml

CASES = yaml.safe_load((Path(__file__).parent / "requests.yml").read_text())


def look_up(resolution, path):
    """`gpus.0.name` of a resolution."""
    for name in path.split("."):
        resolution = resolution[int(name) if isinstance(resolution, list) else name]
    return resolution


def name_of(case):
    return " ".join(
        f"{name}={','.join(value) if isinstance(value, list) else value}"
        for name, value in case["request"].items()
    )


def check_success(case, document):
    resolution = document["resolution"]
    got = {path: look_up(resolution, path) for path in case.get("expect", {})}
    assert got == case.get("expect", {})
    codes = {note["code"] for note in resolution["notes"]}
    assert set(case.get("notes", [])) <= codes


def check_refusal(case, document):
    error = document["error"]
    assert error["code"] == "unsatisfiable"
    assert set(case["refused"]) <= {conflict["reason"] for conflict in error["conflicts"]}
    assert any(case.get("because", "") in conflict["because"] for conflict in error["conflicts"])
    changes = [change for near in error["nearest"] for change in near["change"]]
    assert set(case.get("nearest", [])) <= set(changes)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_verdict_is_what_the_sources_say(resolve, case):
    document = resolve(case["request"])
    if "usage" in case:
        assert document["exit"] == 2
        assert document["error"]["code"] == case["usage"]
        assert case.get("hint", "") in (document["error"]["hint"] or "")
        assert case.get("says", "") in document["error"]["message"]
        assert case.get("hints_not", "\0") not in (document["error"]["hint"] or "")
    elif "refused" in case:
        assert document["exit"] == 4, document.get("resolution")
        check_refusal(case, document)
    else:
        assert document["exit"] == 0, document.get("error")
        check_success(case, document)
