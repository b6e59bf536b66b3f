"""From text to numbers: goes with features.py."""

from __future__ import annotations

import pytest

from it import features


def test_features_tell_pairs_and_order_apart():
    buckets = 1 << 30
    assert set(features.extract("not good", buckets)) > set(features.extract("good", buckets))
    assert set(features.extract("a b", buckets)) != set(features.extract("b a", buckets))
    assert features.extract("Not GOOD!", buckets) == features.extract("not good", buckets)
    assert features.extract("", buckets) == []
    assert all(0 <= feature < 8 for feature in features.extract("many different words here", 8))


def test_bags_are_shares_and_all_of_a_text():
    rows = features.bags(["a a b", ""])
    assert rows.shape == (2, features.BUCKETS)
    assert rows[0].sum() == pytest.approx(1)
    assert rows[0, features.extract("a")[0]] == pytest.approx(2 / 5)
    assert not rows[1].any()
