"""Mutants of C sources: where they come from, and the program with one of them inside."""

import hashlib
import random
import re
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
MUTATE = BUILD / "mutants-venv" / "bin" / "mutate"


# What no compiler of today takes; other warnings would catch some mutants, and are let pass.
WRONG_TYPES = tuple(
    f"-Werror={name}"
    for name in (
        "implicit-function-declaration",
        "incompatible-pointer-types",
        "int-conversion",
        "return-type",
    )
)


class GoneError(Exception):
    """The place of a fault that is described in named.yml is not there any more."""


@dataclass
class Mutant:
    file: str
    text: str  # the whole source
    line: int
    before: str  # the line as it was, and as it is now
    after: str
    name: str = ""  # of a fault that is described in named.yml
    others: tuple = ()  # mutants of other sources that belong to it

    @property
    def shown(self):
        name = f"{self.name} " if self.name else ""
        return f"{name}{self.file}:{self.line}: {self.before} -> {self.after or '(left out)'}"

    def follows(self, text):
        """Whether that stands in one of the three lines before."""
        return any(
            text in line for line in self.text.splitlines()[max(self.line - 4, 0) : self.line]
        )

    @property
    def id(self):
        parts = [text for one in (self, *self.others) for text in (one.file, one.text)]
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


# Lines whose changes never compile, or change nothing that runs.
NOT_CODE = re.compile(
    r"^\s*(#|//|/?\*|\}?\s*$|(static\s+)?(const\s+)?(int|bool|void|struct)\b[^=;]*$)"
)


# Memory that is not given back is the sanitizers' to find: `make test-full` runs the same tests so.
LEAK = re.compile(r"^/\*(\w+_)?(free|release)\([^;]*\);\*/$")

# A function gives 0 or -1, and callers ask whether it is less than 0.
SAME = {
    ("return 0;", "return 1;"),
    ("return 0;", "return (0+1);"),
    ("return -1;", "return -(1+1);"),
}


def difference(old, new):
    """The one place where two sources differ."""
    a, b = old.splitlines(), new.splitlines()
    start = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    before, after = a[start : len(a) - end], b[start : len(b) - end]
    return start + 1, " ".join(" ".join(before).split()), " ".join(" ".join(after).split())


def of_file(file, folder):
    """All that the generator makes of a source, by line."""
    source = (TOP / file).read_text()
    made = folder / hashlib.sha256((file + source).encode()).hexdigest()[:16]
    if not made.is_dir():
        draft = made.with_suffix(".new")
        draft.mkdir(parents=True, exist_ok=True)
        command = [MUTATE, TOP / file, "c", "--noCheck", "--mutantDir", draft]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=draft)
        draft.rename(made)
    found, texts, lines = {}, {source}, source.splitlines()
    for path in sorted(made.glob("*.c")):
        text = path.read_text()
        if text in texts:
            continue
        texts.add(text)
        line, before, after = difference(source, text)
        if not before or (before, after) in SAME or LEAK.match(after):
            continue
        if not NOT_CODE.match(lines[line - 1]):
            found.setdefault(line, []).append(Mutant(file, text, line, before, after))
    return found


def candidates(files, seed, folder, tried=()):
    """
    Those whose ids were tried before, caught or not; then each source line of all files in turn, in
    random order.
    """
    chance = random.Random(seed)
    lines = [(file, line, all_) for file in files for line, all_ in of_file(file, folder).items()]
    for _, _, mutants in lines:
        yield from (mutant for mutant in mutants if mutant.id in tried)
    while lines:
        chance.shuffle(lines)
        for _, _, mutants in lines:
            mutant = mutants.pop(chance.randrange(len(mutants)))
            if mutant.id not in tried:
                yield mutant
        lines = [entry for entry in lines if entry[2]]


def named(entry):
    """A fault as named.yml describes it: one text in the place of another, which is there once."""
    texts = {}
    for change in entry["changes"]:
        source = texts.get(change["file"]) or (TOP / change["file"]).read_text()
        if source.count(change["old"]) != 1:
            raise GoneError(f"{entry['name']}: its place in {change['file']} is not there any more")
        texts[change["file"]] = source.replace(change["old"], change["new"])
    first = entry["changes"][0]["file"]
    source = (TOP / first).read_text()
    line, before, after = difference(source, texts[first])
    others = tuple(Mutant(file, text, 0, "", "") for file, text in texts.items() if file != first)
    return Mutant(first, texts[first], line, before, after, entry["name"], others)


class Compiler:
    """Builds programs with one object replaced, with the commands of the Makefile."""

    def __init__(self):
        wanted = ["build/tmplgen", "unit-tests"]
        shown = subprocess.run(
            ["make", "--no-print-directory", "-n", "-B", "V=1", *wanted],
            cwd=TOP,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        self.commands = {}
        for line in shown.replace("\\\n", " ").splitlines():
            words = shlex.split(line) if " -o build/" in line else []
            if "-o" in words:
                self.commands[words[words.index("-o") + 1]] = words

    def compile(self, mutant, folder):
        """The object, or None where it does not compile or is the object that was there."""
        source = folder / mutant.file
        source.parent.mkdir(parents=True, exist_ok=True)
        words = self.commands[f"build/{mutant.file.removesuffix('.c')}.o"]
        flags = [
            w
            for w in words[1:-3]
            if w not in ("-MMD", "-MP", "-c", "-Werror", "-g", "-Wall", "-Wextra")
        ]
        made = []
        for text, name in (((TOP / mutant.file).read_text(), "old.o"), (mutant.text, "new.o")):
            source.write_text(text)
            out = folder / mutant.file.replace("/", "-").replace(".c", f"-{name}")
            command = [words[0], *flags, *WRONG_TYPES, "-c", "-o", out, source]
            if subprocess.run(command, cwd=TOP, capture_output=True, check=False).returncode:
                return None
            made.append(out)
        return None if made[0].read_bytes() == made[1].read_bytes() else made[1]

    def link(self, program, objects, folder):
        """Before the archive, so that what it has is not taken from there; None: it fails."""
        words = list(self.commands[program])
        out = folder / Path(program).name
        words[words.index("-o") + 1] = str(out)
        at = words.index("build/libtmplgen.a")
        words[at:at] = map(str, objects)
        done = subprocess.run(words, cwd=TOP, capture_output=True, check=False)
        return None if done.returncode else out
