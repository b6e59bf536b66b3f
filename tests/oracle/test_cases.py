"""Hand-written templates (cases/*.yml), rendered by Jinja2 and by us: equal, or both refuse."""

from pathlib import Path

import pytest
import yaml

from . import oracle

CASES = Path(__file__).parent / "cases"
CODES = {kind: f"template-{kind}" for kind in ("syntax", "undefined", "type", "limit")}


def load():
    """Every case with the context of its file; a case that is only a text is its template."""
    for path in sorted(CASES.glob("*.yml")):
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
        for number, case in enumerate(document["cases"]):
            if isinstance(case, str):
                case = {"template": case}
            context = case.get("context", document.get("context", {}))
            yield pytest.param({**case, "context": context}, id=f"{path.stem}-{number}")


def of_kind(*kinds):
    return [
        param
        for param in load()
        if any(k in param.values[0] for k in kinds) or (not kinds and is_plain(param.values[0]))
    ]


def is_plain(case):
    return "fails" not in case and "refused" not in case


def settings(case):
    return (
        case["template"],
        case["context"],
        case.get("includes", {}),
        case.get("delimiters", "jinja"),
    )


def check_place(case, answer):
    """An error has a place in the right file, and a caret within the line."""
    assert answer["exit"] == 2
    assert answer["file"] == case.get("file", "case")
    assert answer["line"] >= 1
    assert 1 <= answer["column"] <= len(answer["source"]) + 1
    if "at" in case:
        assert f"{answer['line']}:{answer['column']}" == case["at"]
    message = answer["error"]
    assert message[0] == message[0].lower() or message[0] in "'+"
    assert not message.endswith(".")


def test_there_are_enough_cases():
    assert len(list(load())) >= 500


@pytest.mark.filterwarnings("ignore:invalid escape sequence")
@pytest.mark.parametrize("case", of_kind())
def test_renders_as_jinja2_does(ours, case):
    expected = oracle.theirs(*settings(case))
    answer = ours.ask(*settings(case))
    assert answer == {"out": expected}


@pytest.mark.parametrize("case", of_kind("fails"))
def test_fails_where_jinja2_fails(ours, case):
    with pytest.raises(Exception):  # noqa: B017 Jinja2 lets any of Python's errors through
        oracle.theirs(*settings(case))
    answer = ours.ask(*settings(case))
    assert "error" in answer, answer
    assert answer["code"] == CODES[case["fails"]]
    assert case.get("says", "") in answer["error"]
    assert case.get("hint", "") in (answer["hint"] or "")
    if "trace" in case:
        assert answer["trace"] == case["trace"]
    check_place(case, answer)


@pytest.mark.parametrize("case", of_kind("refused"))
def test_refuses_by_name_what_it_has_not(ours, case):
    answer = ours.ask(*settings(case))
    assert "error" in answer, answer
    assert case["refused"] in answer["error"]
    check_place(case, answer)
