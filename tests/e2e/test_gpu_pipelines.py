"""The GPU job of the three pipelines, its scripts run for real, on machines that are made up."""

import shutil
import tempfile
from functools import cache
from xml.etree import ElementTree

import pytest
import yaml

from .conftest import EVERY_CI
from .machine import (
    ENGINE,
    Machine,
    that_works,
    with_an_old_driver,
    with_its_own_compiler,
    without_driver,
    without_gpu,
)
from .readers import jenkins
from .support import TMPLGEN, run

GPU = "GPU_RUNNER=gpu"
CLEANING = "ci/remove-images.sh"
REPORTS = ("gpu-smoke-host.xml", "gpu-smoke-image.xml")


# ---------------------------------------------------------------- each system's way with steps


class Job:
    """What a system makes of the GPU job: its shell, its steps, where it looks for reports."""

    def __init__(self, shell, steps, always, reports):
        self.shell, self.steps, self.always, self.reports = shell, steps, always, reports

    def run(self, child, machine):
        """Status, all that was said, and the reports that the system takes after that."""
        status, said = 0, ""
        for step in self.steps:
            if not status:
                status, more = machine.run([*self.shell, step], child)
                said += more
        assert machine.run([*self.shell, CLEANING], child)[0] == 0  # whatever came of them
        taken = child.glob(self.reports) if self.always or not status else ()
        return status, said, {path.name: path.read_text() for path in taken}


def by_github(child):
    """Each `run` by a bash of its own, up to the first that fails."""
    job = yaml.safe_load((child / ".github/workflows/ci.yml").read_text())["jobs"]["gpu-smoke"]
    assert not any("continue-on-error" in each for each in (job, *job["steps"]))
    *steps, last = (step for step in job["steps"] if "run" in step)
    assert not any("if" in step for step in steps)
    assert (last["run"], "always()" in last["if"]) == (CLEANING, True)
    (upload,) = (s for s in job["steps"] if "actions/upload-artifact" in s.get("uses", ""))
    assert upload["with"]["path"] == "reports/"
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"]
    return Job(
        shell, [step["run"] for step in steps], upload["if"] == "${{ always() }}", "reports/*.xml"
    )


def by_gitlab(child):
    """All lines by one bash, as the runner's shell executor writes them."""
    job = yaml.safe_load((child / ".gitlab-ci.yml").read_text())["gpu-smoke"]
    assert not {"allow_failure", "before_script", "retry"} & set(job)
    assert job["after_script"] == [CLEANING]
    kept = job["artifacts"]
    assert "reports/" in kept["paths"]
    script = "\n".join(["set -eo pipefail", *job["script"]])
    return Job(["bash", "-c"], [script], kept["when"] == "always", kept["reports"]["junit"])


