"""What a child's set-up installs where there is no GPU, of stacks that have packages for GPUs."""

import json
import re
import subprocess

import pytest
import yaml

from .matrix import TMPLGEN, tmplgen

PYTORCH = ("--type", "service", "--framework", "pytorch")
CPU = "https://download.pytorch.org/whl/cpu"


class Child:
    def __init__(self, folder, *words):
        self.folder = folder / "child"
        tmplgen("new", self.folder, "--defaults", "--no-git", *words, cwd=folder)
        record = yaml.safe_load((self.folder / ".tmplgen.yml").read_text())
        self.resolution = record["resolution"]

    def text(self, name):
        path = self.folder / name
        return path.read_text() if path.exists() else ""

    def names(self, name):
        """The packages of a file of requirements/."""
        lines = self.text(f"requirements/{name}.txt").splitlines()
        return {re.match(r"[\w.-]*", line)[0] for line in lines} - {""}

    def steps(self, device):
        """What `ci/setup.sh` has pip do, by a Python and a pip that only note their words."""
        noted = self.folder / "noted"
        stub = self.folder / "python"
        stub.write_text(
            '#!/bin/sh\nif [ "$2" = venv ]; then mkdir -p "$4/bin"; cp "$0" "$4/bin/python"; fi\n'
            f'if [ "$2" = pip ]; then echo "$@" >>{noted}; fi\n'
        )
        stub.chmod(0o755)
        (self.folder / "ci/python.sh").write_text(f"#!/bin/sh\necho {stub}\n")
        command = ["ci/setup.sh", device]
        subprocess.run(command, cwd=self.folder, check=True, capture_output=True)
        lines = noted.read_text().splitlines()
        noted.unlink()
        found = []
        for line in filter(lambda line: "--requirement" in line, lines):
            files = re.findall(r"--requirement requirements/([\w-]+)\.txt", line)
            index = re.search(r"--index-url (\S+)", line)
            found.append((index and index[1], files))
        return found


def test_packages_for_gpus_alone_are_left_out_and_that_is_said(tmp_path):
    child = Child(tmp_path, *PYTORCH, "--with", "xformers", "--with", "vllm")
    cpu = child.resolution["cpu"]
    assert cpu["index_url"] == CPU
    left = [one for one in child.resolution["requirements"] if one not in cpu["requirements"]]
    assert {one.partition("=")[0] for one in left} == {"xformers", "vllm"}
    assert child.names("indexed-cpu") == {"torch", "torchvision", "torchaudio"}
    assert child.names("framework-cpu") == set()
    assert "without vllm, xformers" in child.text("requirements/framework-cpu.txt")
    assert not {"vllm", "xformers"} & child.names("backend")
    rest = ["runtime", "dev"]
    first = "indexed-cpu"
    assert child.steps("cpu") == [(CPU, [first]), (None, [first, "framework-cpu", *rest])]
    index = child.resolution["index_url"]
    first = "framework"
    assert child.steps("cuda") == [(index, [first]), (None, [first, first, "stack", *rest])]
    assert child.names("stack") == {"vllm"}
    assert "--requirement requirements/stack.txt" in child.text("Dockerfile")


def test_what_both_have_is_installed_by_the_same_files(tmp_path):
    child = Child(tmp_path, *PYTORCH, "--with", "accelerate")
    for name in "framework-cpu", "indexed-cpu", "stack":
        assert not child.text(f"requirements/{name}.txt")
    assert "accelerate" in child.names("backend")
    assert child.steps("cpu")[0] == (CPU, ["framework"])
    assert "`accelerate==" in child.text("README.md")


def test_what_is_compiled_for_gpus_is_left_out(tmp_path):
    child = Child(tmp_path, *PYTORCH, "--with", "flash-attn", "--with", "accelerate")
    assert "without flash-attn" in child.text("requirements/framework-cpu.txt")
    assert "accelerate" in child.names("framework-cpu") & child.names("stack")
    assert [files for _, files in child.steps("cpu") if "build" in files] == []


def test_one_from_pips_own_index_has_its_cpu_build_from_pytorchs(tmp_path):
    child = Child(tmp_path, *PYTORCH, "--variant", "pypi", "--with", "accelerate")
    assert child.names("framework") == {"torch", "accelerate"}
    steps = child.steps("cpu")
    assert steps[0] == (CPU, ["indexed-cpu"]) and child.names("indexed-cpu") == {"torch"}
    assert child.names("framework-cpu") == {"accelerate"}


@pytest.mark.parametrize(
    ("release", "wanted"),
    [("0.4.20", "jax[cpu]==0.4.20"), ("0.4.30", "jax[cpu]==0.4.30"), ("0.4.31", "jax==0.4.31")],
)
def test_jax_brings_its_jaxlib(tmp_path, release, wanted):
    child = Child(tmp_path, "--type", "service", "--framework", f"jax=={release}")
    assert wanted in child.text("requirements/framework-cpu.txt").splitlines()


@pytest.mark.parametrize("name", ["tensorflow", "jax"])
def test_torch_beside_another_framework_is_from_its_cpu_index(tmp_path, name):
    child = Child(tmp_path, "--type", "service", "--framework", name, "--with", "torch")
    first = "indexed-cpu"
    assert child.steps("cpu")[0] == (CPU, [first])
    assert child.names(first) == {"torch"} and child.names("framework-cpu") == {name}


def test_a_framework_for_gpus_alone_has_no_such_set():
    command = [TMPLGEN, "matrix", "resolve", "--framework", "cupy", "--json"]
    said = subprocess.run([*command], check=True, capture_output=True, text=True)
    assert json.loads(said.stdout)["resolution"]["cpu"] is None
