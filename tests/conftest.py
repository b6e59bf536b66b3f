"""For all suites: assertions in helpers show their values; each test's processor time is noted."""

import resource
from pathlib import Path

import pytest

HERE = Path(__file__).parent
pytest.register_assert_rewrite(
    *(f"tests.{path.parent.name}" for path in HERE.glob("*/__init__.py"))
)


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
