"""`matrix accept`: a person has looked at rows of low confidence."""

import json

import pytest

from ..common.schemas import check

# of a release that others share rows with
ROWS = """\
# a comment that stays
framework: demo
title: Demo
supply: wheel
requirements: demo=={version}
packages: demo
env: {NVIDIA_DRIVER_CAPABILITIES: "compute,utility"}
sources: {seen: "a page"}
releases:
- {version: 1.2, pythons: 3.12, default: cuda13, source: seen, as_of: 2026-10, confidence: low}
- {version: 1.1, pythons: 3.12, default: cuda13, source: seen, as_of: 2026-10,   confidence: "low"}
- {version: 1.0, pythons: 3.12, default: cuda13, source: seen, as_of: 2026-10}
builds:
- {releases: 1.2 1.1, variant: cuda13, cuda: 13.0, cc_min: 7.5, processors: x86_64,
   confidence: low, source: seen, as_of: 2026-10} # shared
- {releases: 1.2, variant: cuda12, cuda: 12.8, cc_min: 7.5, processors: x86_64, source: seen,
   as_of: 2026-10, confidence: medium}
- {releases: 1.0, variant: cuda13, cuda: 13.0, cc_min: 7.5, processors: x86_64, source: seen,
   as_of: 2026-10, confidence: low}
"""


@pytest.fixture
def catalog(catalog):
    (catalog / "matrices/frameworks/demo.yml").write_text(ROWS)
    return catalog


@pytest.fixture
def accept(matrix, catalog):
    def run(*words):
        done = matrix("accept", *words, "--catalog", catalog, "--json")
        made = json.loads(done.out)
        check(made)
        assert made["exit"] == done.code
        return made, (catalog / "matrices/frameworks/demo.yml").read_text()

    return run


def chosen(matrix, catalog):
    done = matrix("resolve", "--framework", "demo", "--catalog", catalog, "--json")
    made = json.loads(done.out)
    return made["resolution"]["framework"]["version"] if done.code == 0 else None


def test_accepted_release_is_chosen_unasked(matrix, catalog, accept):
    assert chosen(matrix, catalog) is None
    made, text = accept("demo==1.1")
    assert [(r["kind"], r["releases"], r["variant"], r["was"]) for r in made["lifted"]] == [
        ("release", "1.1", None, "low"),
        ("build", "1.2 1.1", "cuda13", "low"),
    ]
    assert made["written"].endswith("demo.yml")
    assert chosen(matrix, catalog) == "1.1"
    before = ROWS.replace('2026-10,   confidence: "low"', "2026-10,   confidence: medium")
    assert text == before.replace("   confidence: low, source", "   confidence: medium, source")


def test_one_build_and_high(accept):
    made, text = accept("demo==1.2", "--variant", "cuda12", "--confidence", "high")
    assert [(r["kind"], r["was"]) for r in made["lifted"]] == [
        ("release", "low"),
        ("build", "medium"),
    ]
    assert text.count("confidence: high") == 2
    assert '"low"' in text and "   confidence: low, source" in text


def test_nothing_to_lift(accept):
    accept("demo==1.0")
    made, text = accept("demo==1.0")
    assert (made["exit"], made["lifted"], made["written"]) == (0, [], None)
    assert "confidence: low, source: seen, as_of: 2026-10} # shared" in text


def test_it_is_shown(matrix, catalog):
    done = matrix("accept", "demo==1.0", "--catalog", catalog)
    assert "demo.yml:19: build 1.0 cuda13: low -> medium" in done.out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["demo==9"], 4),
        (["demo==new"], 4),
        (["demo==1.2", "--variant", "cu999"], 4),
        (["nothing==1"], 2),
        (["demo"], 2),
        (["demo==1.2", "--confidence", "low"], 2),
    ],
)
def test_what_is_unknown_is_refused(accept, words, code):
    made, text = accept(*words)
    assert made["exit"] == code
    assert text == ROWS


def test_file_that_is_wrong_otherwise_is_left(matrix, catalog):
    path = catalog / "matrices/frameworks/demo.yml"
    path.write_text(ROWS.replace("default: cuda13", "default: cuda11", 1))
    assert matrix("accept", "demo==1.2", "--catalog", catalog).code == 2
    assert "confidence: medium" not in path.read_text().splitlines()[9]


def test_it_wants_a_folder(matrix):
    done = matrix("accept", "pytorch==2.15.0")
    assert done.code == 2
    assert "--catalog FOLDER" in done.err


def test_package(matrix, catalog):
    path = catalog / "matrices" / "packages" / "xformers.yml"
    before = path.read_text()
    words = ["accept", "xformers==0.0.34", "--confidence", "high", "--catalog", catalog, "--json"]
    made = json.loads(matrix(*words).out)
    check(made)
    assert made["written"] == str(path)
    assert [(row["kind"], row["was"]) for row in made["lifted"]] == [
        ("release", "medium"),
        ("build", "medium"),
    ]
    assert path.read_text().count("confidence: medium") == before.count("confidence: medium") - 2
    assert matrix("check", "--catalog", catalog).code == 0
