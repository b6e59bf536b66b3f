"""What one run of a program took: time by the clock, of the processor, and its peak memory."""

import json
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launch.py")
MIB = 1 << 20
# These protect the machine alone: no test takes their words for a limit of the program's own.
SECONDS = 20
MEMORY = 3 << 30
UNLIMITED = resource.RLIM_INFINITY  # where a sanitizer or valgrind maps what it never uses


@dataclass
class Run:
    code: int  # below zero: the signal that ended it
    out: str
    err: str
    wall: float
    cpu: float
    peak: int  # bytes
    left: bool  # processes that it left behind

    def __str__(self):
        took = f"{self.wall:.2f} s, {self.cpu:.2f} s of processor, {self.peak // MIB} MiB"
        return f"exit {self.code}, {took}: {self.err[:1500]}"


def run_measured(command, *, cwd, env, stdin="", seconds=SECONDS, memory=MEMORY) -> Run:
    """Not by this process: a child of pytest's would begin with the peak of pytest."""
    with tempfile.NamedTemporaryFile("r") as report:
        limits = map(str, (report.name, seconds, memory))
        done = subprocess.run(
            [sys.executable, "-I", "-S", LAUNCHER, *limits, *map(str, command)],
            cwd=cwd,
            env=env,
            input=stdin.encode(),
            capture_output=True,
            timeout=6 * seconds + 20,
            check=False,
        )
        out, err = (text.decode(errors="surrogateescape") for text in (done.stdout, done.stderr))
        took = report.read()
    assert took, err
    return Run(out=out, err=err, **json.loads(took))
