"""The table."""

from __future__ import annotations

import pytest

from job import data


def test_a_row_that_is_no_number_is_refused():
    with pytest.raises(ValueError, match="could not convert"):
        data.Item.of({"x": "much", "label": "a"})
