"""Every status name of CUDA and its libraries is explained as what it is: those of real headers,
and of status-names.txt where a header comes in a wheel of hundreds of megabytes."""

import concurrent.futures
import json
import re
import subprocess
from pathlib import Path

import pytest

from .test_full import SMOKE_VENV
from .workshop import TOP

pytestmark = pytest.mark.full

HEADERS = {
    "cuda": ("cuda.h", r"\b(CUDA_ERROR_\w+)\s*=\s*(\d+)"),
    "runtime": ("driver_types.h", r"\b(cudaError[A-Z]\w+)\s*=\s*(\d+)"),
    "nvml": ("nvml.h", r"\b(NVML_ERROR_\w+)\s*=\s*(\d+)"),
    "nvvm": ("nvvm.h", r"\b(NVVM_ERROR_\w+)()\s*="),
}
# Which causes fit a name: the first pattern that is in it.
FITTING = [
    (r"ARCH_MISMATCH", "library-lacks-gpu nvjitlink-failed"),
    (r"INCOMPATIBLE_CUDA_DRIVER", "driver-too-old"),
    (r"CUDNN_.*(VERSION|LIBRARY_|PREREQUISITE|INCOMPATIBLE_CUDART)", "cudnn-major"),
    (r"CUDNN_.*COMPILATION", "nvrtc-compile"),
    (r"CUDNN_.*(ALLOC|NOT_INITIALIZED)", "cudnn-start"),
    (r"CUDNN_", "cudnn-status"),
    (r"CUBLAS_.*(ALLOC|NOT_INITIALIZED)", "cublas-start"),
    (r"CUBLAS_", "cublas-status"),
    (r"CUFFT_MISSING_DEPENDENCY", "toolkit-missing"),
    (r"CUFFT_", "cufft-status"),
    (r"(CUSOLVER|CUSPARSE|CURAND)_STATUS_ALLOC", "out-of-memory"),
    (r"(CUSOLVER|CUSPARSE)_", "cusolver-status"),
    (r"CURAND_STATUS_VERSION_MISMATCH", "library-mixed"),
    (r"CURAND_", "curand-status"),
    (r"NVRTC_ERROR_INVALID_OPTION", "nvrtc-target"),
    (r"NVRTC_ERROR_BUILTIN", "nvrtc-builtins"),
    (r"NVRTC_", "nvrtc-compile"),
    (r"NVJITLINK_ERROR_OUTDATED", "nvjitlink-mismatch"),
    (r"NVJITLINK_", "nvjitlink-failed"),
    (r"NVVM_", "nvvm-missing nvvm-compile"),
    (r"NPP_", "npp-status"),
    (r"nccl(Unhandled|System|Internal|InProgress)", "nccl-error"),
    (r"ncclInvalid", "nccl-usage"),
    (r"ncclRemote", "nccl-remote"),
    (r"ncclTimeout", "nccl-timeout"),
]
CODES = TOP / "src/smoke/codes.txt"
LISTED = Path(__file__).parent / "status-names.txt"


def listed():
    """{library: names}"""
    names = {}
    for line in LISTED.read_text().splitlines():
        if line.startswith("== "):
            library = names.setdefault(line.split()[1], [])
        elif line and not line.startswith("#"):
            library.append(line)
    return names


def headed(library):
    """[(name, number)] of a header; a later one may say it in other words."""
    file, pattern = HEADERS[library]
    found = sorted(SMOKE_VENV.glob(f"lib/python3*/site-packages/nvidia/cu13/**/{file}"))
    if not found:
        pytest.skip(f"no {file} here: make build/smoke-venv/made")
    text = re.sub(r"/\*.*?\*/", "", found[-1].read_text(), flags=re.DOTALL)
    return re.findall(pattern, text)


@pytest.fixture
def causes_of(shipped):
    """{name: causes that are told of it}"""

    def of(name):
        done = subprocess.check_output([shipped, "--json", "--explain", name])
        return json.loads(done)["causes"]

    def run(names):
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return dict(zip(names, pool.map(of, names), strict=True))

    return run


def coded():
    """{name: causes that its number may have}, of the tables."""
    rows = re.findall(r'(?m)^\d+ (\S+) (\S+) "[^"]+" (.+)', CODES.read_text())
    return {name: causes.split() for *names, causes in rows for name in names}


@pytest.mark.parametrize("library", ["cuda", "runtime", "nvml"])
def test_names_of_headers_are_known_by_their_number(library, causes_of):
    numbers = {name: int(number) for name, number in headed(library)}
    assert len(numbers) > 25
    rows = coded()

    def is_known(name, cause):
        number = (cause["code"] or {}).get("number")
        return number == numbers[name] or (number is None and cause["cause"] in rows[name])

    told = causes_of(list(numbers))
    assert not {n: c for n, c in told.items() if not c or not is_known(n, c[0])}


def unfitting(told):
    def fits(name, causes):
        for pattern, fitting in FITTING:
            if re.search(pattern, name):
                return bool(causes) and causes[0]["cause"] in fitting.split()
        return False

    return {name: [c["cause"] for c in causes] for name, causes in told.items()
            if not fits(name, causes)}  # fmt: skip


@pytest.mark.parametrize("library", sorted(listed()))
def test_names_of_libraries_have_a_fitting_cause(library, causes_of):
    assert not unfitting(causes_of(listed()[library]))


def test_names_of_libnvvm_have_a_fitting_cause(causes_of):
    assert not unfitting(causes_of([name for name, _ in headed("nvvm")]))


def test_no_name_is_in_the_tables_that_no_header_has():
    names = {name for library in HEADERS for name, _ in headed(library)}
    names |= {name for library in listed().values() for name in library}
    assert set(coded()) - {"-"} <= names
    causes = (TOP / "src/smoke/causes.txt").read_text()
    prefixes = "CUDA_ERROR_|cudaError[A-Z]|NVML_ERROR_|NVVM_ERROR_|CUDNN_STATUS_|CUBLAS_STATUS_"
    prefixes += "|CUFFT_|CUSOLVER_STATUS_|CUSPARSE_STATUS_|CURAND_STATUS_|NVRTC_ERROR_|NVJITLINK_"
    words = set(re.findall(rf"\b((?:{prefixes})\w*)", causes))
    assert len(words) > 80
    # a text may be what several names begin with
    assert not {w for w in words if not any(name.startswith(w) for name in names)}


def test_every_xid_that_was_published_is_known(shipped):
    """NVIDIA's catalog counts from 1 to 172."""
    for number in range(1, 173):
        line = f"NVRM: Xid (PCI:0000:3b:00): {number}, pid=1, name=python3"
        done = subprocess.check_output([shipped, "--json", "--explain", line])
        causes = json.loads(done)["causes"]
        assert causes and causes[0]["code"]["number"] == number, number


def test_what_gpu_smoke_says_of_a_cause_is_explained_as_it(shipped):
    """People paste its own report."""
    told = re.split(r"(?m)^(?=\S)", (TOP / "src/smoke/causes.txt").read_text())
    for name, *words in (cause.splitlines() for cause in told if cause and cause[0] not in "#=\n"):
        keys = dict(word.split(None, 1) for word in words if word.strip())
        report = f"what  {keys['what']}\nwhy   {keys['why']}\ndo    {keys['fix']}\n"
        done = subprocess.check_output([shipped, "--json", "--explain", report])
        causes = json.loads(done)["causes"]
        assert causes and causes[0]["cause"] == name, (name, causes)
