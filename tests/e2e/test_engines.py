"""What the scripts of ci/ ask of docker and podman, by engines that only write it down."""

import os
from pathlib import Path

import pytest

from .support import TMPLGEN, run

DRIVER = [Path("/proc/driver/nvidia/version"), Path("/dev/dxg"), Path("/dev/nvhost-gpu")]
HAS_DRIVER = any(path.exists() for path in DRIVER)


@pytest.fixture(params=["docker", "podman"])
def engine(request, tmp_path):
    """The variables for an engine that writes its arguments down, and where; it fails for a GPU."""
    said = tmp_path / "said"
    program = tmp_path / "bin" / request.param
    program.parent.mkdir()
    lines = ["#!/bin/sh", f'echo "$@" >>{said}', 'case "$*" in *gpu*) exit 125 ;; esac']
    program.write_text("\n".join([*lines, ""]))
    program.chmod(0o755)
    return {"ENGINE": str(program)}, said


@pytest.fixture(params=["library", "batch", "service"])
def child(request, tmp_path):
    words = ["--type", request.param, "--framework", "none", "--name", "it"]
    run(TMPLGEN, "new", tmp_path / "it", *words)
    return tmp_path / "it"


def test_a_machine_without_a_driver_is_told_by_status_77_before_a_container_is(child, engine):
    """Where a person asks; an engine without the driver's tools fails with its own status, 125."""
    variables, said = engine
    words = ["ci/run-image.sh", "--gpu", "it", "true"]
    told = run(*words, cwd=child, status=125 if HAS_DRIVER else 77, **variables)
    assert said.exists() == HAS_DRIVER
    assert HAS_DRIVER or told == "no NVIDIA driver is loaded on this machine\n"


@pytest.mark.parametrize("child", ["batch"], indirect=True)
@pytest.mark.parametrize("user", [0, 1000])
def test_a_run_writes_as_the_user_who_started_it(child, engine, user):
    variables, said = engine
    program = Path(variables["ENGINE"]).parent / "id"
    program.write_text(f"#!/bin/sh\necho {user}\n")
    program.chmod(0o755)
    path = f"{program.parent}:{os.environ['PATH']}"
    run("ci/run.sh", "train", cwd=child, DEVICE="cpu", PATH=path, **variables)
    words = said.read_text().split()
    assert words[words.index("--user") + 1] == f"{user}:{user}"
    assert words[-2:] == ["it:latest", "train"]
    podman = variables["ENGINE"].endswith("podman")
    # Only podman maps users, and it refuses to for root.
    assert ("--userns=keep-id" in words) == (podman and user != 0)
    assert ("label=disable" in words) == podman
