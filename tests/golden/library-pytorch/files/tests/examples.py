"""Runs the examples in the docstrings of what the package exports.

ci/check-dist.sh does so where nothing but the wheel is installed, ci/check-image.sh in the image.
"""

import doctest
import inspect

import pytorch_library as library


def run() -> int:
    """How many examples there were; a function without one, or a wrong one, is an error."""
    runner = doctest.DocTestRunner()
    for name in library.__all__:
        exported = getattr(library, name)
        found = doctest.DocTestFinder().find(exported, name)
        if inspect.isfunction(exported) and not any(test.examples for test in found):
            raise SystemExit(f"the docstring of {name} has no example (>>>)")
        for test in found:
            runner.run(test)
    failed, tried = runner.summarize()
    if failed:
        raise SystemExit(f"{failed} of {tried} examples are wrong")
    return tried


if __name__ == "__main__":
    print(library.__name__, library.__version__, "works:", run(), "examples")
