"""For all suites: an assertion that fails in a helper shows its values, as one in a test does."""

from pathlib import Path

import pytest

HERE = Path(__file__).parent
pytest.register_assert_rewrite(
    *(f"tests.{path.parent.name}" for path in HERE.glob("*/__init__.py"))
)
