"""The workflow of a release: its rights, and its actions by commit."""

import re
import subprocess
import sys
from pathlib import Path

import yaml

from ..common.program import ROOT

WORKFLOW = ROOT / ".github/workflows/release.yml"
TEXT = WORKFLOW.read_text()
JOBS = yaml.safe_load(TEXT)["jobs"]


def test_what_builds_cannot_publish_and_what_publishes_builds_nothing():
    assert yaml.safe_load(TEXT)["permissions"] == {}
    assert {name: job["permissions"] for name, job in JOBS.items()} == {
        "build": {"contents": "read"},
        "release": {"contents": "write", "id-token": "write"},
        "index": {"id-token": "write"},
    }
    assert {"run": "make release"} in JOBS["build"]["steps"]
    assert TEXT.count("actions/checkout@") == TEXT.count("persist-credentials: false")
    assert "secrets." not in TEXT


def test_actions_are_the_commits_that_children_use():
    folder = ROOT / "templates/_includes/actions"
    pins = {it.read_text().split("{#")[0].rstrip() for it in folder.iterdir()}
    used = set(re.findall(r"uses: (.*)", TEXT))
    assert used and used <= pins
    assert all(re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", it) for it in used)


def test_zizmor_has_nothing_to_say():
    zizmor = Path(sys.executable).parent / "zizmor"
    subprocess.run([zizmor, "--offline", WORKFLOW], check=True)
