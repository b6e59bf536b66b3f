"""Time and memory grow at most as n log n until a limit answers, whatever the construct."""

import os
import random
import time

import pytest

from . import tables
from .growth import grow
from .hostile import constructs

SAMPLE_SECONDS, FULL_SECONDS = 12, 200
KEYS = {
    "manifest ": "catalog/manifest.c",
    "base image ": "catalog/base_image.c",
    "record ": "child/record.c",
    "catalog ": "catalog/catalog.c",
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


def sample(meter, seconds):
    """Constructs by a seed that is printed, for so long."""
    seed = int(os.environ.get("TMPLGEN_SEED", "20260101"))
    print(f"TMPLGEN_SEED={seed}")
    every, end = constructs(), time.monotonic() + seconds
    random.Random(seed).shuffle(every)
    wrong = []
    for construct in every:
        if time.monotonic() > end:
            break
        growth = grow(meter, construct)
        if growth.wrong:
            wrong.append(f"{construct.name}: {growth.wrong}")
    assert not wrong, "\n".join(wrong)


def test_a_sample_grows_slowly(meter):
    sample(meter, SAMPLE_SECONDS)


@pytest.mark.full
def test_a_larger_sample_grows_slowly(meter):
    sample(meter, FULL_SECONDS)


@pytest.mark.soak
@pytest.mark.parametrize("name", names())
def test_growth(meter, name):
    growth = grow(meter, next(c for c in constructs() if c.name == name))
    assert not growth.wrong, growth.wrong
