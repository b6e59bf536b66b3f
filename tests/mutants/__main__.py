"""
`make mutants`: one fault at a time in the sources on which a child's safety rests, and whether the
nearest quick tests notice.

    python -m tests.mutants [-n 160] [--seed N] [--files 'src/apply/*.c'] [--named | --generated]
                            [--write]

First the faults that tests/mutants/named.yml describes, then such as universalmutator makes: places
are drawn by a seed that is printed. What does not compile, or gives the same object, does not
count.
Results stay in build/mutants/results.json: of what was caught while the source with the fault is
the same, of what nobody noticed while all sources and tests are. A run that was ended goes on.
tests/mutants/known.yml says of survivors why they are none. The exit code is 1 where fewer than 90
% of the others are caught, or one of the described survives.
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

from ..common.pages import put_between
from . import make, trial

HERE = Path(__file__).parent
OUT = make.BUILD / "mutants"
RESULTS = OUT / "results.json"
TRIED = HERE / "tried.json"  # the same of the last run that was written down: another goes on there
DOCS = make.TOP / "docs" / "mutants.md"
BEGIN, END = "<!-- made by `make mutants WRITE=1` -->", "<!-- end of what is made -->"
FILES = (
    "src/apply/**/*.c",
    "src/git/write/ref.c",
    "src/git/worktree/disk_entry.c",
    "src/io/io.c",
    "src/update/resume/recover.c",
    "src/update/resume/stopped_update.c",
)
GOAL = 0.9


def hash_of(*patterns):
    paths = sorted(path for one in patterns for path in make.TOP.glob(one) if path.is_file())
    joined = b"\0".join(str(path).encode() + path.read_bytes() for path in paths)
    return hashlib.sha256(joined).hexdigest()[:16]


class Results:
    """What is known of mutants, kept while it holds."""

    def __init__(self):
        self.lock = threading.Lock()
        self.all = json.loads(TRIED.read_text()) if TRIED.is_file() else {}
        self.all |= json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
        self.looked = hash_of(
            *("src/**/*", "templates/**/*", "Makefile"),
            *("tests/update/**/*.py", "tests/command/*.py", "tests/unit/*"),
        )

    def get(self, mutant):
        """None where it is to be tried (again)."""
        found = self.all.get(mutant.id)
        if found and found["who"] is None and found["looked"] != self.looked:
            return None
        return found

    def put(self, mutant, who, seconds):
        with self.lock:
            kept = {"who": who, "seconds": seconds, "looked": self.looked, "file": mutant.file}
            self.all[mutant.id] = kept
            self.save()
        return kept

    def save(self):
        draft = RESULTS.with_suffix(".new")
        draft.write_text(json.dumps(self.all, indent=0, sort_keys=True))
        draft.replace(RESULTS)

    def write(self, done):
        kept = {mutant.id: self.all[mutant.id] for mutant, _ in done if mutant.id in self.all}
        shown = {key: {**one, "looked": ""} for key, one in sorted(kept.items())}
        lines = [f"{json.dumps(key)}: {json.dumps(one)}" for key, one in shown.items()]
        TRIED.write_text("{\n" + ",\n".join(lines) + "\n}\n")

    def killers(self):
        found = {}
        for kept in self.all.values():
            if isinstance(kept, dict) and kept.get("who"):
                found.setdefault(kept["file"], Counter())[kept["who"]] += 1
        return found


def is_known(mutant, known):
    """By what it changes, wherever the line stands by now; the entry, or None."""
    for entry in known:
        if entry.get("name", "") == mutant.name and (
            mutant.name
            or (entry["file"], entry["before"], entry["after"])
            == (mutant.file, mutant.before, mutant.after)
            and mutant.follows(entry.get("near", ""))
        ):
            return entry
    return None


class Run:
    def __init__(self, args):
        self.args = args
        self.results = Results()
        self.compiler = make.Compiler()
        self.trial = trial.Trial(
            self.compiler,
            self.results.killers(),
            trial.all_tests(),
        )
        self.known = yaml.safe_load((HERE / "known.yml").read_text()) or []
        self.done = []  # (mutant, who)
        self.gone = []

    def try_one(self, mutant):
        """Appends to `done`; False where it is no mutant: it does not compile, or is no change."""
        if is_known(mutant, self.known):
            self.done.append((mutant, None))
            print(f"{len(self.done):4} listed\n     {mutant.shown}", flush=True)
            return True
        kept = self.results.get(mutant)
        if kept is None:
            folder = Path(tempfile.mkdtemp(prefix="mutant-"))
            try:
                objects = [self.compiler.compile(one, folder) for one in (mutant, *mutant.others)]
                if None in objects:
                    return self.results.put(mutant, "nothing", 0) and False
                kept = self.results.put(mutant, *self.trial.judge(mutant.file, objects, folder))
            finally:
                shutil.rmtree(folder, ignore_errors=True)
        if kept["who"] in ("nothing", "link"):
            return False
        self.done.append((mutant, kept["who"]))
        word = f"caught by {kept['who']}" if kept["who"] else "SURVIVED"
        print(f"{len(self.done):4} {word} ({kept['seconds']} s)\n     {mutant.shown}", flush=True)
        return True

    def described(self, pool):
        def one(entry):
            try:
                mutant = make.named(entry)
            except make.GoneError as error:
                self.gone.append(str(error))
                return
            if not self.try_one(mutant):
                self.gone.append(f"{entry['name']}: does not compile, or is no change")

        list(pool.map(one, yaml.safe_load((HERE / "named.yml").read_text())))

    def generated(self, pool, count):
        patterns = self.args.files.split(",") if self.args.files else FILES
        files = sorted(
            {str(path.relative_to(make.TOP)) for one in patterns for path in make.TOP.glob(one)}
        )
        if not files:
            sys.exit("no source matches")
        found = make.candidates(files, self.args.seed, OUT, self.results.all)
        left, lock = [count], threading.Lock()

        def work(_):
            while True:
                with lock:
                    mutant = next(found, None) if left[0] > 0 else None
                    left[0] -= 1
                if mutant is None:
                    return
                if not self.try_one(mutant):
                    with lock:
                        left[0] += 1

        list(pool.map(work, range(self.args.jobs)))


def report(run):
    """The last line, and the table for docs/mutants.md."""
    known = run.known
    caught = [mutant for mutant, who in run.done if who]
    survived = [mutant for mutant, who in run.done if not who]
    equivalent = [mutant for mutant in survived if is_known(mutant, known)]
    open_ = [mutant for mutant in survived if not is_known(mutant, known)]
    for mutant in open_:
        print(f"survived: {mutant.shown}")
    for text in run.gone:
        print(f"cannot be tried: {text}")
    counted = len(run.done) - len(equivalent)
    share = len(caught) / counted if counted else 1
    line = (
        f"{len(run.done)} mutants, {len(caught)} caught, {len(open_)} survived, "
        f"{len(equivalent)} equivalent (listed)"
    )
    files = Counter(mutant.file for mutant, _ in run.done)
    won = Counter(mutant.file for mutant in caught)
    rows = [
        f"{line}; seed {run.args.seed}.",
        "",
        "| source | mutants | caught |",
        "| --- | --- | --- |",
    ]
    rows += [f"| {file} | {count} | {won[file]} |" for file, count in sorted(files.items())]
    rows += ["", "| survivor | why |", "| --- | --- |"]
    for mutant in [*equivalent, *open_]:
        why = (is_known(mutant, known) or {}).get("why", "not yet looked at").strip()
        change = f"`{mutant.before}` to `{mutant.after}`".replace("|", "\\|")
        rows.append(f"| {mutant.name or mutant.file}: {change} | {' '.join(why.split())} |")
    return line, "\n".join(rows), share, open_


def arguments():
    parser = argparse.ArgumentParser(prog="tests.mutants", description=__doc__.split("\n\n")[0])
    parser.add_argument("-n", type=int, default=160, help="how many besides the described ones")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--files", help="patterns of sources, with commas")
    parser.add_argument("--named", action="store_true", help="the described ones alone")
    parser.add_argument("--generated", action="store_true", help="without the described ones")
    parser.add_argument("--write", action="store_true", help=f"put the figures into {DOCS.name}")
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def main():
    args = arguments()
    print(f"SEED={args.seed}", flush=True)
    OUT.mkdir(parents=True, exist_ok=True)
    run = Run(args)
    with ThreadPoolExecutor(args.jobs) as pool:
        if not args.generated:
            run.described(pool)
        if not args.named:
            run.generated(pool, args.n)
    line, text, share, open_ = report(run)
    (OUT / "table.md").write_text(text + "\n")
    if args.write:
        put_between(DOCS, BEGIN, END, text)
        run.results.write(run.done)
    print(line)
    return 1 if share < GOAL or run.gone or any(mutant.name for mutant in open_) else 0


if __name__ == "__main__":
    sys.exit(main())
