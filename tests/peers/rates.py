"""
`make peers RATES=1`: fifty children through twelve versions of our own catalog, by every strategy
of tmplgen and by other tools, and how often each asks the child's owner.

    python -m tests.peers.rates [--children 12] [--only NUMBER] [--tools git merge,copier]
                                [--again] [--why] [--write]

What was seen is remembered in build/peers/rates until the way in which a tool is run, or the tool,
changes; what is right is asked anew each time. The exit code is 1 where tmplgen has a
wrong clean merge, or more conflicts than another.
"""

import argparse
import hashlib
import inspect
import pickle
import shutil
import sys
import time
import traceback
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from ..common.pages import put_between
from ..common.program import BINARY
from ..update.evolution import release_versions
from ..update.faults import fast_folder
from ..update.world import World
from . import drive, histories, oracle, rivals, tools
from .__main__ import DOCS, TOP

SEEN = TOP / "build" / "peers" / "rates"
BEGIN, END = "<!-- made by `make peers RATES=1 WRITE=1` -->", "<!-- end of the rates -->"
UPDATES = len(histories.VERSIONS) - 1


@dataclass
class Count:
    """Of one tool and one child."""

    updates: int = 0
    conflicts: list = field(default_factory=list)  # (version, path)
    stops: int = 0
    asked: int = 0  # updates with a conflict
    lost: list = field(default_factory=list)
    silent: list = field(default_factory=list)  # (version, path) that was lost, and not asked about
    wrong: list = field(default_factory=list)
    refused: list = field(default_factory=list)


def count(history, steps):
    made = Count()
    for step in steps:
        version = histories.VERSIONS[step.version]
        if step.out:
            made.refused.append(f"{version}: {step.out}")
            continue
        update = oracle.Update(history, step)
        paths = update.conflicts()
        made.updates += 1
        made.asked += bool(paths)
        made.stops += step.stops
        made.conflicts += [(version, path) for path in paths]
        lost = list(update.lost_words())
        made.lost += [f"{version}: {path}: {line}" for path, line in lost]
        made.silent += sorted({(version, path) for path, _ in lost} - {*made.conflicts})
        made.wrong += [f"{version}: {what}" for what in update.wrong()]
    return made


# ---------------------------------------------------------------- what was seen


def key_of(kind, history, versions):
    others = {name: version for name, version in versions.items() if name != "tmplgen"}
    parts = [repr(replace(history, catalog=None)), repr(sorted(others.items()))]
    parts += [inspect.getsource(one) for one in (*kind.__mro__[:-1], rivals.childs_hunks)]
    parts += [inspect.getsource(one) for one in (drive.seen, histories.do, histories.change_line)]
    if issubclass(kind, rivals.Tmplgen):
        parts.append(hashlib.sha256(BINARY.read_bytes()).hexdigest())
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def steps_of(kind, history, versions, again):
    """From a run, or from one that was seen before."""
    kept = SEEN / f"{kind.name.replace(' ', '-')}-{history.number}"
    key = key_of(kind, history, versions)
    if kept.is_file() and not again:
        known, steps = pickle.loads(zlib.decompress(kept.read_bytes()))
        if known == key:
            return steps
    folder = fast_folder()
    try:
        steps = kind(World(folder / "w"), history).go()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    kept.write_bytes(zlib.compress(pickle.dumps((key, steps)), 1))
    return steps


def run_all(args, kinds, versions):
    """Counts by tool and number."""
    place = fast_folder()
    world = World(place / "w")
    release_versions(world)
    SEEN.mkdir(parents=True, exist_ok=True)
    numbers = [args.only] if args.only is not None else range(args.children)
    with ThreadPoolExecutor(args.jobs) as pool:
        made = list(pool.map(lambda number: histories.history(world, number), numbers))

    def one(job):
        kind, history = job
        try:
            return (
                kind.name,
                history.number,
                count(history, steps_of(kind, history, versions, args.again)),
            )
        except Exception as error:
            traceback.print_exc()
            return kind.name, history.number, Count(refused=[f"not run to its end: {error}"])

    jobs = [(kind, history) for history in made for kind in kinds]
    found = {kind.name: {} for kind in kinds}
    with ThreadPoolExecutor(args.jobs) as pool:
        for done, (name, number, counted) in enumerate(pool.map(one, jobs), 1):
            found[name][number] = counted
            if done % 25 == 0:
                print(f"{done} of {len(jobs)} runs", flush=True)
    shutil.rmtree(place, ignore_errors=True)
    return found


