"""The parts of `make mutants` that decide what counts."""

from argparse import Namespace
from collections import Counter
from itertools import islice

import pytest

from ..mutants import __main__ as command
from ..mutants import make, trial
from ..mutants.make import Mutant, candidates, difference

OLD = "int f(int a)\n{\n    if (a < 1)\n        return 2;\n    return 3;\n}\n"


def mutant(line, after, file="src/x.c", name=""):
    before = OLD.splitlines()[line - 1]
    text = OLD.replace(before, after)
    return Mutant(file, text, *difference(OLD, text), name)


def test_difference_is_the_line_that_changed():
    assert difference(OLD, OLD.replace("<", "<=")) == (3, "if (a < 1)", "if (a <= 1)")
    assert difference(OLD, OLD.replace("    return 3;\n", "")) == (5, "return 3;", "")
    assert difference(OLD, OLD.replace("        return 2;\n", "        ;\n"))[0] == 4


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("    return 3;", True),
        ("    int a = 3;", True),
        ("    } else if (a) {", True),
        ("#include <x.h>", False),
        (" * of a comment", False),
        ("static int f(const struct x *x,", False),
        ("}", False),
    ],
)
def test_lines_that_are_no_code_are_passed_over(line, code):
    assert bool(make.NOT_CODE.match(line)) != code


def test_places_are_drawn_by_the_seed_and_each_line_once_before_any_twice(monkeypatch, tmp_path):
    made = {n: [Mutant("src/x.c", f"{n}.{k}", n, "", "") for k in range(3)] for n in range(1, 9)}

    def of_file(_file, _folder):
        return {line: list(mutants) for line, mutants in made.items()}

    monkeypatch.setattr(make, "of_file", of_file)
    drawn = [one.text for one in candidates(["src/x.c"], 5, tmp_path)]
    assert drawn == [one.text for one in candidates(["src/x.c"], 5, tmp_path)]
    assert drawn != [one.text for one in candidates(["src/x.c"], 6, tmp_path)]
    assert len(set(drawn)) == 24
    assert len({one.line for one in islice(candidates(["src/x.c"], 5, tmp_path), 8)}) == 8
    tried = {made[7][1].id: {}, made[2][0].id: {}}
    again = list(candidates(["src/x.c"], 5, tmp_path, tried))
    assert [one.text for one in again[:2]] == ["2.0", "7.1"]
    assert sorted(one.text for one in again) == sorted(drawn)


def test_what_is_no_change_of_code_or_of_meaning_is_not_drawn(monkeypatch, tmp_path):
    source = "int f(void)\n{\n    if (g())\n        return 0;\n    return 3;\n}\n"
    (tmp_path / "x.c").write_text(source)
    monkeypatch.setattr(make, "TOP", tmp_path)

    def generate(command, **_):
        made = {
            "1": source.replace("return 0;", "return 1;"),
            "2": source.replace("return 3;", "return 4;"),
            "3": source.replace("return 3;", "return 4;"),
            "4": source + "\nmore\n",
            "5": source.replace("}", ""),
            "6": source,
            "7": source.replace("if (g())", "/*free(g);*/"),
            "8": source.replace("if (g())", "/*(void)close(g);*/"),
        }
        for name, text in made.items():
            (command[-1] / f"{name}.c").write_text(text)

    monkeypatch.setattr(make.subprocess, "run", generate)
    found = make.of_file("x.c", tmp_path / "out")
    assert {line: [one.after for one in all_] for line, all_ in found.items()} == {
        3: ["/*(void)close(g);*/"],
        5: ["return 4;"],
    }


def test_described_fault_whose_place_is_gone_is_told(monkeypatch, tmp_path):
    (tmp_path / "x.c").write_text(OLD)
    monkeypatch.setattr(make, "TOP", tmp_path)
    change = {"file": "x.c", "old": "return 3;", "new": "return 4;"}
    made = make.named({"name": "M1", "changes": [change]})
    assert (made.line, made.after, made.others) == (5, "return 4;", ())
    (tmp_path / "y.c").write_text(OLD)
    both = make.named({"name": "M2", "changes": [change, {**change, "file": "y.c"}]})
    assert (both.text, len(both.others)) == (made.text, 1)
    assert both.id != made.id
    with pytest.raises(make.GoneError, match="M1"):
        make.named({"name": "M1", "changes": [{**change, "old": "return 5;"}]})
    with pytest.raises(make.GoneError, match="M1"):
        make.named({"name": "M1", "changes": [{**change, "old": "return"}]})


def report(done, known=(), gone=()):
    run = Namespace(done=done, gone=list(gone), args=Namespace(seed=1), known=list(known))
    return command.report(run)


def test_survivor_counts_unless_its_reason_is_listed():
    caught, survivor = mutant(3, "    if (a > 1)"), mutant(5, "    return 4;")
    line, text, share, open_ = report([(caught, "some test"), (survivor, None)])
    assert line == "2 mutants, 1 caught, 1 survived, 0 equivalent (listed)"
    assert (share, open_) == (0.5, [survivor])
    entry = {"file": "src/x.c", "before": "return 3;", "after": "return 4;", "why": "the same"}
    line, text, share, open_ = report([(caught, "some test"), (survivor, None)], [entry])
    assert line == "2 mutants, 1 caught, 0 survived, 1 equivalent (listed)"
    assert (share, open_) == (1, [])
    assert "the same" in text
    other = {**entry, "file": "src/y.c"}
    assert report([(survivor, None)], [other])[3] == [survivor]
    near, far = {**entry, "near": "if (a < 1)"}, {**entry, "near": "int f(int a)"}
    assert report([(survivor, None)], [near])[3] == []
    assert report([(survivor, None)], [far])[3] == [survivor]


def test_described_fault_is_excused_by_its_name_alone():
    survivor = mutant(5, "    return 4;", name="M1 three")
    entry = {"file": "src/x.c", "before": "return 3;", "after": "return 4;", "why": "the same"}
    assert report([(survivor, None)], [entry])[3] == [survivor]
    assert report([(survivor, None)], [{"name": "M1 three", "why": "the same"}])[3] == []


def test_tests_that_caught_others_of_the_source_come_first():
    names = ["tests/update/test_a.py::a", "tests/update/test_a.py::b", *trial.FIRST]
    killers = {"src/x.c": Counter({names[1]: 1, names[0]: 2, "tests/update/test_a.py::gone": 9})}
    stages = list(trial.Trial(None, killers, names).stages("src/x.c"))
    assert stages[0] == names
    assert "tests/update/test_scenarios.py" in stages[-2]
    assert "tests/update/test_base.py" in stages[-1]


def test_source_with_neighbours_has_their_tests_before_all():
    stages = list(trial.Trial(None, {}, trial.FIRST).stages("src/git/write/ref.c"))
    assert "tests/update/test_order.py" in stages[1]
    assert "tests/update/test_order.py" not in stages[2]
