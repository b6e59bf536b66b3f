"""A type without a stack: the layers that every Python project takes serve it, too."""

import json
import os
import shutil
import subprocess
import sys

import pytest
import yaml

from ..common.program import ROOT
from .matrix import TMPLGEN, tmplgen

TYPE = """\
description: a command-line tool
stack: none
layers:
  - name: common
  - name: ci
  - name: docker
  - name: conda
  - name: python-common
  - name: gpu-smoke
  - name: engine
questions:
  - {name: package, type: str, default: "{{ name | replace('-', '_') }}"}
next: [make lint test]
"""
FILES = {
    "Makefile": "lint:\n\tci/lint.sh\ntest:\n\tci/test.sh\n",
    "README.md.j2": "# {{ name }}\n",
    "requirements/runtime.txt": "# nothing yet\n",
    "src/{{ package }}/__init__.py": '"""A tool."""\n\n__version__ = "0.1.0"\n',
    "tests/test_tool.py.j2": "import {{ package }}\n\n\n"
    "def test_it_has_a_version() -> None:\n    assert {{ package }}.__version__\n",
    "pyproject.toml.j2": """\
[build-system]
requires = ["hatchling>=1.26"]
build-backend = "hatchling.build"

[project]
name = "{{ package }}"
requires-python = ">={{ python_version }}"
dynamic = ["version"]
{% if license != 'none' %}
license-files = ["LICENSE"]
{% endif %}

[tool.hatch.version]
path = "src/{{ package }}/__init__.py"

[tool.mypy]
packages = ["{{ package }}"]
strict = true

[tool.codespell]
skip = "smoke/gpu_smoke.c"
""",
}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    """A team's catalog: the built-in layers, one type, no matrices."""
    folder = tmp_path_factory.mktemp("team")
    for name in ("_layers", "_includes"):
        shutil.copytree(ROOT / "templates" / name, folder / "templates" / name)
    (folder / "catalog.yml").write_text("name: team\nversion: 1.0.0\n")
    tool = folder / "templates/tool"
    (tool / "includes").mkdir(parents=True)
    (tool / "includes/start.Dockerfile").write_text('CMD ["python"]\n')
    (tool / "template.yml").write_text(TYPE)
    for path, text in FILES.items():
        target = tool / "files" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    return folder


@pytest.fixture
def tool(tmp_path, catalog):
    def make(*words):
        answers = [part for word in words for part in ("--set", word)]
        options = ["--type", "tool", "--catalog", catalog, "--defaults", *answers]
        tmplgen("new", tmp_path / "it", *options, cwd=tmp_path)
        return tmp_path / "it"

    return make


def test_a_tool_takes_the_layers_without_a_word_of_cuda(tool):
    child = tool("license=MIT", "conda=true", "update_bot=renovate")
    texts = {
        str(path.relative_to(child)): path.read_text()
        for path in child.rglob("*")
        if path.is_file() and ".git/" not in f"{path}/" and not path.match("smoke/*")
    }
    assert texts[".python-version"] == "3.12\n"
    assert "ARG BASE_IMAGE=python:3.12-slim-bookworm\n" in texts["Dockerfile"]
    assert "  - python=3.12\n" in texts["environment.yml"]
    assert texts["LICENSE"].startswith("MIT License")
    assert "--python-version 3.12 --python-platform x86_64-" in texts["ci/lock.sh"]
    json.loads(texts["renovate.json"])
    for path in ("Dockerfile", "AGENTS.md", "environment.yml", "requirements/framework.txt"):
        assert "cuda" not in texts[path].lower() and "none" not in texts[path], path
    assert not [path for path in texts if path.startswith("requirements/indexed")]
    assert "ci/gpu-smoke.sh" not in texts and not (child / "smoke/expect").exists()
    assert (child / "smoke/gpu_smoke.c").exists()


def test_the_bot_is_one_that_works_where_ci_runs(tool):
    record = yaml.safe_load((tool("ci=gitlab,jenkins") / ".tmplgen.yml").read_text())
    assert record["answers"]["update_bot"] == "renovate"


def test_the_python_of_a_tool_is_an_answer_and_that_of_a_stack_is_not(tool, tmp_path):
    child = tool("python_version=3.13", "update_bot=dependabot")
    assert (child / ".python-version").read_text() == "3.13\n"
    assert "python:3.13-slim" in (child / "Dockerfile").read_text()
    record = yaml.safe_load((child / ".tmplgen.yml").read_text())
    assert record["answers"]["python_version"] == "3.13"
    bot = yaml.safe_load((child / ".github/dependabot.yml").read_text())
    assert all(update.get("ignore", True) for update in bot["updates"])
    words = ["--type", "library", "--framework", "none", "--dry-run", "--json"]
    shown = subprocess.check_output([TMPLGEN, "new", tmp_path / "other", *words])
    assert "python_version" not in json.loads(shown)["answers"]


def test_the_scripts_of_a_tool_are_clean_for_a_shell(tool):
    child = tool()
    for script in child.glob("ci/*.sh"):
        subprocess.run(["sh", "-n", script], check=True)


@pytest.mark.full
def test_a_tool_is_set_up_lints_and_passes_its_tests(tool):
    child = tool("license=MIT", f"python_version={sys.version_info[0]}.{sys.version_info[1]}")
    env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PYTHON": sys.executable}
    for command in (["ci/setup.sh"], ["make", "lint"], ["make", "test"]):
        done = subprocess.run(
            command, cwd=child, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
