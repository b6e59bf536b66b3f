"""Commands that are timed against each other, in rounds in which all take turns."""

import os
import re
import statistics
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass, field
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
TMPLGEN = Path(os.environ.get("TMPLGEN", TOP / "build" / "tmplgen"))
MEASURE = TOP / "build" / "measure"
TOOLS = Path(sys.executable).parent
PAUSE = 0.3
# What changes a file system. A file that is made counts by its first write: strace cannot tell the
# opening that makes one from the many that only read.
CHANGES = (
    "write,pwrite64,fsync,mkdir,mkdirat,rmdir,rename,renameat,renameat2,"
    "link,linkat,symlink,symlinkat,unlink,unlinkat,chmod,fchmod,fchmodat"
)
# What a tool needs to start, and to reach a package index from here.
KEPT = re.compile(r"PATH|LANG|TMPDIR|PIP_.*|UV_.*|SSL_.*|.*_CA_BUNDLE|.*_PROXY|.*_proxy")


def slowed(microseconds):
    """Words before a command for which each change of the file system takes so much longer."""
    if not microseconds:
        return []
    inject = f"inject={CHANGES}:delay_exit={microseconds}"
    return [
        "strace",
        "-f",
        "-qq",
        "--seccomp-bpf",
        "-o/dev/null",
        "-e",
        "trace=" + CHANGES,
        "-e",
        inject,
    ]


def nothing(_folder):
    """Starts from an empty folder."""


@dataclass
class Contender:
    """A command to time. `prepare(folder)` makes what it starts from, and is not timed."""

    name: str
    command: list
    prepare: object = nothing
    where: str = "."  # below the prepared folder
    code: int = 0
    seconds: list = field(default_factory=list)
    cpu: list = field(default_factory=list)
    kilobytes: list = field(default_factory=list)
    slower = 0  # microseconds for each change of the file system: one setting for all

    def run(self, folder, env):
        """Runs once; an fsync must not pay for what the one before left to write."""
        folder.mkdir()
        self.prepare(folder)
        os.sync()
        time.sleep(PAUSE)
        log, figures = folder.with_suffix(".log"), folder.with_suffix(".figures")
        done = subprocess.run(
            [
                "sh",
                "-c",
                'exec "$@" 3>"$FIGURES"',
                "sh",
                MEASURE,
                *slowed(self.slower),
                *self.command,
            ],
            cwd=folder / self.where,
            env={**env, "FIGURES": str(figures)},
            stdin=subprocess.DEVNULL,
            stdout=log.open("wb"),
            stderr=subprocess.STDOUT,
            check=False,
        )
        if done.returncode != self.code:
            sys.exit(f"{self.name} failed:\n{log.read_text()}")
        seconds, cpu, kilobytes = figures.read_text().split()
        self.seconds.append(float(seconds))
        self.cpu.append(float(cpu))
        self.kilobytes.append(int(kilobytes))

    @property
    def median(self):
        return statistics.median(self.seconds)

    @property
    def fastest(self):
        return min(self.seconds)

    @property
    def megabytes(self):
        return max(self.kilobytes) / 1024


def take_turns(field_, rounds, work, env, check=None):
    """
    Every round runs each once, each time another one first, so that what else the machine does
    hits all alike. The first round warms the caches: it is looked at by `check`, and not counted.
    Folders stay until all is over: ext4 without a journal is slow in the place of what was just
    deleted.
    """
    for number in range(rounds + 1):
        for shift in range(len(field_)):
            contender = field_[(number + shift) % len(field_)]
            folder = work / f"{number}-{field_.index(contender)}"
            contender.run(folder, env)
            if number == 0:
                if check:
                    check(contender, folder)
                contender.seconds.clear()
                contender.cpu.clear()


def environment(home):
    """One configuration for all: no user's settings, an identity, no colours."""
    (home / ".gitconfig").write_text(
        "[user]\n\tname = bench\n\temail = bench@localhost\n[init]\n\tdefaultBranch = main\n"
        '[gc]\n\tauto = 0\n[protocol "file"]\n\tallow = always\n'
    )
    kept = {name: value for name, value in os.environ.items() if KEPT.fullmatch(name)}
    return {
        **kept,
        "HOME": str(home),
        "PYTHONPATH": str(Path(__file__).parent),
        "PYTHONDONTWRITEBYTECODE": "",
    }


def table(field_):
    base = field_[0]
    rows = [
        "| | fastest | median | processor | against tmplgen | peak memory |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for one in field_:
        rows.append(
            f"| {one.name} | {one.fastest * 1000:.1f} ms | {one.median * 1000:.1f} ms "
            f"| {statistics.median(one.cpu) * 1000:.1f} ms "
            f"| {one.fastest / base.fastest:.1f} x | {one.megabytes:.1f} MiB |"
        )
    return rows


def prose(text):
    """A paragraph, as long in the source as it likes, in lines of the report."""
    return textwrap.wrap(" ".join(text.split()), 100)


def goal(text, value, wanted, unit, more_is_better=True, digits=1):
    reached = value >= wanted if more_is_better else value <= wanted
    return f"- {text}: {'reached' if reached else 'missed'} ({value:.{digits}f} {unit})"
