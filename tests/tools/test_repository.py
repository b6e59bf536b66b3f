"""What a forge and a lawyer look for in the repository itself."""

import re
import tomllib

import pytest
import yaml

from ..common.program import ROOT

FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))


def test_the_licence_is_apache_2_and_covers_every_file():
    text = (ROOT / "LICENSE").read_text()
    assert text.split()[:4] == ["Apache", "License", "Version", "2.0,"]
    assert "END OF TERMS AND CONDITIONS" in text
    [all_files] = tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]
    assert (all_files["path"], all_files["SPDX-License-Identifier"]) == ("**", "Apache-2.0")


def test_program_and_catalog_have_one_version():
    """And the newest section of the changelog is of that one, or of the release that it becomes."""
    program = re.search(r'TMPLGEN_VERSION "(.*)"', (ROOT / "src/tmplgen.h").read_text())[1]
    assert yaml.safe_load((ROOT / "catalog.yml").read_text())["version"] == program
    newest = re.search(r"^## (\S+),", (ROOT / "CHANGELOG.md").read_text(), re.M)[1]
    assert newest == program.removesuffix("-dev")


def test_it_can_be_cited():
    found = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert {"cff-version", "message", "title", "authors"} <= found.keys()
    assert found["license"] == "Apache-2.0"


@pytest.mark.parametrize("name", ["SECURITY.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md"])
def test_the_readme_leads_to_it(name):
    assert (ROOT / name).is_file()
    assert f"({name})" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_are_what_github_takes(path):
    form = yaml.safe_load(path.read_text())
    if path.stem == "config":
        assert isinstance(form["blank_issues_enabled"], bool)
        return
    assert form["name"] and form["description"]
    ids = [field["id"] for field in form["body"]]
    assert len(set(ids)) == len(ids)
    for field in form["body"]:
        assert field["type"] in ("textarea", "input", "dropdown", "checkboxes")
        assert field["attributes"]["label"]
