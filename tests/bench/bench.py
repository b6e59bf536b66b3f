"""How fast tmplgen is, beside what others do about the same.

    bench.py [--rounds N] [--write] [--slow MICROSECONDS] [PART...]
                                                   parts: instructions, new, resolve, update,
                                                   rebase, slope, image, render, service, batch;
                                                   without: all

Nothing passes or fails here: time is not for tests. `--write` puts the results into
docs/performance.md, or the page that the part names, and leaves the rest of it alone. `--slow` is a
machine on which each change of the file system takes so much longer, for all contenders (needs
strace).
"""

import argparse
import datetime
import os
import platform
import re
import subprocess
import tempfile
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import part_batch
import part_image
import part_instructions
import part_new
import part_rebase
import part_render
import part_resolve
import part_service
import part_slope
import part_update
from contender import TOP, Contender, environment

REPORT = TOP / "docs" / "performance.md"
PARTS = {
    "instructions": part_instructions,
    "new": part_new,
    "resolve": part_resolve,
    "update": part_update,
    "rebase": part_rebase,
    "slope": part_slope,
    "image": part_image,
    "render": part_render,
    "service": part_service,
    "batch": part_batch,
}
TOOLS = ["cookiecutter", "copier", "cruft", "uv"]


def tool_versions():
    for name in TOOLS:
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            pass


def disk_of(work):
    """The kind of file system."""
    mounts = [line.split()[1:3] for line in Path("/proc/self/mounts").read_text().splitlines()]
    around = [mount for mount in mounts if Path(mount[0]) in [work, *work.parents]]
    return max(around, key=lambda mount: len(mount[0]))[1]


def machine(work):
    """What the figures depend on, without the names of anything."""
    model = next(
        line.split(":")[1].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith(("model name", "Model"))
    )
    memory = int(Path("/proc/meminfo").read_text().split()[1]) / 2**20
    system = platform.freedesktop_os_release()["PRETTY_NAME"]
    git = subprocess.run(["git", "version"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return (
        f"{os.cpu_count()} cores ({model}), {memory:.0f} GiB of memory, {disk_of(work)}; {system}, "
        f"Linux {platform.release().split('-')[0]}; {git.strip()}, "
        f"Python {platform.python_version()}, {', '.join(tool_versions())}"
    )


def section(name, rounds):
    """The lines of one part of the report."""
    part = PARTS[name]
    load = os.getloadavg()[0]
    # Outside of this repository: inside one, `new` commits nothing.
    with tempfile.TemporaryDirectory(prefix="tmplgen-bench-") as folder:
        work = Path(folder)
        env = environment(work)
        os.environ.clear()
        os.environ.update(env)
        lines = part.run(rounds, work, env)
        where = machine(work)
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    slower = Contender.slower
    where_slow = f" where each change of the file system takes {slower} µs longer" if slower else ""
    return [
        f"{'###' if slower else '##'} {part.TITLE}{where_slow}",
        "",
        *lines,
        "",
        f"{today}, {rounds} rounds, load {load:.1f} at the start. {where}.",
    ]


def write(name, lines):
    """Replaces what is between the marks of this part."""
    mark = f"<!-- bench {name}{' slow' if Contender.slower else ''} -->"
    text = "\n".join(lines)
    path = getattr(PARTS[name], "REPORT", REPORT)
    report = path.read_text()
    found = re.sub(
        f"{mark}\n.*?{mark}\n", lambda _: f"{mark}\n{text}\n{mark}\n", report, flags=re.S
    )
    path.write_text(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="PART", choices=[[], *PARTS])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--slow", type=int, default=0, metavar="MICROSECONDS")
    parser.add_argument("--write", action="store_true", help="into the pages of docs/")
    args = parser.parse_args()
    Contender.slower = args.slow
    for name in args.parts or PARTS:
        lines = section(name, args.rounds)
        print("\n".join(lines), end="\n\n", flush=True)
        if args.write:
            write(name, lines)


if __name__ == "__main__":
    main()
