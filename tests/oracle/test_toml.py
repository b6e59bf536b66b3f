"""
Which documents are valid TOML: ours against Python's tomllib.

tomllib is laxer than TOML 1.0 where integers do not fit into 64 bits, and stricter where a second
is 60 or a year 0000; ours goes with it, for it is what reads most pyproject.toml files. They
differ, on purpose, where nothing here is generated: arrays and inline tables deeper than 64 and
documents over 8 MiB are invalid to ours (tomllib ends at Python's recursion limit), and integers
of more than 4300 digits are to Python.
"""

import os
import random
import subprocess
import tomllib
from pathlib import Path

import pytest

SEED = int(os.environ.get("SEED") or 20261122)


def read_groups():
    groups = {}
    for line in (Path(__file__).parent / "toml.txt").read_text().splitlines()[2:]:
        if line.startswith("%% "):
            group = groups.setdefault(line[3:], [])
        else:
            group.append(line.replace("|", "\n").replace("~", "\r"))
    return groups


GROUPS = read_groups()

PYPROJECT = """\
[build-system]
requires = ["hatchling>=1.25"]
build-backend = "hatchling.build"

[project]
name = "demo"
version = "0.1.0"
dependencies = [
    "numpy>=1.26",  # arrays
    'torch==2.5.1',
]
[project.optional-dependencies]
test = ["pytest>=8"]
[tool.uv]
sources.torch = { index = "pytorch", marker = "sys_platform == 'linux'" }
[[tool.uv.index]]
name = "pytorch"
url = "https://example.com/whl/cu124"
explicit = true
[tool.pytest.ini_options]
addopts = \"\"\"
-q \\
  --strict\"\"\"
released = 2024-11-05T10:11:12.5+01:00
"""


def documents():
    for group in GROUPS.values():
        yield from (document.encode() for document in group)
    yield b""
    yield PYPROJECT.encode()
    yield b"\xef\xbb\xbfa = 1"
    yield b'a = "\xff"'
    yield b'a = "\xed\xa0\x80"'
    yield b'a = "\xc0\x80"'
    for byte in range(256):
        for text in (b'a = "%b"', b"a = '%b'", b"# %b", b"%b = 1", b"a = %b", b'a = """%b"""'):
            yield text % bytes([byte])


def is_valid(document):
    try:
        tomllib.loads(document.decode())
    except ValueError:  # UnicodeDecodeError and TOMLDecodeError are
        return False
    return True


def ask(probe, docs):
    framed = b"".join(b"%d\n%b" % (len(doc), doc) for doc in docs)
    done = subprocess.run([probe], input=framed, capture_output=True, check=True)
    assert len(done.stdout) == len(docs)
    return [answer == ord("1") for answer in done.stdout]


def compare(probe, docs):
    """How many of them are valid; all judged alike."""
    expected = [is_valid(doc) for doc in docs]
    answers = ask(probe, docs)
    wrong = [(d, e) for d, e, a in zip(docs, expected, answers, strict=True) if e != a]
    assert not wrong, f"{len(wrong)} differ; (document, tomllib says valid): {wrong[:5]}"
    return sum(expected)


def test_written_documents(toml_probe):
    docs = list(documents())
    valid = compare(toml_probe, docs)
    assert 300 < valid < len(docs) - 300


PARTS = ["a", "b", "c", "a", "b", '"a"', "'b'", '""', "a-1"]
PIECES = [*b"\n\r[]{},.=\"'\\# _-0ae\t\0\x7f\xff:", b"]]", b'"""', b"\xc3\xa9"]


class Generator:
    """Documents of few keys, so that they meet each other."""

    def __init__(self, rng):
        self.rng = rng

    def key(self):
        dots = self.rng.choice([0, 0, 0, 1, 1, 2, 3])
        return self.rng.choice([".", ".", " . "]).join(self.rng.choices(PARTS, k=dots + 1))

    def scalar(self):
        group = GROUPS[self.rng.choice(["strings", "numbers"])]
        text = self.rng.choice(group).partition("= ")[2]
        return text if is_valid(f"a = {text}".encode()) or self.rng.random() < 0.02 else "1"

    def value(self, depth=0):
        kind = self.rng.random()
        if kind < 0.7 or depth > 3:
            return self.scalar()
        count = self.rng.choice([0, 1, 1, 2, 3])
        if kind < 0.85:
            gap = self.rng.choice(["", " ", "\n", " # x\n"])
            end = self.rng.choice(["", ","]) if count else ""
            values = f",{gap}".join(self.value(depth + 1) for _ in range(count))
            return f"[{gap}{values}{end}{gap}]"
        pairs = (f"{self.key()} = {self.value(depth + 1)}" for _ in range(count))
        return "{" + ", ".join(pairs) + "}"

    def line(self):
        kind = self.rng.random()
        if kind < 0.2:
            return f"[{self.key()}]"
        if kind < 0.3:
            return f"[[{self.key()}]]"
        return f"{self.key()} = {self.value()}"

    def document(self):
        end = self.rng.choice(["\n", "\n", "\n", "\r\n", "\n# c\n"])
        return "".join(self.line() + end for _ in range(self.rng.choice([1, 2, 3, 4, 6]))).encode()

    def mutated(self, document):
        text = bytearray(document)
        for _ in range(self.rng.choice([1, 1, 1, 2, 4])):
            at = self.rng.randint(0, len(text))
            kind = self.rng.random()
            some = self.rng.choice(PIECES)
            some = bytes([some]) if isinstance(some, int) else some
            if kind < 0.4:
                text[at:at] = some
            elif kind < 0.7:
                del text[at : at + self.rng.choice([1, 1, 2, 8])]
            elif kind < 0.85:
                text[at : at + 1] = some
            else:
                end = self.rng.randint(at, len(text))
                text[at:at] = text[at:end]
        return bytes(text)


def run_generated(probe, seed, count):
    rng = random.Random(seed)
    make = Generator(rng)
    written = list(documents())
    docs = []
    for _ in range(count):
        made = make.document() if rng.random() < 0.6 else rng.choice(written)
        docs.append(make.mutated(made) if rng.random() < 0.5 else made)
    valid = compare(probe, docs)
    assert count / 10 < valid < count * 9 / 10


def test_generated_and_mutated_documents(toml_probe):
    print(f"SEED={SEED}")
    run_generated(toml_probe, SEED, 6000)


@pytest.mark.full
@pytest.mark.turns(1)
@pytest.mark.parametrize("part", range(4))
def test_many_generated_and_mutated_documents(toml_probe, part):
    run_generated(toml_probe, SEED + 1 + part, 100000)


def test_limits(toml_probe):
    """Where ours says no and tomllib does not."""
    nested = [b"a = %b%b" % (b"[" * depth, b"]" * depth) for depth in (64, 65)]
    assert ask(toml_probe, nested) == [True, False]
    table = [b"a = %b1%b" % (b"{a=" * depth, b"}" * depth) for depth in (64, 65)]
    assert ask(toml_probe, table) == [True, False]
    line = b"# a comment of 32 bytes, newline\n"
    docs = [line * (8 * 2**20 // len(line)) + more for more in (b"", line)]
    assert ask(toml_probe, docs) == [True, False]
