"""`make setup` over an environment that is there: what is another starts afresh.

The framework is a stand-in: two wheels of one version that differ by their local label, as those
for two CUDA versions do, each in a folder that pip takes packages from.
"""

import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from ..common.venvs import quick_python
from .matrix import tmplgen

NUMBER = "2.13.0"


def wheel(folder, name, version):
    folder.mkdir(parents=True, exist_ok=True)
    about = f"{name}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", f'__version__ = "{version}"\n')
        metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
        file.writestr(f"{about}/METADATA", metadata)
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", "")


class Child:
    """A library whose framework and tools are stand-ins."""

    def __init__(self, folder):
        self.folder = folder / "child"
        words = ["--type", "library", "--framework", f"pytorch=={NUMBER}", "--python", "3.11"]
        tmplgen("new", self.folder, "--defaults", "--no-git", *words, cwd=folder)
        for path in (self.folder / "requirements").glob("*.txt"):
            path.write_text("")
        (self.folder / "requirements/framework.txt").write_text(f"torch=={NUMBER}\n")
        (self.folder / "pyproject.toml").write_text(
            '[build-system]\nrequires = []\nbuild-backend = "backend"\nbackend-path = ["."]\n'
        )
        (self.folder / "backend.py").write_text(BACKEND)
        for build in "cu126", "cu130", "cpu":
            wheel(self.folder / build, "torch", f"{NUMBER}+{build}")
        wheel(self.folder / "plain", "torch", NUMBER)
        self.python = quick_python(self.folder / "python3", sys.executable)
        self.pip = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": "/dev/null", "INDEX_URL": ""}

    def setup(self, device="cuda", cuda=None, status=0, **env):
        """What `ci/setup.sh` says."""
        cuda = cuda or {"cuda": "cu130", "cpu": "cpu"}[device]
        done = subprocess.run(
            ["ci/setup.sh", device],
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", "PYTHON": self.python, **self.pip}
            | {"PIP_FIND_LINKS": str(self.folder / cuda), **env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        return done.stdout + done.stderr

    def torch(self, venv=".venv"):
        """Its version, or the error of what imports it."""
        command = [
            self.folder / venv / "bin/python",
            "-c",
            "import torch; print(torch.__version__)",
        ]
        said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return said.stdout.strip()


BACKEND = """
import zipfile
def get_requires_for_build_editable(config_settings=None):
    return []
def build_editable(folder, config_settings=None, metadata_directory=None):
    name = "it-1-py3-none-any.whl"
    with zipfile.ZipFile(folder + "/" + name, "w") as file:
        file.writestr("it-1.dist-info/METADATA", "Metadata-Version: 2.1\\nName: it\\nVersion: 1\\n")
        file.writestr("it-1.dist-info/WHEEL", "Wheel-Version: 1.0\\nTag: py3-none-any\\n")
        file.writestr("it-1.dist-info/RECORD", "")
    return name
"""


@pytest.fixture
def child(tmp_path):
    return Child(tmp_path)


def index(child, cuda):
    """As ci/framework.sh names it after an update to another CUDA."""
    path = child.folder / "ci/framework.sh"
    lines = path.read_text().splitlines()
    lines = [
        f"CUDA_INDEX_URL=file://{child.folder}/{cuda}" if one.startswith("CUDA_INDEX_URL") else one
        for one in lines
    ]
    path.write_text("\n".join(lines) + "\n")


def test_nothing_that_changed_keeps_the_environment(child):
    said = child.setup()
    assert "afresh" not in said
    assert "ERROR" not in said
    assert child.torch() == f"{NUMBER}+cu130"
    (child.folder / ".venv/mine").touch()
    assert "afresh" not in child.setup()
    assert (child.folder / ".venv/mine").exists()


def test_an_update_of_the_index_alone_is_noticed(child):
    index(child, "cu130")
    del child.pip["INDEX_URL"]
    child.setup()
    index(child, "cu126")
    assert "afresh" in child.setup(cuda="cu126")
    assert child.torch() == f"{NUMBER}+cu126"


@pytest.mark.full
def test_another_device_and_another_pin_start_afresh(child):
    child.setup()
    assert "afresh" in child.setup("cpu")
    assert "afresh" not in child.setup("cpu")
    path = child.folder / "requirements/framework.txt"
    path.write_text(f"torch=={NUMBER}\n# of another CUDA\n")
    assert "afresh" in child.setup("cpu")


def test_a_cpu_never_gets_the_build_for_cuda_under_the_same_version(child):
    """As an index that mirrors PyPI alone has it: gigabytes of libraries come with that."""
    said = child.setup("cpu", "plain", status=1)
    assert (
        f"no build for CPUs was found: INDEX_URL=... names an index that has torch=={NUMBER}+cpu"
        in said
    )
    assert said.index("may not have reached the index") < said.index("no build for CPUs")
    assert "ModuleNotFoundError" in child.torch()
    child.setup("cpu", "cpu")
    assert child.torch() == f"{NUMBER}+cpu"
    child.setup("cpu", "plain", CPU_BUILDS="", VENV="other")
    assert child.torch("other") == NUMBER


@pytest.mark.parametrize(
    ("pin", "asked"),
    [
        ("torch==2.13.0", "torch==2.13.0+cpu"),
        ('torch==2.13.0; python_version < "4"', "torch==2.13.0+cpu"),
        ("torch>=2", None),
        ("torchx==2.13.0", None),
        ("numpy==2.4.6", None),
    ],
)
def test_builds_for_cpus_are_asked_for_by_name_and_on_x86_64_alone(child, pin, asked):
    (child.folder / "requirements/framework.txt").write_text(pin + "\n")
    said = subprocess.run(["ci/cpu-builds.sh"], cwd=child.folder, capture_output=True, text=True)
    wanted = f'{asked}; platform_machine == "x86_64"\n' if asked else ""
    assert (said.returncode, said.stdout) == (0, wanted)


@pytest.mark.full
def test_another_python_starts_afresh(child, tmp_path):
    child.setup()
    # A Python that calls itself another.
    other = tmp_path / "python3.99"
    said = '#!/bin/sh\n[ "$1" != -V ] || { echo Python 3.99.1; exit; }\n'
    other.write_text(f'{said}exec {child.python} "$@"\n')
    other.chmod(0o755)
    assert "afresh" in child.setup(PYTHON=str(other))


def test_one_that_was_half_made_is_made_anew_before_it_is_asked_for_pips_settings(child):
    """As one is left by a Python without ensurepip."""
    command = [sys.executable, "-m", "venv", "--without-pip", child.folder / ".venv"]
    subprocess.run(command, check=True)
    del child.pip["INDEX_URL"]
    said = child.setup("cpu")
    assert "No module named pip" not in said and "pytorch.org" not in said
    assert child.torch() == f"{NUMBER}+cpu"


@pytest.mark.full
def test_an_environment_whose_python_is_gone_is_made_anew(child):
    child.setup()
    shutil.rmtree(child.folder / ".venv/bin")
    child.setup()
    assert child.torch() == f"{NUMBER}+cu130"


def program(path, line):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)


def test_lint_finds_the_same_files_without_git(child):
    for name in "ruff", "mypy", "shellcheck", "codespell", "not-ours.sh":
        program(child.folder / ".venv/bin" / name, 'echo "$@"')
    for words in ["init", "-q"], ["add", "."]:
        subprocess.run(["git", *words], cwd=child.folder, check=True)
    found = []
    for repository in ".git", "nowhere":
        env = {"PATH": "/usr/bin:/bin", "GIT_DIR": repository}
        said = subprocess.check_output(["ci/lint.sh"], cwd=child.folder, env=env, text=True)
        found.append([set(line.split()) for line in said.splitlines()[-2:]])
    shell, spelling = found[1]
    assert shell == found[0][0] and "ci/lint.sh" in shell
    assert spelling <= found[0][1] and {"smoke/gpu_smoke.c", "README.md"} <= spelling


@pytest.mark.parametrize("uv", [None, "exit 1"])
@pytest.mark.parametrize("here", [None, "3.99"])
def test_a_python_that_is_missing_is_told_with_what_helps(child, tmp_path, uv, here):
    """Whatever there is: uv that reaches nothing, another Python, or none."""
    python = here and f"case $2 in *print*) echo {here};; *) exit 1;; esac"
    for name, line in {"uv": uv, "python3": python}.items():
        if line:
            program(tmp_path / "bin" / name, line)
    for name in "sh", "cut", "cat", "dirname":
        program(tmp_path / "bin" / name, f'exec {shutil.which(name)} "$@"')
    run = {"cwd": child.folder, "env": {"PATH": str(tmp_path / "bin")}, "text": True}
    done = subprocess.run(["ci/python.sh"], **run, capture_output=True, check=False)
    helps = {"uv could not fetch it": uv, "astral.sh": not uv, "PYTHON=/path/to/python3.11": True}
    helps |= {f"tmplgen update --set python={here} ": here, "apt install python3 ": not here}
    assert (done.returncode, done.stdout) == (1, "")
    assert {it: it in done.stderr for it in helps} == {it: bool(of) for it, of in helps.items()}


NEED_IT = {
    "service": "lint test model run loadtest",
    "llm": "lint test model run loadtest",
    "batch": "lint test train bench profile kill-test",
    "library": "lint test test-oldest bench docs",
}


@pytest.mark.parametrize("kind", NEED_IT)
def test_what_needs_the_environment_names_the_command_that_makes_it(tmp_path, kind):
    words = ["--framework", "transformers" if kind == "llm" else "none"]
    words += ["--set", "docs=true"] if kind == "library" else []
    it = tmp_path / "it"
    tmplgen("new", it, "--type", kind, "--defaults", "--no-git", *words, cwd=tmp_path)
    run = {"cwd": it, "env": {"PATH": "/usr/bin:/bin"}, "text": True, "stderr": subprocess.PIPE}
    for target in NEED_IT[kind].split():
        done = subprocess.run(["make", "-s", target], **run, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith("run `make setup` first: there is no .venv/bin/python\n")
    if "model" in NEED_IT[kind]:
        for path in ".venv/bin/python", "model/manifest.json", "model/config.json":
            program(it / path, "")
        said = subprocess.run(["make", "-s", "run"], **run, check=True).stderr
        assert said.partition(": ")[2] in re.sub(r"\\\n *", "", (it / "README.md").read_text())
