"""What a step of the batch job costs beyond a minimal loop over the same network and data."""

import json
import os
import shutil
import statistics
import subprocess
import sys

from contender import TMPLGEN, TOP, goal, prose

TITLE = "A step of training"
REPORT = TOP / "docs" / "batch.md"
PLACE = TOP / "build" / "bench-batch"
CHILD, PYTHON = PLACE / "pytorch-batch", PLACE / "venv" / "bin" / "python"
STEPS = TOP / "tests" / "bench" / "batch" / "steps.py"
FRAMEWORK = "pytorch==2.13.0"
ABOUT = """
The batch job on PyTorch beside a minimal loop over the same network, data and settings, which
evaluates after each epoch too: processor time of a step. Both run in one process, on one core, ten
steps of the one and ten of the other. What the job does besides: checkpoints every 50 steps, synced
to the disk, metrics, a log, the position in the data, only what gives the same bits each time, and
looking whether it shall stop.
"""
# By name: epochs, and settings of the job. The first are those that it comes with.
SHAPES = {
    "as it comes": (20, {"embedding": 32, "hidden": 32, "batch": 32, "length": 28}),
    "as in tutorials": (8, {"embedding": 128, "hidden": 128, "batch": 128, "length": 80}),
}
SAME = {"examples": 2000, "learning_rate": 0.01, "patience": 0, "device": "cpu"}


def call(*words, cwd=None, **env):
    """What it printed."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env=os.environ | {"OMP_NUM_THREADS": "1"} | env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{words} failed:\n{done.stdout[-4000:]}")
    return done.stdout


def make_child():
    shutil.rmtree(CHILD, ignore_errors=True)
    PLACE.mkdir(parents=True, exist_ok=True)
    words = ["--type", "batch", "--framework", FRAMEWORK, "--python", "3.11", "--no-git"]
    call(TMPLGEN, "new", CHILD, *words)
    call("make", "setup", "DEVICE=cpu", cwd=CHILD, VENV=str(PLACE / "venv"))


def row(name, rounds, work):
    epochs, settings = SHAPES[name]
    given = [f"{key}={value}" for key, value in (SAME | settings).items()]
    found = []
    for _ in range(rounds):
        shutil.rmtree(work / "run", ignore_errors=True)
        said = call(PYTHON, STEPS, epochs, work / "run", *given, cwd=CHILD)
        found.append(json.loads(said.splitlines()[-1]))
    ratios = [it["job"] / it["minimal"] for it in found]
    times = (statistics.median(it[side] for it in found) for side in ("job", "minimal"))
    shape = ", ".join(f"{key} {value}" for key, value in settings.items())
    cells = [f"{name}: {shape}", *(f"{seconds * 1000:.2f} ms" for seconds in times)]
    middle = statistics.median(ratios)
    cells += [f"{middle:.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}"]
    return f"| {' | '.join(cells)} |", middle


def run(rounds, work, _env):
    make_child()
    rows = {name: row(name, rounds, work) for name in SHAPES}
    return [
        *prose(ABOUT),
        "",
        "| | the job | minimal | ratio | of a round |",
        "| --- | ---: | ---: | ---: | ---: |",
        *(text for text, _ in rows.values()),
        "",
        *(
            goal(f"at most 1.1 times {name}", ratio, 1.1, "x", more_is_better=False, digits=2)
            for name, (_, ratio) in rows.items()
        ),
    ]
