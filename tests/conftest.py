"""For all suites: assertions in helpers show their values; each test's processor time is noted."""

import os
import resource
from pathlib import Path

import pytest

HERE = Path(__file__).parent
pytest.register_assert_rewrite(
    *(f"tests.{path.parent.name}" for path in HERE.glob("*/__init__.py"))
)


def pytest_collection_modifyitems(config, items):
    """ONE_OF_EACH=1 takes each test function once, with the first of its parameters."""
    if os.environ.get("ONE_OF_EACH", "0") == "0":
        return
    first = {(item.path, item.originalname): item for item in reversed(items)}
    kept = [item for item in items if first[item.path, item.originalname] is item]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


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
