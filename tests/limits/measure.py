"""What one run of the program took: time by the clock, of the processor, and its peak memory."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from ..command.world import Runner
from ..common.program import BINARY

LAUNCHER = Path(__file__).with_name("launch.py")
MIB = 1 << 20
# These protect the machine alone: no test takes their words for a limit of the program's own.
SECONDS = 20
MEMORY = 3 << 30
# What the contract allows, with a generous factor: a loaded machine is slow, not wrong.
MOST_CPU = 6.0
MOST_WALL = 18.0
MOST_PEAK = 600 * MIB


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

    @property
    def is_small(self):
        return self.cpu <= MOST_CPU and self.peak <= MOST_PEAK and not self.left


class Meter:
    """Runs the program in a folder, as a user of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.env = Runner(folder).env

    def __call__(self, *words, stdin="", seconds=SECONDS, memory=MEMORY, cwd=None) -> Run:
        report = self.folder / "took.json"
        report.unlink(missing_ok=True)
        limits = [report, seconds, memory]
        done = subprocess.run(
            [sys.executable, "-I", "-S", LAUNCHER, *map(str, limits), BINARY, *map(str, words)],
            cwd=cwd or self.folder,
            env=self.env,
            input=stdin.encode(),
            capture_output=True,
            timeout=seconds + 20,
            check=False,
        )
        out, err = (text.decode(errors="replace") for text in (done.stdout, done.stderr))
        assert report.exists(), err
        return Run(out=out, err=err, **json.loads(report.read_text()))
