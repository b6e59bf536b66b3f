"""The benchmark's table."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).parent.parent / "bench/bench_ops.py"


def test_the_table_has_a_row_for_each_device_and_says_what_was_not_measured(tmp_path):
    command = [sys.executable, str(BENCH), "--quick", "--out", str(tmp_path)]
    subprocess.run(command, check=True, timeout=300)
    results = json.loads((tmp_path / "results.json").read_text())
    devices = {row["device"] for row in results["rows"]}
    assert {"cpu", "cuda"} <= devices
    for row in results["rows"]:
        assert (row["seconds"] is None) == bool(row["not_measured"])
        assert row["seconds"] is None or row["seconds"] > 0
    assert any(row["seconds"] for row in results["rows"] if row["device"] == "cpu")
    table = (tmp_path / "RESULTS.md").read_text()
    assert table.count("\n| ") == len(results["rows"]) + 2  # the head
