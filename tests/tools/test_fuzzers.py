"""What a fuzzer must begin with, lest it stop testing after its first inputs."""

import pytest

from ..common.program import ROOT

# Those of the smoke test read no catalog: there are no steps to take.
FUZZERS = sorted(p for p in (ROOT / "tests/fuzz").glob("fuzz_*.c") if "smoke" not in p.name)


@pytest.mark.parametrize("path", FUZZERS, ids=lambda p: p.stem)
def test_each_input_is_a_run_of_its_own(path):
    """Steps add up over a run: once they are spent, everything is refused and nothing is tested."""
    entry = path.read_text().split("LLVMFuzzerTestOneInput(")[-1]
    assert entry.split("{")[1].lstrip().startswith("fuzz_begin();")
