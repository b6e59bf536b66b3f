"""What a run tells: JSON lines for people and programs, and a text file for Prometheus."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

from . import files

EVERY = 1.0  # seconds: nobody reads the gauges more often, and a small step is faster than a file


class Progress:
    """metrics.jsonl, one object for each line, and metrics.prom with the newest values.

    A resumed run drops the lines behind its checkpoint, so that no step is in the file twice.
    """

    def __init__(self, folder: Path, step: int, quiet: bool = False) -> None:
        self._lines = folder / "metrics.jsonl"
        self._prom = folder / "metrics.prom"
        self._values: dict[str, float] = {}
        self._shown = -math.inf  # when the gauges were written
        self._quiet = quiet
        if not quiet:
            folder.mkdir(parents=True, exist_ok=True)
            files.write(self._lines, "".join(self._until(step)).encode())

    def _until(self, step: int) -> list[str]:
        if not self._lines.exists():
            return []
        kept = []
        for line in self._lines.read_text(encoding="utf-8").splitlines(keepends=True):
            try:
                if json.loads(line)["step"] <= step:
                    kept.append(line)
            except (ValueError, KeyError, TypeError):
                continue  # cut off by a crash
        return kept

    def add(self, step: int, **values: float) -> None:
        """One line, and once a second the gauges."""
        if self._quiet:
            return
        # JSON has no word for what is no number.
        plain = {
            name: round(value, 6) if math.isfinite(value) else None
            for name, value in values.items()
        }
        text = json.dumps({"step": step, **plain}, allow_nan=False)
        with files.naming(self._lines), self._lines.open("a", encoding="utf-8") as file:
            file.write(text + "\n")
        self._values.update({"step": step, **values})
        if time.monotonic() - self._shown >= EVERY:
            self._show()

    def close(self) -> None:
        """Leaves the newest values behind."""
        if self._values:
            self._show()

    def _show(self) -> None:
        files.write(self._prom, self.exposition().encode(), lasting=False)
        self._shown = time.monotonic()

    def exposition(self) -> str:
        """The newest values as node_exporter's textfile collector reads them."""
        lines = []
        for name, value in sorted(self._values.items()):
            lines += [f"# TYPE batch_{name} gauge", f"batch_{name} {value}"]
        return "\n".join(lines) + "\n"
