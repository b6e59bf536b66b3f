"""
`make peers`: every case through tmplgen, copier and cruft, and the table of docs/update.md.

    python -m tests.peers [--only S-01,S-02] [--tools tmplgen] [--again] [--write] [--keep FOLDER]

What copier and cruft did is remembered in build/peers/results.json until the case, the way in which
it is run or their versions change; tmplgen is always run. The exit code is 1 where one of its
outcomes is not `right`.
"""

import argparse
import copy
import hashlib
import json
import shutil
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

from ..common.pages import put_between
from . import drive, judge, tools
from .cases import CASES, LEFT_OUT

HERE = Path(__file__).parent
TOP = HERE.parents[1]
RESULTS = TOP / "build" / "peers" / "results.json"
DOCS = TOP / "docs" / "update.md"
BEGIN, END = "<!-- made by `make peers WRITE=1` -->", "<!-- end of what is made -->"


def key_of(case, kind, versions):
    """Changes when anything does on which an outcome depends."""
    sources = [(HERE / name).read_text() for name in ("tools.py", "drive.py", "judge.py")]
    parts = [
        repr(case),
        kind.name,
        repr(sorted(versions.items() - {("tmplgen", versions["tmplgen"])})),
    ]
    return hashlib.sha256("\0".join([*parts, *sources]).encode()).hexdigest()


def outcome(case, kind, keep):
    """A verdict, whatever happens: a case that cannot be run is told as such."""
    folder = Path(tempfile.mkdtemp(prefix="peers-", dir=keep))
    try:
        return drive.Drive(copy.deepcopy(case), kind, folder / kind.name).go()
    except Exception as error:
        traceback.print_exc()
        return judge.Verdict(judge.WRONG, f"not run to its end: {error}"[:200])
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)


def run_all(cases, kinds, args, versions):
    """Verdicts by id and tool."""
    known = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    found = {}

    def one(job):
        case, kind = job
        key = key_of(case, kind, versions)
        if kind is not tools.Tmplgen and key in known and not args.again:
            verdict = judge.Verdict(*known[key])
        else:
            verdict = outcome(case, kind, args.keep)
            known[key] = [verdict.word, verdict.why]
        found[case.id, kind.name] = verdict
        if kind is tools.Tmplgen and verdict.word != judge.RIGHT:
            print(f"{kind.name}: {case.id}: {verdict.word}: {verdict.why}", flush=True)

    jobs = [(case, kind) for case in cases for kind in kinds]
    with ThreadPoolExecutor(args.jobs) as pool:
        for number, _ in enumerate(pool.map(one, jobs), 1):
            if number % 60 == 0 or number == len(jobs):
                print(f"{number} of {len(jobs)} runs", flush=True)
                RESULTS.parent.mkdir(parents=True, exist_ok=True)
                RESULTS.write_text(json.dumps(known, indent=0, sort_keys=True))
    return found


def table(cases, kinds, found, versions):
    names = [kind.name for kind in kinds]
    shown = ", ".join(f"{name} {version}" for name, version in versions.items())
    rows = [f"{datetime.now(UTC):%Y-%m-%d}: {shown}.", ""]
    rows += [f"| | {' | '.join(names)} |", f"| --- | {' | '.join('---' for _ in names)} |"]
    for word in judge.WORDS:
        counts = [sum(found[c.id, n].word == word for c in cases) for n in names]
        rows.append(f"| {word} | {' | '.join(map(str, counts))} |")
    rows.append(f"| of | {' | '.join(str(len(cases)) for _ in names)} |")
    rows += [
        "",
        f"| scenario | wanted | {' | '.join(names)} |",
        f"| --- | --- | {' | '.join('---' for _ in names)} |",
    ]
    for case in cases:
        words = [found[case.id, name].word for name in names]
        cells = [word if word == judge.RIGHT else f"**{word}**" for word in words]
        claim = case.claim.replace("|", "\\|")
        rows.append(f"| {case.id}: {claim} | {' or '.join(case.want)} | {' | '.join(cells)} |")
    rows += ["", "How each was asked:", ""]
    rows += [f"- {kind.name}: {kind.how}." for kind in kinds]
    rows += ["", "Not here:", ""]
    rows += [f"- {what}: {why}." for what, why in LEFT_OUT.items()]
    return "\n".join(rows)


def arguments():
    parser = argparse.ArgumentParser(prog="tests.peers", description=__doc__.split("\n\n")[0])
    parser.add_argument("--only", help="ids of cases, with commas")
    parser.add_argument("--tools", help="names of tools, with commas")
    parser.add_argument("--again", action="store_true", help="forget what is remembered")
    parser.add_argument("--write", action="store_true", help=f"write the table into {DOCS.name}")
    parser.add_argument("--keep", help="a folder where everything stays")
    parser.add_argument("--why", action="store_true", help="print each outcome with its reason")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main():
    args = arguments()
    wanted = args.only.split(",") if args.only else None
    cases = [case for case in CASES if not wanted or case.id in wanted]
    kinds = [kind for kind in tools.TOOLS if not args.tools or kind.name in args.tools.split(",")]
    if args.write and (args.only or args.tools):
        sys.exit("the table is written with all cases and tools")
    versions = tools.versions()
    start = time.monotonic()
    found = run_all(cases, kinds, args, versions)
    if args.why:
        for (id_, name), verdict in sorted(found.items()):
            print(f"{id_:24} {name:8} {verdict.word:20} {verdict.why}")
    text = table(cases, kinds, found, versions)
    (RESULTS.parent / "table.md").write_text(text + "\n")
    if args.write:
        put_between(DOCS, BEGIN, END, text)
    for kind in kinds:
        counts = {
            word: sum(found[c.id, kind.name].word == word for c in cases) for word in judge.WORDS
        }
        told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
        print(f"{kind.name} {versions[kind.name]}: {told}")
    ours = [v for (_, name), v in found.items() if name == tools.Tmplgen.name]
    print(f"{len(cases)} scenarios in {time.monotonic() - start:.0f} s")
    return 1 if any(verdict.word != judge.RIGHT for verdict in ours) else 0


if __name__ == "__main__":
    sys.exit(main())
