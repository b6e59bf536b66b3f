"""What a child's lists ask for goes together: pip finds releases for all of them at once.

One pair of type and framework a run, in turns; SEED and PAIRS choose as in test_frameworks.py.
"""

import pytest

from .support import TMPLGEN, run, seed
from .test_frameworks import RELEASES, all_pairs, one_of


def resolve(lists, status=0):
    """What pip says, which fetches what the releases want, and installs nothing."""
    words = [word for path in lists for word in ("--requirement", path)]
    pip = ["python3", "-m", "pip", "--disable-pip-version-check", "install"]
    return run(*pip, "--dry-run", "--ignore-installed", *words, status=status)


@pytest.mark.parametrize("pair", one_of(all_pairs()), ids="/".join)
def test_all_lists_of_a_child_go_together(pair, tmp_path):
    """With a job's options too: MLflow once wanted an older pyarrow than the job's own."""
    print(f"SEED={seed()}")
    kind, framework = pair
    child = tmp_path / "it"
    words = ["--type", kind, "--framework", *RELEASES.get(framework, [framework])]
    run(TMPLGEN, "new", child, *words, "--python", "3.11", "--name", "it")
    assert "Would install" in resolve(sorted((child / "requirements").glob("*.txt")))


def test_lists_that_do_not_go_together_are_seen(tmp_path):
    for name, text in {"one": "pyarrow==26.0.1", "two": "mlflow==3.17.2"}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    assert "ResolutionImpossible" in resolve(sorted(tmp_path.glob("*.txt")), status=1)
