"""How time and memory of a construct grow with its size, until a limit answers."""

import math
import re
import shutil
from dataclasses import dataclass, field

from ..common.measure import MIB, Run
from .hostile import Construct
from .measure import Meter, is_small
from .place import LIMIT

FACTOR = 10
MOST_RATIO = 14  # n log n, and something for a loaded machine
ENOUGH = {"cpu": 0.03, "peak": 16 * MIB}  # above the smallest run: what can be told from noise
TRIES = 3
KILLED = -9  # by who measures, for time by the clock: of a machine that stood still, too
DONE = {0, 6}  # 6: there is an update


@dataclass
class Growth:
    construct: Construct
    runs: list = field(default_factory=list)  # (size, run)
    answer: str = "the largest file"
    wrong: str = ""

    def exponent(self, what):
        """Of the last step that can be told from noise."""
        (_, base), found = self.runs[0], None
        for (n, small), (m, big) in zip(self.runs, self.runs[1:], strict=False):
            low, high = (getattr(r, what) - getattr(base, what) for r in (small, big))
            if low >= ENOUGH[what] and high > 0 and big.code in DONE:
                found = math.log(high / low) / math.log(m / n)
        return found


def run_once(meter: Meter, construct: Construct, n: int):
    for path in meter.folder.iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    return meter(*construct.words) if construct.lay(meter.folder, n) else None


def wrong_alone(run: Run) -> str:
    if run.left:
        return "it left something running"
    if run.code < 0:
        return "it was killed" if run.code == KILLED else f"it ended by signal {-run.code}"
    return "" if is_small(run) else "more than a run may take"


def wrong_beside(small: Run, run: Run, smallest: Run) -> str:
    for what, enough in ENOUGH.items():
        low, high = (getattr(r, what) - getattr(smallest, what) for r in (small, run))
        if low >= enough and high > MOST_RATIO * low:
            return f"{what} x {high / low:.0f}"
    return ""


def measured(meter: Meter, growth: Growth, n: int):
    """
    Some runs, where one seems wrong: others use this machine, too. What came out well once is well.
    From the second on each is held against a smaller one made just before it, on a machine as busy.
    """
    run, wrong = None, ""
    for again in range(TRIES):
        before = growth.runs[-1] if growth.runs else None
        if again and before:
            small = run_once(meter, growth.construct, before[0])
            before = (before[0], before[1] if wrong_alone(small) else small)
        run = run_once(meter, growth.construct, n)
        if not run:
            break
        wrong = wrong_alone(run)
        if not wrong and before:
            wrong = wrong_beside(before[1], run, growth.runs[0][1])
        if not wrong or run.left or (run.code < 0 and run.code != KILLED):
            break
    return run, wrong


def told(run: Run) -> str:
    """The line that names the limit, or else why it was refused."""
    lines = [x for x in run.err.splitlines() if not x.startswith("warning:")] or [""]
    limits = (x for x in lines if re.search(LIMIT, x, re.IGNORECASE))
    return next(limits, f"refused: {lines[0]}")[:160]


def grow(meter: Meter, construct: Construct) -> Growth:
    growth, n = Growth(construct), FACTOR
    while n <= construct.most:
        run, wrong = measured(meter, growth, n)
        if not run:
            break
        growth.runs.append((n, run))
        if wrong:
            growth.wrong = f"{wrong} at {n}: {run}"
        if wrong or run.code not in DONE:
            growth.answer = told(run)
            break
        n *= FACTOR
    return growth


def table(growths) -> str:
    """Markdown: a line for each construct."""
    lines = [
        "| construct | sizes | seconds | MiB | time ~ n^ | memory ~ n^ | what answered |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for growth in growths:
        if not growth.runs:
            continue
        n, last = growth.runs[-1]
        slopes = (growth.exponent(what) for what in ENOUGH)
        time, memory = ("" if s is None else f"{s:.2f}" for s in slopes)
        answer = (growth.wrong and "**" + growth.wrong[:80] + "**") or growth.answer
        answer = re.sub(r"[|`\n]", " ", answer)
        lines.append(
            f"| {growth.construct.name} | {FACTOR} to {n} | {last.cpu:.2f} | {last.peak // MIB} "
            f"| {time} | {memory} | {answer} |"
        )
    return "\n".join(lines) + "\n"
