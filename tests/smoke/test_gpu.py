"""On a real GPU: all layers, right results, the framework agrees, provoked failures are named.

Skipped, and counted, where there is no GPU. One command proves it all:

    build/venv/bin/python -m pytest tests/smoke/test_gpu.py -rs

KEEP=FOLDER keeps reports and captures there: what belongs into tests/smoke/captured/. REQUIRE_GPU=1
fails instead of skipping. Only `cc`, Python with pytest, and the driver are needed; jsonschema,
tmplgen, compute-sanitizer and PyTorch are used where they are. On a machine without pytest:

    PYTHONPATH=$(echo build/venv/lib/python3*/site-packages) python3 -m pytest ...
"""

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from .root import Report
from .workshop import SOURCE, TOP, WARNINGS, only_one

BINARY = Path(os.environ.get("TMPLGEN", TOP / "build" / "tmplgen")).resolve()
CAPTURED = Path(__file__).resolve().parent / "captured"
KEEP = os.environ.get("KEEP")
BANDWIDTH_TOLERANCE = 0.10


def has_gpu():
    return any(Path("/dev").glob("nvidia[0-9]*")) or Path("/dev/dxg").exists()


needs_gpu = pytest.mark.skipif(
    not has_gpu() and not os.environ.get("REQUIRE_GPU"), reason="no GPU on this machine"
)


@pytest.fixture(scope="module", autouse=True)
def alone(workshop):
    """Several workers of one run must not test, fill and time the same GPU at once."""
    with only_one(workshop.folder / "gpu"):
        yield


def has_tmplgen():
    """It is here, and the libraries that it needs are."""
    return BINARY.exists() and run(BINARY, "version").code == 0


def keep(name, text):
    if KEEP:
        Path(KEEP).mkdir(parents=True, exist_ok=True)
        (Path(KEEP) / name).write_text(text)


