"""Slow proofs: other compilers and processors, sanitizers, NVIDIA's own tools where they are."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .root import Runner, crafted
from .rows import PASSES, ROWS, no_gpu
from .workshop import HERE, LIBRARIES, MODULE, SOURCE, TENSOR_MODULE, TOP, WARNINGS, ptx

pytestmark = pytest.mark.full

SANITIZED = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-O1", "-g"]
ENVIRONMENT = {
    "ASAN_OPTIONS": "exitcode=99:detect_leaks=1:handle_segv=0:handle_sigbus=0:handle_abort=0",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "LSAN_OPTIONS": "exitcode=99:print_suppressions=0",
}
ARM = Path("/usr/aarch64-linux-gnu")


SMOKE_VENV = TOP / "build" / "smoke-venv"
# Where a toolkit may be: installed, or the wheels of requirements.txt.
TOOLKITS = {
    "installed": [Path("/usr/local")],
    "12": sorted(SMOKE_VENV.glob("lib/python3*/site-packages/nvidia/cuda_*")),
    "13": sorted(SMOKE_VENV.glob("lib/python3*/site-packages/nvidia/cu13")),
}


def zig():
    """The command of a zig compiler, which brings every glibc with it."""
    if shutil.which("zig"):
        return ["zig"]
    for python in (str(SMOKE_VENV / "bin" / "python"), sys.executable):
        probe = [python, "-m", "ziglang", "version"]
        with contextlib.suppress(OSError):
            if subprocess.run(probe, capture_output=True, check=False).returncode == 0:
                return probe[:-1]
    return pytest.skip("no zig here: make build/smoke-venv/made")


def toolkit_file(toolkit, *patterns):
    """The newest file of that toolkit."""
    for home in TOOLKITS[toolkit]:
        for pattern in patterns:
            found = sorted(home.glob(f"cuda*/{pattern}" if toolkit == "installed" else pattern))
            if found:
                return found[-1]
    return pytest.skip(f"no {patterns[0]} of that toolkit here")


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_ptxas_takes_the_kernels_for_every_target(toolkit, tmp_path):
    ptxas = toolkit_file(toolkit, "bin/ptxas")
    done = subprocess.run([ptxas, "--help"], capture_output=True, text=True, check=True)
    targets = sorted(set(re.findall(r"'(sm_\d+[af]?)'", done.stdout)))
    assert len(targets) > 5 and ("sm_50" in targets or toolkit != "12")
    modules = [(target, MODULE) for target in targets]
    # tensor cores are there since sm_70
    modules += [(t, TENSOR_MODULE) for t in targets if int(re.search(r"\d+", t)[0]) >= 70]
    file = tmp_path / "smoke.ptx"
    for target, names in modules:
        file.write_text(ptx(names))
        command = [ptxas, "-v", f"-arch={target}", "--warning-as-error", "-o", os.devnull, file]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{target}: {done.stderr}"
        told = done.stdout + done.stderr
        kernels = len(re.findall(r"\.entry", file.read_text()))
        assert told.count("0 bytes spill stores, 0 bytes spill loads") == kernels, told
        assert max(map(int, re.findall(r"Used (\d+) registers", told))) <= 64, told


def test_ptx_is_old_enough_for_old_drivers_and_gpus():
    assert ptx(MODULE).startswith(".version 6.0\n.target sm_50\n.address_size 64\n")
    assert ptx(TENSOR_MODULE).startswith(".version 6.0\n.target sm_70\n.address_size 64\n")


# The newest PTX of each CUDA, from the release notes of the PTX manual.
PTX_OF_CUDA = {
    "9.0": "6.0", "9.1": "6.1", "9.2": "6.2", "10.0": "6.3", "10.1": "6.4", "10.2": "6.5",
    "11.0": "7.0", "11.1": "7.1", "11.4": "7.4", "11.8": "7.8", "12.0": "8.0", "12.4": "8.4",
    "12.5": "8.5", "12.6": "8.5", "12.7": "8.6", "12.8": "8.7", "12.9": "8.8", "13.0": "9.0",
    "13.1": "9.1", "13.5": "9.5",
}  # fmt: skip


def init_says(smoke, healthy, cuda):
    """What layer init tells of a driver of that CUDA."""
    major, minor = map(int, cuda.split("."))
    report = smoke(root=healthy, script=f"driver={major * 1000 + minor * 10}")
    return next(row["detail"] for row in report.json["layers"] if row["layer"] == "init")


@pytest.mark.parametrize("cuda", PTX_OF_CUDA)
def test_the_newest_ptx_of_a_driver_is_told(cuda, smoke, healthy):
    assert re.search(rf"PTX to {re.escape(PTX_OF_CUDA[cuda])}\b", init_says(smoke, healthy, cuda))


@pytest.mark.parametrize("toolkit", ["12", "13"])
def test_the_real_compiler_takes_the_ptx_that_is_told_and_no_newer(
    toolkit, smoke, healthy, tmp_path
):
    ptxas = toolkit_file(toolkit, "bin/ptxas")
    done = subprocess.run([ptxas, "--version"], capture_output=True, text=True, check=True)
    cuda = re.search(r"release (\d+\.\d+)", done.stdout)[1]
    newest = re.search(r"PTX to (\d+\.\d+)", init_says(smoke, healthy, cuda))[1]
    major, minor = newest.split(".")
    for version, takes in ((newest, True), (f"{major}.{int(minor) + 1}", False)):
        file = tmp_path / f"{version}.ptx"
        file.write_text(f".version {version}\n.target sm_90\n.address_size 64\n")
        command = [ptxas, "-arch=sm_90", "-o", os.devnull, file]
        done = subprocess.run(command, capture_output=True, check=False)
        assert (done.returncode == 0) == takes, (cuda, version)


@pytest.mark.parametrize("target", ["sm_75", "sm_80", "sm_90", "sm_120"])
def test_what_is_compiled_uses_what_it_is_to_prove(target, tmp_path):
    """Tensor cores and fp64, as the disassembler names them."""
    ptxas, nvdisasm = toolkit_file("13", "bin/ptxas"), toolkit_file("13", "bin/nvdisasm")
    for names, kernel, wanted in (
        (TENSOR_MODULE, "smoke_tensor", "HMMA"), (MODULE, "smoke_double", "DFMA"),
        (MODULE, "smoke_gemm", "FFMA"), (MODULE, "smoke_compare", "LDG"),
    ):  # fmt: skip
        (tmp_path / "x.ptx").write_text(ptx(names))
        subprocess.run(
            [ptxas, f"-arch={target}", "-o", tmp_path / "x", tmp_path / "x.ptx"], check=True
        )
        code = subprocess.check_output([nvdisasm, tmp_path / "x"], text=True)
        code = code.split(f".text.{kernel}:")[1].split(".text.")[0]
        assert wanted in code, kernel


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_builds_against_glibc_2_17(machine, workshop):
    made = cross(machine, workshop)
    wanted = {int(n) for n in re.findall(rb"GLIBC_2\.(\d+)", made.read_bytes())}
    assert wanted and max(wanted) <= 17


def cross(machine, workshop):
    target = f"{machine}-linux-gnu.2.17"
    command = [*zig(), "cc", "-target", target, *WARNINGS, "-O2", str(SOURCE), "-ldl"]
    return workshop.make(f"gpu-smoke-{machine}", [SOURCE], command)


def test_build_for_old_glibc_runs_here(workshop, tmp_path, healthy):
    if os.uname().machine != "x86_64":
        pytest.skip("not an x86-64 machine")
    run = Runner(cross("x86_64", workshop), tmp_path)
    assert run(root=healthy).code == 0
    assert run(root=healthy, script="cuInit=803").code == 14


@pytest.fixture
def arm(workshop, tmp_path):
    """Runs the aarch64 build with a fake driver for aarch64, under qemu."""
    qemu = shutil.which("qemu-aarch64") or shutil.which("qemu-aarch64-static")
    if not qemu or not ARM.exists():
        pytest.skip("no qemu-user with an aarch64 C library here: qemu-user, libc6-arm64-cross")
    program = cross("aarch64", workshop)
    sources = [str(HERE / "fake" / name) for name in LIBRARIES["cuda"][0]]
    command = [*zig(), "cc", "-target", "aarch64-linux-gnu.2.17", "-shared", "-fPIC", "-O2"]
    library = workshop.make("cuda-aarch64", sources, [*command, *sources, "-lm", "-ldl"])
    folder = tmp_path / "lib"
    folder.mkdir()
    (folder / "libcuda.so.1").symlink_to(library)

    def run(script=""):
        words = [qemu, "-L", str(ARM), "-E", f"LD_LIBRARY_PATH={folder}"]
        words += ["-E", f"FAKE_CUDA={script}", str(program), "--json", "--timeout", "20"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.parametrize(
    "script,code",
    [("", 0), ("cuInit=803", 14), ("lazy=smoke_gemm", 16), ("cuInit=segv", 14),
     ("ptx=5.0", 15), ("cuInit=100", 77)],
)  # fmt: skip
def test_works_on_aarch64(script, code, arm):
    done = arm(script)
    assert done[0] == code, done[1]


@pytest.fixture(scope="module")
def sanitized(workshop):
    return workshop.program("cc", *SANITIZED)


@pytest.fixture
def checked(sanitized, tmp_path, monkeypatch):
    for name, value in ENVIRONMENT.items():
        monkeypatch.setenv(name, value)
    return Runner(sanitized, tmp_path)


@pytest.mark.turns(60)
@pytest.mark.parametrize("row", [*ROWS, *PASSES], ids=lambda row: row.name)
def test_row_is_clean_under_sanitizers(row, root, checked):
    row.make(root.healthy_container() if row.container else root.healthy())
    args = getattr(row, "args", ())
    report = checked(*args, root=root, script=row.script, nvml=row.nvml)
    assert "Sanitizer" not in report.err and "runtime error" not in report.err, report.err
    assert report.code == getattr(row, "exit", 0), report.err


BROKEN = [
    "columns=0,7", "corrupt=product;one_in=100;which=99", "stale=smoke_gemm", "corrupt=once",
    "corrupt=fold", "corrupt=within", "lazy=smoke_compare", "cuLaunchKernel=nothing",
    "cuMemAlloc_v2@9=2", "cuMemAllocHost_v2@2=2", "cuMemcpyDtoH_v2@141=nothing",
    "count=2;corrupt=direct", "count=2;corrupt=peer-zero", "count=2;cuMemcpyPeer@3=719",
    "cuModuleUnload=999", "count=2;cuDevicePrimaryCtxRelease_v2=999",
]  # fmt: skip


@pytest.mark.parametrize("script", BROKEN)
def test_broken_gpu_is_caught_under_sanitizers(script, healthy, checked):
    report = checked(root=healthy, script=script)
    assert "Sanitizer" not in report.err and "runtime error" not in report.err, report.err
    assert 10 <= report.code <= 19, report.out


@pytest.mark.parametrize("args", [("--level", "medium"), ("--share", "3")])
def test_deeper_levels_and_shares_are_clean_under_sanitizers(args, healthy, checked):
    report = checked("--timeout", "110", *args, root=healthy, timeout=120)
    assert "Sanitizer" not in report.err and "runtime error" not in report.err, report.err
    assert report.code == 0, report.out


def test_explaining_is_clean_under_sanitizers(workshop, tmp_path, checked):
    checked.program = workshop.shipped(*SANITIZED)
    for text in ("803", "Xid 79", "", "x" * 5000, "libcuda" * 300, "\xff\xfe", "*|*|*"):
        report = checked("--explain", text)
        assert "Sanitizer" not in report.err and report.code in (0, 1), report.err


@pytest.mark.turns(4)
@pytest.mark.parametrize("change", [
    ("add.s64 %d8, %d1, %d7", "add.s64 %d8, %d1, %d3"),
    ("add.f32 %f3, %f1, %f2", "add.f32 %f3, %f1, %f1"),
    ("setp.lt.u32 %p1, %r20, 16", "setp.lt.u32 %p1, %r20, 15"),
    ("add.s32 %r22, %r22, 64", "add.s32 %r22, %r22, 60"),
    ("add.s32 %r9, %r9, %r11", "add.s32 %r9, %r9, 16"),
    ("mad.lo.s32 %r7, %r5, 16, %r3", "mad.lo.s32 %r7, %r4, 16, %r3"),
    ("add.s64 %d3, %d3, %d5", "add.s64 %d3, %d3, 1"),
    ("setp.ge.u32 %p1, %r5, %r1", "setp.ge.u32 %p1, %r5, 60000"),
    ("setp.eq.u32 %p2, %r6, %r7", "setp.eq.u32 %p2, %r6, %r6"),
    ("[%d4+16], %d12", "[%d4+16], %d5"),
])  # fmt: skip
def test_kernel_with_a_mistake_in_it_is_seen(change, workshop, healthy, tmp_path):
    """What proves the kernels without a GPU is not blind: each of these must not pass."""
    wrong = tmp_path / "wrong.c"
    text = SOURCE.read_text()
    assert text.count(change[0]) >= 1
    wrong.write_text(text.replace(change[0], change[1], 1))
    made = workshop.make("wrong", [wrong], ["cc", str(wrong), "-ldl"])
    report = Runner(made, tmp_path)("--timeout", "40", root=healthy, script="interpret=1")
    assert report.cause in {"wrong-result", "kernel-fault", "vendor-hang"}


CODES = [3, 100, 101, 304, 802, 803, 804, 805, 999]


@pytest.mark.parametrize("toolkit", TOOLKITS)
@pytest.mark.parametrize("code", CODES)
def test_fake_driver_is_one_for_the_real_runtime(code, toolkit, workshop, tmp_path):
    """The real libcudart hands on what the fake says: the fake is a faithful double."""
    assert ask_runtime(toolkit, workshop, tmp_path, "cuda", f"cuInit={code}") == code


@pytest.mark.parametrize("toolkit", TOOLKITS)
def test_old_driver_is_35_for_the_real_runtime(toolkit, workshop, tmp_path, explainer):
    assert ask_runtime(toolkit, workshop, tmp_path, "cuda", "driver=11040") == 35
    assert explainer("--explain", "35").json["causes"][0]["cause"] == "driver-too-old"


@pytest.mark.parametrize("toolkit", TOOLKITS)
@pytest.mark.parametrize("kind", ["zero", "text", "cuda+class32", "cuda+aarch64", "cuda-undefined",
                                  "cuda-needs", "nothing"])  # fmt: skip
def test_one_code_of_the_runtime_hides_what_we_tell_apart(
    kind, toolkit, workshop, tmp_path, root, smoke
):
    assert ask_runtime(toolkit, workshop, tmp_path, kind, "") == 35
    root.healthy().no_driver_library()
    if kind != "nothing":
        root.library("/usr/lib/x86_64-linux-gnu/libcuda.so.1", kind)
    report = smoke(root=root)
    assert report.code == 13
    row = re.search(r"^35 .*", (TOP / "src/smoke/codes.txt").read_text(), re.M)[0]
    assert report.cause in row.split(), "the table has more than the three that are shown"


def ask_runtime(toolkit, workshop, tmp_path, kind, script):
    """The code of cudaGetDeviceCount of a real libcudart, with that libcuda.so.1.

    Never 0: behind cuInit the runtime asks the driver to prove itself by what only NVIDIA's knows.
    """
    runtime = toolkit_file(toolkit, "lib64/libcudart.so.*", "lib/libcudart.so.*")
    source = HERE / "fake" / "runtime.c"
    program = workshop.make("runtime", [source], ["cc", str(source), "-ldl"])
    folder = tmp_path / "lib"
    folder.mkdir()
    if kind != "nothing":
        (folder / "libcuda.so.1").write_bytes(crafted(workshop, kind))
    env = {"LD_LIBRARY_PATH": str(folder), "FAKE_CUDA": script}
    done = subprocess.run(
        [program, runtime], env=env, capture_output=True, text=True, check=False, timeout=60
    )
    return int(done.stdout)


def test_no_gpu_under_sanitizers(root, checked):
    no_gpu(root.healthy())
    report = checked(root=root, script="cuInit=100")
    assert (report.code, report.cause) == (77, "no-gpu") and "Sanitizer" not in report.err
