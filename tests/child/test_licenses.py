"""The licences of children have the words of SPDX's list, but for who holds them since when."""

import json
import re

import pytest

from .matrix import tmplgen
from .render import CATALOG

# `licenses/NAME.json` of the package spdx-license-list 6.12.0 of npm: SPDX License List 3.28.0.
SPDX = CATALOG / "tests/data/licenses"
TEXTS = CATALOG / "templates/_includes/license"
PLACE = re.compile(r"Copyright (\(c\) <year> <[a-z ]+>\.?|\[yyyy\] \[name of copyright owner\])")
# SPDX has it as a name of the licence and not as a part of its text.
TITLES = {"BSD-3-Clause": "BSD 3-Clause License"}


@pytest.mark.parametrize(
    "name", sorted(path.name for path in TEXTS.iterdir() if path.name != "proprietary")
)
def test_a_licence_has_the_words_of_spdx(name, tmp_path):
    answers = [f"license={name}", "license_holder=Ada & Co", "license_year=2026"]
    words = [word for answer in answers for word in ("--set", answer)]
    stack = ["--type", "library", "--framework", "none", "--no-git"]
    tmplgen("new", tmp_path / "it", *stack, *words, cwd=tmp_path)
    official = json.loads((SPDX / f"{name}.json").read_text())["licenseText"]
    text, places = PLACE.subn("Copyright (c) 2026 Ada & Co", official)
    assert places == 1
    found = (tmp_path / "it/LICENSE").read_text().split()
    assert found == [*TITLES.get(name, "").split(), *text.split()]
