"""Every name that CUDA and its libraries give to a failure is explained as one of theirs."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from .test_full import SMOKE_VENV

LISTED = [
    name if library in ("nvJitLink", "nccl") else f"{library}_{name}"
    for line in (Path(__file__).parent / "status_names.txt").read_text().splitlines()
    if not line.startswith("#")
    for library, names in [line.split(": ")]
    for name in names.split()
]
# Where numbers of the runtime's own begin, and what is no failure.
NOT_A_FAILURE = {"cudaErrorApiFailureBase"}


def explained(program, name):
    command = [program, "--json", "--explain", f"call failed: {name}"]
    return json.loads(subprocess.check_output(command))["causes"]


@pytest.mark.parametrize("name", LISTED)
def test_what_a_library_prints_is_explained(name, program):
    (first, *_) = explained(program, name)
    assert first["cause"], name


@pytest.mark.parametrize("library", ["CUBLAS", "CUDNN", "CUFFT", "CUSOLVER"])
def test_success_is_no_failure(library, program):
    name = "CUFFT_SUCCESS" if library == "CUFFT" else f"{library}_STATUS_SUCCESS"
    assert explained(program, name) == []


@pytest.mark.full
@pytest.mark.parametrize("header", ["cuda.h", "driver_types.h"])
@pytest.mark.parametrize("toolkit", ["cuda_runtime", "cu13"])
def test_each_name_of_the_headers_is_explained(header, toolkit, program):
    paths = sorted(SMOKE_VENV.glob(f"lib/python3*/site-packages/nvidia/{toolkit}/include/{header}"))
    if not paths:
        pytest.skip(f"no {header} of {toolkit} here: make build/smoke-venv/made")
    text = paths[-1].read_text(errors="replace")
    names = set(re.findall(r"\b(CUDA_ERROR_\w+|cudaError[A-Z]\w+)\s*=\s*\d+", text)) - NOT_A_FAILURE
    assert len(names) > 60
    assert [name for name in sorted(names) if not explained(program, name)] == []
