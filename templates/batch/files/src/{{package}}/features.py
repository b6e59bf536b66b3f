"""What trees see of the arrays: put your own in its place. Here: which word comes before which."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from .data import Arrays

# What `bench` measures: settings by name. The first is measured on the CPU too.
BENCH: dict[str, dict[str, Any]] = {
    "tutorial": {"length": 80, "examples": 25_000},
}

BUCKETS = 4096
NEAR = 6  # words


def features(inputs: Arrays) -> csr_matrix:
    """How often each pair of words, in this order and near one another, is in each text."""
    tokens, rows, columns = inputs["tokens"], [], []
    wide = tokens.astype(np.int64)
    for distance in range(1, min(NEAR, tokens.shape[1])):
        before, after = wide[:, :-distance], wide[:, distance:]
        row, column = np.nonzero((before > 0) & (after > 0))
        pairs = before[row, column] * 1_000_003 + after[row, column]
        rows.append(row)
        columns.append(pairs * 2_654_435_761 % 2**32 % BUCKETS)
    row, column = np.concatenate(rows), np.concatenate(columns)
    ones = np.ones(len(row), np.float32)
    return csr_matrix((ones, (row, column)), (len(tokens), BUCKETS))
