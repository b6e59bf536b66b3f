"""For all suites: assertions in helpers show their values; processor time is noted, and saved."""

import os
import random
import resource
import zlib
from pathlib import Path

import pytest
import yaml

# libyaml reads many times as fast as Python does. A test that compares our reading, which is
# libyaml's too, with another's takes common/pure_yaml.
if yaml.__with_libyaml__:
    yaml.SafeLoader = yaml.CSafeLoader

HERE = Path(__file__).parent
pytest.register_assert_rewrite(
    *(f"tests.{path.parent.name}" for path in HERE.glob("*/__init__.py"))
)


def first_of_each(items):
    """Each test function once, with the first of its parameters."""
    first = {(item.path, item.originalname): item for item in reversed(items)}
    return {item for item in items if first[item.path, item.originalname] is item}


def in_turn(items):
    """Of the cases of a test that is marked `turns(n)`, n by the seed; all of any other test."""
    functions = {}
    for item in items:
        functions.setdefault((item.path, item.originalname), []).append(item)
    kept = set()
    for (path, name), cases in functions.items():
        mark = cases[0].get_closest_marker("turns")
        if mark and len(cases) > mark.args[0]:
            drawn = random.Random(f"{os.environ['TURNS']} {path.name} {name}")
            cases = drawn.sample(cases, mark.args[0])
        kept.update(cases)
    return kept


def one_in(count, items):
    """Of all cases every `count`th, others with each turn: all of them in `count` turns."""
    turn = int(os.environ["TURNS"])
    return {it for it in items if zlib.crc32(it.nodeid.encode()) % count == turn % count}


@pytest.hookimpl(trylast=True)  # of what `-m` has left
def pytest_collection_modifyitems(config, items):
    """ONE_OF_EACH=1, TURNS=SEED and ONE_IN=N take some cases; tools/run-tests sets the seed."""
    kept = set(items)
    if os.environ.get("ONE_OF_EACH", "0") != "0":
        kept = first_of_each(items)
    elif os.environ.get("TURNS"):
        kept = in_turn(items)
    if os.environ.get("TURNS") and os.environ.get("ONE_IN"):
        kept &= one_in(int(os.environ["ONE_IN"]), items)
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def spent():
    """The processor time of this process and of all children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    item.cpu_before = spent()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_makereport(item, call):
    """tools/run-tests adds these up for each suite."""
    if call.when == "teardown":
        item.user_properties.append(("cpu", f"{spent() - item.cpu_before:.3f}"))
