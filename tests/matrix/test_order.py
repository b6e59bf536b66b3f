"""The files of matrices/ stand as people read them: the newest release first."""

import itertools
from pathlib import Path

import pytest
from packaging.version import Version

from . import oracle

MATRICES = Path(__file__).resolve().parents[2] / "matrices"
FILES = [*sorted(MATRICES.glob("frameworks/*.yml")), *sorted(MATRICES.glob("packages/*.yml"))]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_releases_and_the_builds_of_a_variant_stand_newest_first(path):
    file = oracle.read(path)
    releases = [Version(row["version"]) for row in file.get("releases", [])]
    assert releases == sorted(releases, reverse=True)
    newest = {}
    for row in file.get("builds", []):
        named = [str(releases[0])] if row["releases"] == "all" else row["releases"].split()
        newest.setdefault(row["variant"], []).append(max(map(Version, named)))
    for variant, versions in newest.items():
        for above, below in itertools.pairwise(versions):
            assert above > below, (variant, str(below))
