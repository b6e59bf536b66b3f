"""The tokens."""

from __future__ import annotations

from job import data


def test_tokens_are_bytes_but_never_padding():
    assert data.tokenize("a\u00e9") == [98, 196, 170]