@cache
def recorded(jenkinsfile):
    """What the recorder heard of the stage, which must fail where its command does."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(jenkinsfile)
        file.flush()
        run = jenkins(file.name, GPU, "BRANCH_NAME=feature", "ci/gpu.sh?=10")
    stage = next(stage for stage in run["stages"] if stage["name"] == "gpu-smoke")
    assert (run["result"], stage["result"]) == ("FAILURE", "FAILURE")
    assert stage["commands"][-2:] == ["ci/gpu.sh", CLEANING]
    return stage


def by_jenkins(child):
    """The commands of a stage that failed, and what its `post` took for reports even so."""
    text = (child / "Jenkinsfile").read_text()
    assert "returnStatus" not in text
    stage = recorded(text)
    return Job(["sh", "-xe", "-c"], stage["commands"][:-1], "junit" in stage, stage["junit"])


@pytest.fixture(params=[by_github, by_gitlab, by_jenkins], ids=["github", "gitlab", "jenkins"])
def job(request, every_ci, tmp_path, _root_user):
    """Runs the GPU job in a copy of the child."""

    def run(make):
        child = tmp_path / "child"
        shutil.copytree(every_ci, child, symlinks=True)
        machine = make(Machine(tmp_path / "machine"))
        return request.param(every_ci).run(child, machine)

    return run


def failures(report):
    suite = ElementTree.fromstring(report)
    assert int(suite.get("failures")) == len(suite.findall(".//failure"))
    return suite.findall(".//failure")


@pytest.mark.parametrize(
    ("every_ci", "make", "status", "says"),
    [
        *((kind, without_driver, 10, "kernel driver is not loaded") for kind in EVERY_CI),
        ("service", without_gpu, 10, "no NVIDIA GPU on this machine"),
        ("library", with_an_old_driver, 14, "driver 450.80.02, promised at least"),
    ],
    indirect=["every_ci"],
)
def test_a_promised_gpu_that_does_not_work_is_red(job, make, status, says):
    ended, said, reports = job(make)
    assert ended == status, said
    assert says in said
    assert list(reports) == ["gpu-smoke-host.xml"]  # the image is not even tried
    assert len(failures(reports["gpu-smoke-host.xml"])) == 1


@pytest.mark.parametrize(
    ("every_ci", "make"),
    [("library", that_works), ("batch", that_works), ("service", with_its_own_compiler)],
    indirect=["every_ci"],
)
def test_a_gpu_that_works_is_green(job, make):
    status, said, reports = job(make)
    assert status == 0, said
    assert sorted(reports) == list(REPORTS)
    assert not any(failures(report) for report in reports.values())


def with_an_engine(old, new):
    def make(machine):
        assert old in ENGINE
        (machine.bin / "docker").write_text(ENGINE.replace(old, new))
        return that_works(machine)

    return make


@pytest.mark.parametrize("every_ci", ["library"], indirect=True)
@pytest.mark.parametrize("job", [by_github], indirect=True)
@pytest.mark.parametrize(
    ("make", "low", "high"),
    [
        # The engine hands no GPU on; it fails by itself; a command of the image says "no GPU".
        (with_an_engine("PATH=$PWD", "FAKE_CUDA='cuInit=100' PATH=$PWD"), 10, 19),
        (with_an_engine("[ -z ", "[ -z '' ] && exit 125; [ -z "), 125, 125),
        (with_an_engine("[ -z ", "[ -z '' ] && exit 77; [ -z "), 10, 10),
    ],
    ids=["no GPU", "no container", "77"],
)
def test_an_image_that_gets_no_gpu_is_red(job, make, low, high):
    status, said, reports = job(make)
    assert low <= status <= high, said
    assert not failures(reports["gpu-smoke-host.xml"])
    assert len(failures(reports["gpu-smoke-image.xml"])) == 1


@pytest.mark.parametrize("every_ci", ["library"], indirect=True)
def test_the_smoke_test_by_itself_is_never_77(every_ci, tmp_path, _root_user):
    """Where a person runs it, without ci/gpu.sh around it."""
    child = tmp_path / "child"
    shutil.copytree(every_ci, child, symlinks=True)
    make = with_an_engine("[ -z ", "[ -z '' ] && exit 77; [ -z ")
    status, said = make(Machine(tmp_path / "machine")).run(["ci/gpu-smoke.sh"], child)
    assert status == 10, said
    assert "status 77 and no report" in said


@pytest.mark.parametrize("every_ci", ["library"], indirect=True)
def test_without_a_compiler_the_images_program_is_taken(every_ci, tmp_path, _root_user):
    child = tmp_path / "child"
    shutil.copytree(every_ci, child, symlinks=True)
    machine = without_driver(Machine(tmp_path / "machine"))
    (machine.bin / "cc").unlink()
    for tool in ("sh", "cat", "chmod", "cp", "dirname", "mkdir", "rm"):
        (machine.bin / tool).symlink_to(shutil.which(tool))
    words = ["sh", "-c", f"PATH={machine.bin} exec ci/gpu-smoke.sh"]
    status, said = machine.run(words, child)
    assert status == 1, said
    assert "missing: a C compiler" in said
    shutil.copy(machine.workshop.program(), child / "smoke/gpu-smoke.image")
    status, said = machine.run(words, child)
    assert status == 10, said
    assert "kernel driver is not loaded" in said


def test_a_driver_that_only_the_image_makes_new_enough_is_held_to_that_there(tmp_path, _root_user):
    """Of a stack that relies on a forward-compatibility package; this image has none."""
    child = tmp_path / "child"
    words = ["--framework", "pytorch==2.13.0", "--cuda", "13.0", "--gpu", "A100", "--driver", "535"]
    run(TMPLGEN, "new", child, "--type", "library", *words)
    machine = that_works(Machine(tmp_path / "machine"))
    machine.root.module("535.183.01")
    machine.env["FAKE_CUDA"] = "driver=12020;cc=8.0"
    status, said = machine.run(["ci/gpu-smoke.sh"], child)
    assert status == 14, said
    assert "driver 535.183.01, promised at least 580" in said
    host, image = ((child / "reports" / name).read_text() for name in REPORTS)
    assert not failures(host)
    assert len(failures(image)) == 1
