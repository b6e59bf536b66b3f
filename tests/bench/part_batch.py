"""What a step of the batch job costs beyond a minimal loop over the same network and data."""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys

from contender import TMPLGEN, TOP, goal, prose

TITLE = "A step of training"
REPORT = TOP / "docs" / "batch.md"
PLACE = TOP / "build" / "bench-batch"
CHILD, PYTHON = PLACE / "pytorch-batch", PLACE / "venv" / "bin" / "python"
MINIMAL = TOP / "tests" / "bench" / "batch" / "minimal.py"
FRAMEWORK = "pytorch==2.13.0"
ABOUT = """
The batch job on PyTorch beside a minimal loop over the same network, data and settings, which
evaluates after each epoch too: processor time of a step, on one thread, from two runs of which one
has many more epochs, so that starting and ending do not count. In each round both take turns. What
the job does besides: checkpoints every 50 steps, synced to the disk, metrics, a log, the position
in the data, and looking whether it shall stop.
"""
FEW = 2  # epochs
# By name: epochs of the longer run, so that its steps take seconds, and settings of the job. The
# first are those that it comes with.
SHAPES = {
    "as it comes": (62, {"embedding": 32, "hidden": 32, "batch": 32, "length": 28}),
    "as in tutorials": (8, {"embedding": 128, "hidden": 128, "batch": 128, "length": 80}),
}
SAME = {"examples": 2000, "learning_rate": 0.01, "patience": 0, "device": "cpu"}


def call(*words, cwd=None, **env):
    """What it printed, and the processor time that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
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
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return done.stdout, spent


def make_child():
    shutil.rmtree(CHILD, ignore_errors=True)
    PLACE.mkdir(parents=True, exist_ok=True)
    words = ["--type", "batch", "--framework", FRAMEWORK, "--python", "3.11", "--no-git"]
    call(TMPLGEN, "new", CHILD, *words)
    call("make", "setup", "DEVICE=cpu", cwd=CHILD, VENV=str(PLACE / "venv"))


def ours(epochs, settings, work):
    """Processor time of the job from its start to its end, and its steps."""
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    out = work / "run"
    shutil.rmtree(out, ignore_errors=True)
    command = [PYTHON, "-m", "pytorch_batch", "train", *flags]
    said, spent = call(*command, f"--epochs={epochs}", f"--out={out}", cwd=CHILD)
    return spent, json.loads(said.splitlines()[-1])["steps"]


def minimal(epochs, settings, _work):
    given = [f"{name}={value}" for name, value in settings.items()]
    said, spent = call(PYTHON, MINIMAL, epochs, *given, cwd=CHILD)
    return spent, int(said.split()[-1])


def of_a_step(loop, more, settings, work):
    """Seconds: of the steps that one run has more than the other."""
    (short, few), (long, many) = (loop(epochs, settings, work) for epochs in (FEW, more))
    return (long - short) / (many - few)


def row(name, rounds, work):
    more, settings = SHAPES[name]
    settings = SAME | settings
    mine, theirs = [], []
    for number in range(rounds):
        pair = [(ours, mine), (minimal, theirs)]
        for loop, found in pair if number % 2 else reversed(pair):
            found.append(of_a_step(loop, more, settings, work))
    ratio = statistics.median(one / two for one, two in zip(mine, theirs, strict=True))
    times = f"{statistics.median(mine) * 1000:.2f} ms | {statistics.median(theirs) * 1000:.2f} ms"
    shape = f"embedding {settings['embedding']}, hidden {settings['hidden']}"
    shape += f", batch {settings['batch']}, length {settings['length']}"
    return f"| {name}: {shape} | {times} | {ratio:.2f} |", ratio


def run(rounds, work, _env):
    make_child()
    rows = {name: row(name, rounds, work) for name in SHAPES}
    return [
        *prose(ABOUT),
        "",
        "| | the job | minimal | ratio |",
        "| --- | ---: | ---: | ---: |",
        *(text for text, _ in rows.values()),
        "",
        *(
            goal(f"at most 1.1 times {name}", ratio, 1.1, "x", more_is_better=False, digits=2)
            for name, (_, ratio) in rows.items()
        ),
    ]
