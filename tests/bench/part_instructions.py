"""How many instructions the main commands take: the same whatever else the machine does.

`count` also serves a check that holds the program to such a number: it needs valgrind, and of
packages only those that the tests need.
"""

import re
import subprocess
import sys
from dataclasses import dataclass

import part_update
from contender import TMPLGEN, goal, nothing, prose

TITLE = "Instructions"
ABOUT = """
Of the program itself, counted by valgrind (`cachegrind`): not of the processes that it starts,
which read objects. They differ by less than a hundredth from run to run, so that they say what a
change costs. The children of `status` and `update` are those of the parts below, with 2,000 files.
"""
GOALS = {"new": 90, "status": 45, "resolve": 4}
VALGRIND = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]


@dataclass
class Counted:
    """A command; `prepare(folder)` makes what it starts from."""

    command: list
    prepare: object = nothing
    code: int = 0


def commands(work, env):
    """Those of the table, by name; makes the children that some start from."""
    child = part_update.make_tmplgen(work, env, 2000)
    bench = part_update.copy_of(child)

    def updated(folder):
        bench(folder)
        part_update.run_in(folder, env, TMPLGEN, "update")
        part_update.git(folder, "update-index", "-q", "--refresh")

    def new(kind, framework):
        return Counted(["new", "--type", kind, "--framework", framework, "--defaults"])

    return {
        "new": new("service", "pytorch"),
        "new batch": new("batch", "pytorch"),
        "new library": new("library", "pytorch"),
        "new llm": new("llm", "transformers"),
        "status": Counted(["status"], bench),
        "update": Counted(["update"], bench),
        "update, up to date": Counted(["update"], updated),
        "resolve": Counted(["matrix", "resolve", "--framework", "pytorch"]),
        "template list": Counted(["template", "list"]),
        "version": Counted(["version"]),
    }


def count(counted, folder, env):
    """Instructions of one run of a command, which starts in `folder`, made for it."""
    folder.mkdir()
    counted.prepare(folder)
    log = folder.with_suffix(".log")
    with subprocess.Popen(
        [*VALGRIND, f"--log-file={log}.%p", TMPLGEN, *counted.command],
        cwd=folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    ) as run:
        code = run.wait()
    said = log.with_suffix(f".log.{run.pid}").read_text()
    found = re.search(r"I +refs: +([\d,]+)", said)
    if code != counted.code or not found:
        sys.exit(f"{counted.command} ended with {code} under valgrind:\n{said}")
    return int(found[1].replace(",", ""))


def run(_rounds, work, env):
    lines, millions = [], {}
    for number, (name, counted) in enumerate(commands(work, env).items()):
        millions[name] = count(counted, work / f"counted-{number}", env) / 1e6
        lines.append(f"| {name} | `{' '.join(counted.command)}` | {millions[name]:.1f} |")
    return [
        *prose(ABOUT),
        "",
        "| | | million |",
        "| --- | --- | --- |",
        *lines,
        "",
        *(
            goal(f"{name} at most {most}", millions[name], most, "million", more_is_better=False)
            for name, most in GOALS.items()
        ),
    ]