def run(program, *args, env=None, timeout=300):
    """In this machine's own environment: what is to be proven is that this machine works."""
    done = subprocess.run(
        [str(program), *map(str, args)],
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    return Report(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="module")
def quick(program):
    report = run(program, "--json", "--require-gpu")
    keep("quick.json", report.out)
    keep("quick.txt", run(program, "--redact").out)
    return report


def total_memory(report):
    return report.json["gpus"][0]["memory_bytes"]


@needs_gpu
def test_all_layers_work(quick):
    assert quick.code == 0, quick.out
    states = quick.states
    assert set(states.values()) <= {"ok", "warning", "not-applicable"}
    for layer in ("libcuda", "init", "jit", "exec", "bandwidth"):
        assert states[layer] == "ok"
    assert all(gpu["proven"] and gpu["checksum"] for gpu in quick.json["gpus"])


@needs_gpu
def test_quick_measures_copies_alone(quick):
    """What small products say of speed is nothing; a link that carries too little is a warning."""
    for gpu in quick.json["gpus"]:
        assert (gpu["gflops"], gpu["gflops_fp64"], gpu["gflops_fp16"]) == (None, None, None)
        assert gpu["to_gpu_gb_s"] > 0.5 and gpu["from_gpu_gb_s"] > 0.5
    assert not [warning for warning in quick.json["warnings"] if "the host; PCIe" in str(warning)]


@needs_gpu
def test_gpus_reach_each_other(quick):
    """Both ways, through the host, directly where they can, and by a kernel."""
    if len(quick.json["gpus"]) < 2:
        pytest.skip("one GPU here")
    detail = {row["layer"]: row["detail"] for row in quick.json["layers"]}["bandwidth"]
    assert re.search(r"\d+ of \d+ others direct", detail)


@needs_gpu
def test_results_are_those_of_the_fake(quick, root, smoke):
    """The product's checksum is the same on every GPU, and in the interpreter of the PTX."""
    fake = smoke(root=root.healthy(), script="interpret=1").json["gpus"][0]["checksum"]
    assert {gpu["checksum"] for gpu in quick.json["gpus"]} == {fake}


@needs_gpu
def test_quick_takes_less_than_a_second(program, quick):
    """After the driver's start: what cuInit and a context take by themselves is measured beside."""
    start = time.monotonic()
    assert run(program, "--json").code == 0
    whole = time.monotonic() - start
    start = time.monotonic()
    idle = run(program, "--json", env={"CUDA_DISABLE_PTX_JIT": "1"})
    driver = time.monotonic() - start
    keep("seconds.json", json.dumps({"quick": whole, "until the first PTX": driver}))
    assert idle.code == 15 and whole - driver < 1, (whole, driver)


@pytest.fixture(scope="module")
def copier(workshop):
    source = Path(__file__).resolve().parent / "fake" / "copy_speed.c"
    return workshop.make("copy-speed", [source], ["cc", "-O2", str(source), "-ldl"])


@needs_gpu
def test_bandwidth_is_that_of_a_plain_copy(quick, copier):
    """Within 10 % of a program that does nothing else: the better of three runs of each."""
    plain = max(float(run(copier).out) for _ in range(3))
    ours = quick.json["gpus"][0]["bandwidth_gb_s"]
    keep("bandwidth.json", json.dumps({"plain": plain, "gpu-smoke": ours}))
    assert abs(ours - plain) <= BANDWIDTH_TOLERANCE * plain


@needs_gpu
@pytest.mark.parametrize("level", ["medium"])
def test_deeper_level_works(level, program):
    report = run(program, "--json", "--level", level)
    keep(f"{level}.json", report.out)
    assert report.code == 0, report.out
    for gpu in report.json["gpus"]:
        volta = int(gpu["compute_capability"].split(".")[0]) >= 7
        assert gpu["gflops"] > 0 and gpu["gflops_fp64"] > 0
        assert (gpu["gflops_fp16"] or 0) > 0 if volta else gpu["gflops_fp16"] is None


@needs_gpu
def test_four_share_the_gpu(program):
    report = run(program, "--json", "--share", "4")
    keep("share-4.json", report.out)
    share = report.json["share"]
    assert report.code == 0 and len(share["gflops"]) == 4
    assert all(value and value > 0 for value in share["gflops"]) and share["evenness"] > 0


@needs_gpu
def test_compute_sanitizer_finds_nothing(program):
    tool = shutil.which("compute-sanitizer")
    found = sorted(Path("/usr/local").glob("cuda*/bin/compute-sanitizer"))
    if not tool and not found:
        pytest.skip("no compute-sanitizer here")
    report = run(tool or found[-1], "--target-processes", "all", "--error-exitcode", "99",
                 program, "--timeout", "280")  # fmt: skip
    keep("compute-sanitizer.txt", report.out + report.err)
    assert report.code == 0 and "0 errors" in report.out, report.out


@needs_gpu
def test_framework_agrees(quick):
    code = (
        "import json, torch; print(json.dumps([torch.cuda.is_available(), "
        "torch.cuda.device_count(), ['%d.%d' % torch.cuda.get_device_capability(i) "
        "for i in range(torch.cuda.device_count())]]))"
    )
    done = run(os.environ.get("TORCH_PYTHON", sys.executable), "-c", code)
    if "No module named" in done.err:
        pytest.skip("no PyTorch here: TORCH_PYTHON names a Python that has it")
    gpus = quick.json["gpus"]
    assert json.loads(done.out) == [True, len(gpus), [gpu["compute_capability"] for gpu in gpus]]


# ------------------------------------------------------------------ provoked failures


def provoked(program, name, *args, env=None):
    report = run(program, "--json", *args, env=env)
    keep(f"{name}.json", report.out)
    if KEEP and has_tmplgen():
        file = Path(KEEP) / f"{name}.tar.gz"
        run(BINARY, "doctor", "--redact", "--capture", file, *args, env=env)
    return report


@needs_gpu
@pytest.mark.parametrize("value", ["", "-1", "GPU-00000000-0000-0000-0000-000000000000"])
def test_hidden_gpus_are_named(value, program):
    report = provoked(program, f"hidden-{value[:4]}", env={"CUDA_VISIBLE_DEVICES": value})
    assert (report.code, report.cause) == (14, "env-hides-gpus")


@needs_gpu
def test_stub_in_front_is_named(program, workshop, tmp_path):
    stubs = tmp_path / "stubs"
    stubs.mkdir()
    shutil.copy(workshop.library("cuda-stub"), stubs / "libcuda.so.1")
    path = f"{stubs}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    report = provoked(program, "stub", env={"LD_LIBRARY_PATH": path})
    assert (report.code, report.cause) == (13, "stub-library")
    assert str(stubs) in report.evidence


@needs_gpu
@pytest.mark.parametrize(
    "kind,cause", [("zero", "empty-file"), ("text", "not-elf"), ("directory", "is-directory")]
)
def test_bad_library_in_front_is_named(kind, cause, program, tmp_path):
    at = tmp_path / "libcuda.so.1"
    if kind == "directory":
        at.mkdir()
    else:
        at.write_text("" if kind == "zero" else "no library\n")
    path = f"{tmp_path}:{os.environ.get('LD_LIBRARY_PATH', '')}"
    report = provoked(program, f"library-{kind}", env={"LD_LIBRARY_PATH": path})
    assert (report.code, report.cause) == (13, cause)


@needs_gpu
def test_disabled_compiler_is_named(program):
    report = provoked(program, "jit-disabled", env={"CUDA_DISABLE_PTX_JIT": "1"})
    assert (report.code, report.cause) == (15, "jit-disabled")


def changed(workshop, name, old, new):
    """gpu-smoke with another text in it."""
    text = SOURCE.read_text()
    assert text.count(old) == 1
    source = workshop.folder / f"{name}.c"
    source.write_text(text.replace(old, new))
    return workshop.make(name, [source], ["cc", *WARNINGS, "-O1", str(source), "-ldl"])


# A kernel with a mistake: at what level it runs, and the words that name what it spoils.
MISTAKES = {
    "add": ("add.f32 %f3, %f1, %f2", "add.f32 %f3, %f1, %f1", "quick", "vector add"),
    "product": ("setp.lt.u32 %p1, %r20, 16", "setp.lt.u32 %p1, %r20, 15", "quick", "matrix"),
    "memory": ("st.global.u32 [%d8], %r6", "st.global.u32 [%d8], %r1", "quick", "memory"),
    "check": (
        "atom.global.add.u64 %d10, [%d9], 1",
        "atom.global.add.u64 %d10, [%d9], 0",
        "quick",
        "one wrong word planted",
    ),
    "compare": (
        "atom.global.add.u64 %d11, [%d4], 1",
        "atom.global.add.u64 %d11, [%d4], 0",
        "quick",
        "smoke_compare finds 0",
    ),
    "look": (
        "atom.global.add.u64 %d11, [%d4+16], %d12",
        "atom.global.add.u64 %d11, [%d4+16], 0",
        "quick",
        "smoke_compare looked at 0",
    ),
    "double": ("fma.rn.f64 %e1, %e2, %e3, %e1", "fma.rn.f64 %e1, %e2, %e2, %e1", "medium", "fp64"),
    "tensor": ("add.s64 %d1, %d1, 32;", "add.s64 %d1, %d1, 0;", "medium", "tensor-core"),
}


PTX_HEAD = ".version 6.0\\n.target sm_50"


@pytest.mark.parametrize("old", [PTX_HEAD, *(row[0] for row in MISTAKES.values())])
def test_mistakes_are_in_kernels_that_are_there(old):
    assert SOURCE.read_text().count(old) == 1


@needs_gpu
@pytest.mark.parametrize("name", MISTAKES)
def test_kernel_with_a_mistake_is_seen(name, quick, workshop):
    """On a GPU that works: what is to find a broken one is not blind."""
    old, new, level, words = MISTAKES[name]
    if name == "tensor" and float(quick.json["gpus"][0]["compute_capability"]) < 7:
        pytest.skip("no tensor cores before Volta")
    report = provoked(changed(workshop, f"mistake-{name}", old, new), f"mistake-{name}",
                      "--level", level)  # fmt: skip
    assert (report.code, report.cause) == (16, "wrong-result"), report.out
    assert words in report.evidence


@needs_gpu
def test_too_new_ptx_is_named(workshop):
    program = changed(workshop, "ptx-99", PTX_HEAD, PTX_HEAD.replace("6.0", "99.0"))
    report = provoked(program, "ptx-too-new")
    assert (report.code, report.cause) == (15, "ptx-too-new")


@needs_gpu
def test_ptx_for_a_newer_gpu_is_named(workshop):
    program = changed(workshop, "ptx-target", PTX_HEAD, ".version 8.8\\n.target sm_121")
    report = provoked(program, "ptx-target")
    assert report.code == 15 and report.cause in {"ptx-target-too-new", "ptx-too-new", "bad-image"}


@needs_gpu
def test_exhausted_memory_is_named(program, quick, workshop):
    """Another process holds nearly all of it."""
    source = Path(__file__).resolve().parent / "fake" / "hold_memory.c"
    holder = workshop.make("hold-memory", [source], ["cc", "-O1", str(source), "-ldl"])
    with subprocess.Popen([holder], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as held:
        assert held.stdout.readline().startswith(b"held")
        report = provoked(program, "memory")
        held.stdin.close()
    # NVML names the holder, but in a container that has its own numbers of processes.
    assert (report.code, report.cause) in {(16, "memory-of-others"), (16, "out-of-memory")}


@needs_gpu
def test_killed_child_is_named(program):
    """A process that dies in the middle of its work: killed as soon as it works on the GPU."""
    with subprocess.Popen(
        [str(program), "--json", "--level", "medium"], stdout=subprocess.PIPE, text=True
    ) as test:
        child, deadline = None, time.monotonic() + 60
        while child is None and time.monotonic() < deadline:
            path = Path(f"/proc/{test.pid}/task/{test.pid}/children")
            words = path.read_text().split() if path.exists() else []
            child = int(words[0]) if words else None
        time.sleep(1.5)
        os.kill(child, 9)
        out = test.communicate()[0]
    report = Report(test.returncode, out, "")
    keep("killed.json", out)
    assert report.cause == "vendor-crash" and "signal 9" in report.evidence


@needs_gpu
def test_hang_is_named(program, quick):
    report = run(program, "--json", "--level", "long", "--timeout", "2")
    keep("hang.json", report.out)
    assert report.cause == "vendor-hang" and report.code in {14, 16}


# ------------------------------------------------------------------ captures

needs_tmplgen = pytest.mark.skipif(
    not has_tmplgen(), reason=f"no {BINARY}, or not what it needs: make"
)


@needs_gpu
@needs_tmplgen
def test_capture_of_this_gpu_is_diagnosed_like_it(tmp_path):
    folder = Path(KEEP) if KEEP else tmp_path
    folder.mkdir(parents=True, exist_ok=True)
    first = run(BINARY, "doctor", "--redact", "--json", "--capture", folder / "healthy.tar.gz")
    keep("healthy.json", first.out)
    again = run(BINARY, "doctor", "--redact", "--json", "--root", folder / "healthy.tar.gz")
    assert (first.code, first.json) == (again.code, again.json)
    assert first.json["matrix"]["runs"] > 0
    whole = gzip.decompress((folder / "healthy.tar.gz").read_bytes())
    assert not re.search(rb"GPU-[0-9a-f]{8}-", whole)


@needs_tmplgen
@pytest.mark.parametrize("file", sorted(CAPTURED.glob("*.tar.gz")), ids=lambda file: file.name)
def test_kept_capture_still_has_its_report(file):
    """Captures of real machines, with what gpu-smoke said there: NAME.tar.gz beside NAME.json."""
    there = json.loads((CAPTURED / f"{file.name.split('.')[0]}.json").read_text())
    report = run(BINARY, "doctor", "--redact", "--json", "--root", file)
    assert (report.code, report.json["finding"]) == (there["exit"], there["finding"])
    assert report.states == {row["layer"]: row["state"] for row in there["layers"]}


@needs_tmplgen
def test_what_real_machines_are_said_to_share():
    """Nothing, though both have what configures MIG: once it was said to be in force."""
    for name in ("h100-healthy", "h200-healthy"):
        report = run(BINARY, "doctor", "--json", "--root", CAPTURED / f"{name}.tar.gz")
        detail = {row["layer"]: row["detail"] for row in report.json["layers"]}["sharing"]
        assert detail == "in force: none"
