"""How many instructions the main commands take: the same whatever else the machine does.

    part_instructions.py NAME...     prints them, in millions, as JSON: `make lint` asks

It needs valgrind, and of packages only those that the tests need.
"""

import json
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import part_update
from contender import TMPLGEN, environment, goal, nothing, prose

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


def millions_of(every, work, env):
    """{name: millions of instructions} of commands."""
    return {
        name: count(counted, work / f"counted-{number}", env) / 1e6
        for number, (name, counted) in enumerate(every.items())
    }


def run(_rounds, work, env):
    every = commands(work, env)
    millions = millions_of(every, work, env)
    return [
        *prose(ABOUT),
        "",
        "| | | million |",
        "| --- | --- | --- |",
        *(
            f"| {name} | `{' '.join(every[name].command)}` | {of:.1f} |"
            for name, of in millions.items()
        ),
        "",
        *(
            goal(f"{name} at most {most}", millions[name], most, "million", more_is_better=False)
            for name, most in GOALS.items()
        ),
    ]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tmplgen-instructions-") as place:
        folder = Path(place)
        settings = environment(folder)
        those = commands(folder, settings)
        wanted = {name: those[name] for name in sys.argv[1:]}
        print(json.dumps(millions_of(wanted, folder, settings)))
