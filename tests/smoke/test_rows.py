"""Every known way in which a GPU machine breaks is named: its layer, its cause, what to do."""

import re

import pytest

from .root import LAYERS
from .rows import PASSES, ROWS, TEXTS, no_gpu
from .workshop import TOP

NAMES = [row.name for row in ROWS]
MANUAL = (TOP / "docs" / "smoke.md").read_text()


def made(row, root):
    return row.make(root.healthy_container() if row.container else root.healthy())


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_row_has_its_layer_cause_and_fix(row, root, smoke):
    report = smoke(*row.args, root=made(row, root), script=row.script, nvml=row.nvml, env=row.env)
    assert (report.finding["layer"], report.cause) == (row.layer, row.cause)
    assert report.code == row.exit
    assert row.fix in report.finding["fix"]
    assert row.shows in report.evidence


@pytest.mark.parametrize("row", ROWS, ids=NAMES)
def test_row_has_one_broken_layer_and_nothing_is_reached_behind_it(row, root, smoke):
    report = smoke(*row.args, root=made(row, root), script=row.script, nvml=row.nvml, env=row.env)
    states = report.states
    assert list(states) == LAYERS
    assert [layer for layer, state in states.items() if state == "broken"] == [row.layer]
    behind = LAYERS[LAYERS.index(row.layer) + 1 :]
    assert {states[layer] for layer in behind} <= {"not-reached"}


@pytest.mark.parametrize("row", PASSES, ids=[row.name for row in PASSES])
def test_machine_that_works_passes(row, root, smoke):
    report = smoke(root=made(row, root), script=row.script, nvml=row.nvml)
    document = report.json
    assert (report.code, document["finding"]) == (0, None)
    assert set(report.states.values()) <= {"ok", "warning", "not-applicable"}
    warnings = "\n".join(document["warnings"])
    if row.warns:
        assert row.warns in warnings
        assert "warning" in report.states.values()


@pytest.mark.parametrize("row", [row for row in PASSES if not row.warns], ids=lambda row: row.name)
def test_machine_without_complaints_has_no_warnings(row, root, smoke):
    report = smoke(root=made(row, root), script=row.script, nvml=row.nvml)
    assert report.json["warnings"] == [] or row.name in ("gVisor hides the bus",)


def test_h01_no_gpu_is_skipped_unless_one_is_required(root, smoke):
    no_gpu(root.healthy())
    for script in ("cuInit=100", "cuInit=34"):
        report = smoke(root=root, script=script)
        assert (report.code, report.cause, report.states["hw"]) == (77, "no-gpu", "not-applicable")
        report = smoke("--require-gpu", root=root, script=script)
        assert (report.code, report.cause, report.states["hw"]) == (10, "no-gpu", "broken")


def test_i18_a_build_without_gpu_is_named(root, smoke):
    no_gpu(root.healthy()).file("/proc/1/cgroup", "0::/buildkit/abc\n")
    report = smoke(root=root, script="cuInit=100")
    assert (report.code, report.cause) == (77, "no-gpu")
    assert "image build" in report.evidence


def test_row_of_an_unknown_code_names_the_number(healthy, smoke):
    for code in (4711, 77, 998):
        report = smoke(root=healthy, script=f"cuInit={code}")
        assert (report.code, report.cause) == (14, "cuda-error")
        assert f"{code} cuInit: unknown to this version" in report.evidence


def manual():
    """What docs/smoke.md says of each cause: layer, what, what to do."""
    rows = re.findall(r"^\| `([a-z0-9-]+)` \| (\w+) \| (.*?) \| (.*?) \|$", MANUAL, re.MULTILINE)
    return {
        cause: (None if layer == "any" else layer, what, fix) for cause, layer, what, fix in rows
    }


@pytest.mark.parametrize("row", TEXTS, ids=[row[0] for row in TEXTS])
def test_pasted_text_is_explained(row, explainer):
    """Its likeliest cause; layer and fix of all of them are those of the manual."""
    _, cause, text = row
    report = explainer("--explain", text)
    document = report.json
    assert (report.code, document["schema"], document["exit"]) == (0, "tmplgen/explain@2", 0)
    assert document["causes"][0]["cause"] == cause
    for named in document["causes"]:
        told = (named["layer"], named["what"], named["fix"])
        assert told == manual()[named["cause"]] and named["why"]


def test_manual_has_the_rows_that_are_tested():
    machines, texts = len(ROWS) + len(PASSES), len(TEXTS)
    assert f"84 known failures: {machines} machines and {texts} texts" in " ".join(MANUAL.split())


def test_every_row_of_the_catalogue_is_here():
    rows = {
        "H": "01 02 06 08 11 13 14 16 18",
        "D": "01 02 03 05 06 07 12 13",
        "I": "01 03 04 06 09 10 11 12 16 18",
        "L": "01 02 03 05 07 10 12 14 16 17 19 22",
        "V": "01 04 05 07 08 11 12 15 16 18 19",
        "T": "01 03 06 07 09 11 13",
        "J": "01 03 05 07 09",
        "X": "01 04 06 07 08 11 13 14",
        "S": "01 04 05 06 09 12",
        "K": "01 02 03 04 08 11 12 14",
    }
    wanted = {letter + number for letter, numbers in rows.items() for number in numbers.split()}
    texts = " ".join([*NAMES, *(row.name for row in PASSES), *(row[0] for row in TEXTS)])
    here = set(re.findall(r"\b[A-Z]\d\d\b", texts)) | {"H01"}
    assert wanted - here == set()
    assert len(wanted) == 84