# ---------------------------------------------------------------- what is told


def summed(counts, name):
    values = [getattr(one, name) for one in counts.values()]
    return sum(value if isinstance(value, int) else len(value) for value in values)


def row(name, counts):
    updates = summed(counts, "updates")
    conflicts = summed(counts, "conflicts")
    rate = conflicts / updates if updates else 0
    figures = [updates, conflicts, f"{rate:.3f}", summed(counts, "asked"), summed(counts, "stops")]
    figures += [summed(counts, "wrong"), summed(counts, "lost"), summed(counts, "refused")]
    return f"| {name} | {' | '.join(map(str, figures))} |"


def table(kinds, found, versions):
    shown = ", ".join(f"{name} {version}" for name, version in versions.items())
    children = len(next(iter(found.values())))
    heads = [
        "updates",
        "conflicts",
        "each",
        "updates with any",
        "stops",
        "wrong, clean",
        "lost",
        "not done",
    ]
    return "\n".join(
        [
            f"{datetime.now(UTC):%Y-%m-%d}: {children} children (seed {histories.SEED}), "
            f"{UPDATES} updates of each. {shown}.",
            "",
            f"| | {' | '.join(heads)} |",
            "| --- |" + " --- |" * len(heads),
            *(row(kind.name, found[kind.name]) for kind in kinds),
            "",
            *(f"- {kind.name}: {kind.how}." for kind in kinds),
        ]
    )


def shortcomings(found):
    """Where a strategy of tmplgen is not as good as it has to be."""
    others = {n: c for n, c in found.items() if not n.startswith("tmplgen")}
    for name, counts in found.items():
        if name in others:
            continue
        for number, one in counts.items():
            bad = [*one.wrong, *one.lost, *one.refused]
            yield from (f"{name}: child {number}: {what}" for what in bad)
        for other, theirs in others.items():
            if summed(theirs, "updates") < summed(counts, "updates"):
                yield f"{name}: {other} did not go through all updates: not to be compared"
            if summed(counts, "conflicts") > summed(theirs, "conflicts") + summed(theirs, "silent"):
                yield f"{name}: more conflicts than {other}"
            yield from more_for_a_child(name, counts, other, theirs)


def more_for_a_child(name, counts, other, theirs):
    """To lose a file is no way to ask less."""
    for number, one in counts.items():
        asked = [*theirs[number].conflicts, *theirs[number].silent]
        if name == rivals.Pick.name and len(one.conflicts) > len(asked):
            more = sorted({*one.conflicts} - {*asked})
            yield f"{name}: child {number}: more conflicts than {other}: {more}"


def arguments():
    parser = argparse.ArgumentParser(prog="tests.peers.rates")
    parser.add_argument("--children", type=int, default=histories.CHILDREN)
    parser.add_argument("--only", type=int, help="the number of one child")
    parser.add_argument("--tools", help="names of tools, with commas")
    parser.add_argument("--again", action="store_true", help="forget what is remembered")
    parser.add_argument("--why", action="store_true", help="print each conflict and each fault")
    parser.add_argument("--write", action="store_true", help=f"write the table into {DOCS.name}")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def chosen(args):
    known = rivals.known_strategies(TOP)
    for kind in rivals.RIVALS:
        if args.tools and kind.name not in args.tools.split(","):
            continue
        if issubclass(kind, rivals.Tmplgen) and kind not in known:
            print(f"{kind.name}: left out, this tmplgen has no such strategy")
            continue
        yield kind


def main():
    args = arguments()
    kinds = list(chosen(args))
    if args.write and (args.only is not None or args.tools):
        sys.exit("the table is written with all tools")
    versions = tools.versions()
    start = time.monotonic()
    found = run_all(args, kinds, versions)
    if args.why:
        for name, counts in found.items():
            for number, one in counts.items():
                told = [*one.conflicts, *one.wrong, *one.lost, *one.refused]
                print("".join(f"{name}: child {number}: {what}\n" for what in told), end="")
    text = table(kinds, found, versions)
    print(text)
    if args.write:
        put_between(DOCS, BEGIN, END, text)
    short = list(shortcomings(found))
    print("\n".join(short))
    print(f"{time.monotonic() - start:.0f} s")
    return 1 if short else 0


if __name__ == "__main__":
    sys.exit(main())
