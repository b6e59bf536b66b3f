"""The program's own limits, as tests hold it to them."""

from pathlib import Path

from ..command.world import Runner
from ..common.measure import MEMORY, MIB, SECONDS, Run, run_measured
from ..common.program import BINARY

# What the contract allows, with a generous factor: a loaded machine is slow, not wrong.
MOST_CPU = 6.0
MOST_PEAK = 600 * MIB


def is_small(run: Run) -> bool:
    return run.cpu <= MOST_CPU and run.peak <= MOST_PEAK and not run.left


class Meter:
    """Runs the program in a folder, as a user of its own."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.env = Runner(folder).env

    def __call__(self, *words, stdin="", seconds=SECONDS, memory=MEMORY, cwd=None) -> Run:
        limits = {"seconds": seconds, "memory": memory}
        return run_measured(
            [BINARY, *words], cwd=cwd or self.folder, env=self.env, stdin=stdin, **limits
        )
