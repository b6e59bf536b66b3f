"""Time and memory grow at most as n log n until a limit answers, whatever the construct."""

import os
import random
import re

import pytest

from ..common.measure import MIB, Run
from . import tables
from .growth import DONE, FACTOR, grow, run_once
from .hostile import Construct, constructs
from .place import LIMIT

# Constructs of which a run tries that many; `make soak` tries all.
FEW, MORE = 6, 40
KEYS = {
    "manifest ": "catalog/manifest/manifest.c",
    "base image ": "catalog/manifest/base_image.c",
    "record ": "child/record/record.c",
    "catalog ": "catalog/source/catalog.c",
}
# What a record has one of each, of a fixed length.
FIXED = {"schema", "render", "tree", "inputs", "engine"}


def names():
    return [construct.name for construct in constructs()]


def test_every_name_of_the_tables_is_covered():
    found = " ".join(names())
    for kind, rows in {"filter": tables.filters(), "test": tables.tests()}.items():
        assert rows
        assert not [row[0] for row in rows if f"{kind} {row[0]}:" not in found]
    for kind, rows in tables.methods().items():
        assert not [row[0] for row in rows if f"method {kind} {row[0]}:" not in found]


@pytest.mark.parametrize("kind", KEYS)
def test_every_key_is_covered(kind):
    known = tables.keys(KEYS[kind]) - FIXED
    words = {word.rstrip(":") for name in names() if kind in name for word in name.split()}
    assert known and not known - words


def test_every_section_of_the_matrix_is_covered():
    found = names()
    assert not [s for s, _ in tables.sections() if f"matrix {s}: check" not in found]


def drawn(every, count):
    """So many, by a seed that is printed: others with each commit."""
    seed = int(os.environ.get("TMPLGEN_SEED") or os.environ.get("TURNS") or 20260101)
    print(f"TMPLGEN_SEED={seed}")
    return random.Random(seed).sample(every, count)


# What no catalog may hold, whatever its size: how long the word is shows in the error alone.
REFUSED = {
    "construct open comment",
    "manifest question type unknown",
    "manifest stack unknown",
    "manifest refuse because",
    "manifest YAML unknown keys",
    "base image framework unknown",
    "base image flavour unknown",
    "record template: update",
}


def groups():
    """Constructs by name; those of one function of the language are together."""
    found = {}
    for construct in constructs():
        of_language = re.match(r"(filter|test|method) [^:]*", construct.name)
        found.setdefault(of_language[0] if of_language else construct.name, []).append(construct)
    return found


def reaches(meter, construct):
    """Whether the smallest size is done with or comes to a limit: else no larger one tells more."""
    run = run_once(meter, construct, FACTOR)
    return run and (run.code in DONE or re.search(LIMIT, run.err, re.IGNORECASE))


def stuck(meter, names):
    every = groups()
    return [n for n in names if not any(reaches(meter, construct) for construct in every[n])]


def test_a_sample_says_what_it_tests(meter):
    assert not stuck(meter, drawn(sorted(groups().keys() - REFUSED), FEW))


@pytest.mark.full
def test_a_quarter_says_what_it_tests(meter):
    names = sorted(groups().keys() - REFUSED)
    assert not stuck(meter, drawn(names, len(names) // 4))


@pytest.mark.soak
def test_every_construct_says_what_it_tests(meter):
    assert groups().keys() >= REFUSED
    assert not stuck(meter, groups().keys() - REFUSED)


class Clock:
    """A meter whose runs take what is said: `cpu` seconds for n, on the machine's n-th run."""

    def __init__(self, folder, cpu, code=0):
        self.folder, self.cpu, self.code, self.runs = folder, cpu, code, 0

    def __call__(self, *words):
        n = int((self.folder / "cat" / "n").read_text())
        self.runs += 1
        cpu = self.cpu(n, self.runs)
        return Run(self.code if n > 1000 else 0, "", "", cpu, cpu, MIB, False)


@pytest.mark.parametrize(
    ("cpu", "code", "wrong"),
    [
        (lambda n, run: 1e-4 * n, 0, ""),
        (lambda n, run: 5e-8 * n * n, 0, "cpu x 100 at 10000"),
        (lambda n, run: 1e-4 * n * (2 if run == 4 else 1), 0, ""),  # slow for one run
        (lambda n, run: 1e-4 * n * (2 if run >= 4 else 1), 0, ""),  # and from then on
        (lambda n, run: 10 if n > 1000 else 1e-4 * n, 0, "more than a run may take at 10000"),
        (lambda n, run: 1e-4 * n, -9, "it was killed at 10000"),
        (lambda n, run: 1e-4 * n, -11, "it ended by signal 11 at 10000"),
    ],
)
def test_growth_is_told_from_a_busy_machine(tmp_path, cpu, code, wrong):
    construct = Construct("n", lambda n: {"n": str(n)}, most=10**4)
    assert grow(Clock(tmp_path, cpu, code), construct).wrong.startswith(wrong)
    assert bool(grow(Clock(tmp_path, cpu, code), construct).wrong) == bool(wrong)


def grow_slowly(meter, some):
    growths = [grow(meter, construct) for construct in some]
    wrong = [f"{growth.construct.name}: {growth.wrong}" for growth in growths if growth.wrong]
    assert not wrong, "\n".join(wrong)


def test_a_sample_grows_slowly(meter):
    grow_slowly(meter, drawn(constructs(), FEW))


@pytest.mark.full
def test_a_larger_sample_grows_slowly(meter):
    grow_slowly(meter, drawn(constructs(), MORE))


@pytest.mark.soak
@pytest.mark.parametrize("name", groups())
def test_growth(meter, name):
    grow_slowly(meter, groups()[name])
