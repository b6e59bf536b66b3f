"""Builds gpu-smoke and the fake vendor libraries, once for all workers of a run."""

import ast
import contextlib
import fcntl
import hashlib
import os
import re
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
SOURCE = TOP / "templates/_layers/gpu-smoke/files/smoke/gpu_smoke.c"
SHIPPED_SOURCES = [TOP / "src/smoke/explain_texts.c", SOURCE, TOP / "build/smoke/explain_tables.h"]
# A fake GPU multiplies on this processor, and on no other one.
FAST = ["-O3", "-march=native"]
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic"]

# Each library that tests put into a root or on a path: its source, and what the build adds.
LIBRARIES = {
    "cuda": (["fake_cuda.c", "ptx.c"], ["-Wl,-soname,libcuda.so.1", "-ldl", "-lm"]),
    "cuda-stub": (["fake_cuda.c", "ptx.c"], ["-DSTUB", "-w", "-ldl", "-lm"]),
    "cuda-no-init": (["fake_cuda.c", "ptx.c"], ["-DcuInit=cuNothing", "-ldl", "-lm"]),
    "cuda-old": (
        ["fake_cuda.c", "ptx.c"],
        [
            "-DcuDeviceGetUuid_v2=cuNothing1",
            "-DcuDevicePrimaryCtxRelease_v2=cuDevicePrimaryCtxRelease",
            "-DcuEventDestroy_v2=cuEventDestroy",
            "-DcuGetErrorString=cuNothing2",
            "-DWITHOUT_PEERS",
            "-ldl",
            "-lm",
        ],
    ),
    "cuda-compat": (["fake_cuda.c", "ptx.c", "compat_note.S"], ["-ldl", "-lm"]),
    "cuda-undefined": (["fake_undefined.c"], []),
    "cuda-needs": (["fake_empty.c"], ["-Wl,--no-as-needed", "-L.", "-l:libgone.so"]),
    "nvml": (["fake_nvml.c"], ["-Wl,-soname,libnvidia-ml.so.1"]),
    "nvml-old": (["fake_nvml.c"], ["-DOLD"]),
    "empty": (["fake_empty.c"], []),
}


# What the smoke test loads as one module, and where there are tensor cores as another.
MODULE = ["ptx_head", "ptx_add", "ptx_pattern", "ptx_compare", "ptx_gemm", "ptx_double"]
TENSOR_MODULE = ["ptx_tensor_head", "ptx_compare", "ptx_tensor"]


def ptx(names):
    """The text that a driver gets, taken from the source."""
    text = SOURCE.read_text()
    whole = ""
    for name in names:
        body = re.search(rf"static const char {name}\[\] =(.*?);\n\n", text, re.S)[1]
        body = re.sub(r"/\*.*?\*/", "", body)
        whole += "".join(ast.literal_eval(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', body))
    return whole


def compile_c(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not done.stderr, done.stderr


@contextlib.contextmanager
def only_one(path):
    """Several workers of one test run must not build the same file at the same time."""
    with open(f"{path}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


class Workshop:
    """Compiles what a test needs, once for all workers that see the same sources."""

    def __init__(self, folder):
        self.folder = folder

    def make(self, name, sources, command):
        """The file that the command makes from the sources; the command ends before `-o FILE`."""
        digest = hashlib.sha256(repr(command).encode())
        for source in sources:
            digest.update(Path(source).read_bytes())
        for header in sorted((HERE / "fake").glob("*.h")):
            digest.update(header.read_bytes())
        made = self.folder / f"{name}-{digest.hexdigest()[:16]}"
        with only_one(made):
            if not made.exists():
                compile_c([*command, "-o", f"{made}.new"])
                os.rename(f"{made}.new", made)
        return made

    def program(self, compiler="cc", *flags):
        command = [compiler, *WARNINGS, "-O1", "-g", *flags, str(SOURCE), "-ldl"]
        return self.make("gpu-smoke", [SOURCE], command)

    def shipped(self, *flags):
        """The program with --explain; `make` makes its tables."""
        command = ["cc", *WARNINGS, "-O1", "-g", *flags, f"-I{TOP}/build", str(SHIPPED_SOURCES[0])]
        return self.make("shipped", SHIPPED_SOURCES, [*command, "-ldl"])

    def library(self, name):
        names, flags = LIBRARIES[name]
        sources = [str(HERE / "fake" / source) for source in names]
        gone = self.folder / "libgone.so"
        if "-l:libgone.so" in flags:  # to link against; at run time it is gone
            with only_one(gone):
                if not gone.exists():
                    empty = str(HERE / "fake" / "fake_empty.c")
                    compile_c(["cc", "-shared", "-fPIC", "-o", str(gone), empty])
            flags = [f"-L{self.folder}" if flag == "-L." else flag for flag in flags]
        return self.make(
            name,
            sources,
            ["cc", "-std=gnu17", *FAST, "-fPIC", "-shared", "-Wall", *sources, *flags],
        )
