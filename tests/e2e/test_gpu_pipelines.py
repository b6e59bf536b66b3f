"""The GPU job of the three pipelines, its scripts run for real, on machines that are made up.

A machine is a mount namespace with its own PCI bus and driver, and with the fake driver library on
the loader's path. The container engine is a fake: a container is the same machine again.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from ..smoke.root import Root
from ..smoke.workshop import Workshop
from .conftest import EVERY_CI
from .readers import GitLab, jenkins
from .support import clean_env

GPU = "GPU_RUNNER=gpu"
REPORTS = ("gpu-smoke-host.xml", "gpu-smoke-image.xml")

ENGINE = """#!/bin/sh
# docker: what an image holds beside gpu-smoke is not of this test.
[ "$1" = run ] || exit 0
shift
while :; do
    case $1 in
        --rm) shift ;;
        --*) shift 2 ;;
        *) break ;;
    esac
done
shift
case "$*" in
    cat*) exec cat smoke/gpu-smoke.image ;;
    *gpu-smoke*) PATH=$PWD/smoke:$PATH exec "$@" ;;
esac
"""


class Machine:
    """A folder `over` with what the machine shows instead of this one's."""

    def __init__(self, folder):
        folder.mkdir()
        temporary = Path(tempfile.gettempdir()) / f"gpu-smoke-tests-{os.getuid()}"
        temporary.mkdir(mode=0o700, exist_ok=True)
        self.workshop = Workshop(temporary)
        self.root = Root(folder / "over", self.workshop)
        (self.root.path / "sys/bus/pci/devices").mkdir(parents=True)
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.bin / "docker").write_text(ENGINE)
        (self.bin / "docker").chmod(0o755)
        self.libraries = folder / "lib"
        self.libraries.mkdir()
        self.env = {}

    def run(self, words, folder):
        """The words in the folder, on this machine: status and all that was said."""
        over = self.root.path
        places = [p for p in ("sys/bus/pci", "proc/driver", "proc/devices") if (over / p).exists()]
        mounts = "".join(f"mount --bind {over}/{p} /{p} && " for p in places)
        command = ["unshare", "--mount", "sh", "-c", f'{mounts}exec "$@"', "sh", *map(str, words)]
        path = f"{self.bin}:{os.environ['PATH']}"
        more = {"PATH": path, "LD_LIBRARY_PATH": str(self.libraries), **self.env}
        done = subprocess.run(
            command, cwd=folder, env=clean_env(**more), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout


def without_gpu(machine):
    return machine


def without_driver(machine):
    machine.root.gpu(driver=None)
    return machine


def that_works(machine):
    machine.root.gpu().module()
    shutil.copy(machine.workshop.library("cuda"), machine.libraries / "libcuda.so.1")
    machine.env["FAKE_CUDA"] = "driver=13000"
    return machine


def with_an_old_driver(machine):
    that_works(machine).root.module("450.80.02")
    return machine


# ---------------------------------------------------------------- each system's way with steps


def by_github(child, machine):
    """Each step by a bash of its own, up to the first that fails; what is uploaded then."""
    job = yaml.safe_load((child / ".github/workflows/ci.yml").read_text())["jobs"]["gpu-smoke"]
    assert "continue-on-error" not in job
    status, said, uploads = 0, "", []
    for step in job["steps"]:
        assert "continue-on-error" not in step
        if "run" in step and not status:
            words = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
            status, more = machine.run(words, child)
            said += more
        if "upload-artifact" in step.get("uses", "") and (
            not status or step["if"] == "${{ !cancelled() }}"
        ):
            uploads += [p.name for p in (child / step["with"]["path"]).glob("*.xml")]
    return status, said, uploads


def by_gitlab(child, machine):
    """gitlab-ci-local, which runs a job of a shell executor as GitLab's runner does."""
    local = GitLab(by_gitlab.modules, child)
    shutil.rmtree(child / ".gitlab-ci-local", ignore_errors=True)
    words = ["--force-shell-executor", "--shell-isolation=false", "--no-color", "gpu-smoke"]
    status, said = machine.run([*local.command, "--variable", GPU, *words], child)
    job = local.jobs(GPU)["gpu-smoke"]
    assert not job.get("allow_failure") or job["allow_failure"] is False
    wanted = yaml.safe_load((child / ".gitlab-ci.yml").read_text())["gpu-smoke"]["artifacts"]
    assert wanted["when"] == "always"
    return status, said, [path.name for path in child.glob(wanted["reports"]["junit"])]


def by_jenkins(child, machine):
    """What the recorder heard of `sh` steps, each by sh -xe as Jenkins' own step does it."""
    run = jenkins(child / "Jenkinsfile", GPU, "BRANCH_NAME=feature")
    stage = next(stage for stage in run["stages"] if stage["name"] == "gpu-smoke")
    status, said = 0, ""
    for command in stage["commands"]:
        if not status:
            status, more = machine.run(["sh", "-xe", "-c", command], child)
            said += more
    return status, said, [path.name for path in child.glob(stage["junit"])]


@pytest.fixture(params=[by_github, by_gitlab, by_jenkins], ids=["github", "gitlab", "jenkins"])
def job(request, every_ci, tmp_path, node_modules, _root_user):
    """Runs the GPU job in a copy of the child."""
    by_gitlab.modules = node_modules

    def run(make):
        child = tmp_path / "child"
        shutil.copytree(every_ci, child, symlinks=True)
        status, said, reports = request.param(child, make(Machine(tmp_path / "machine")))
        return status, said, {name: (child / "reports" / name).read_text() for name in reports}

    return run


@pytest.mark.parametrize(
    ("every_ci", "make", "says"),
    [
        *((type, without_driver, "kernel driver is not loaded") for type in EVERY_CI),
        ("library", without_gpu, "no NVIDIA GPU on this machine"),
        ("service", with_an_old_driver, "driver 450.80.02, promised at least"),
    ],
    indirect=["every_ci"],
)
def test_a_promised_gpu_that_does_not_work_is_red(job, make, says):
    status, said, reports = job(make)
    assert status not in (0, 77), said
    assert says in said
    assert list(reports) == ["gpu-smoke-host.xml"]  # the image is not even tried
    assert len(ElementTree.fromstring(reports["gpu-smoke-host.xml"]).findall(".//failure")) == 1


@pytest.mark.parametrize("every_ci", ["library", "batch"], indirect=True)
def test_a_gpu_that_works_is_green(job):
    status, said, reports = job(that_works)
    assert status == 0, said
    assert sorted(reports) == list(REPORTS)
    for text in reports.values():
        assert not ElementTree.fromstring(text).findall(".//failure")


@pytest.mark.parametrize("every_ci", ["library"], indirect=True)
@pytest.mark.parametrize("job", [by_github], indirect=True)
def test_an_image_that_gets_no_gpu_is_red(job):
    """The host is fine; the container engine hands nothing on."""

    def make(machine):
        that_works(machine)
        engine = machine.bin / "docker"
        engine.write_text(ENGINE.replace("PATH=$PWD", "FAKE_CUDA='cuInit=100' PATH=$PWD"))
        return machine

    status, said, reports = job(make)
    assert 10 <= status <= 19, said
    assert not re.search("<failure", reports["gpu-smoke-host.xml"])
    assert re.search("<failure", reports["gpu-smoke-image.xml"])


@pytest.mark.parametrize("every_ci", ["library"], indirect=True)
def test_without_a_compiler_the_images_program_is_taken(every_ci, tmp_path, _root_user):
    child = tmp_path / "child"
    shutil.copytree(every_ci, child, symlinks=True)
    machine = without_driver(Machine(tmp_path / "machine"))
    shutil.copy(machine.workshop.program(), child / "smoke/gpu-smoke.image")
    for tool in ("sh", "cat", "chmod", "dirname", "mkdir", "rm"):
        (machine.bin / tool).symlink_to(shutil.which(tool))
    words = ["sh", "-c", f"PATH={machine.bin} exec ci/gpu-smoke.sh"]
    status, said = machine.run(words, child)
    assert status == 10, said
    assert "no C compiler" in said
    assert "kernel driver is not loaded" in said
