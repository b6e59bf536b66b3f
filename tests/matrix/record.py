"""Asks the package index and writes tests/data anew: python -m tests.matrix.record."""

import gzip
import json
import subprocess
import tempfile
from pathlib import Path

from ..common.program import BINARY

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "data" / "index-record.json.gz"


def ask(folder, command):
    """What `verify` and `refresh` of the shipped rows ask, whatever they find."""
    path = Path(folder) / f"{command}.json"
    words = [BINARY, "matrix", command, "--catalog", ROOT, "--record", path]
    done = subprocess.run(words, stdout=subprocess.DEVNULL, check=False)
    assert done.returncode in (0, 6), done.returncode
    return json.loads(path.read_text())


def add(record, other):
    """What another record knows besides."""
    for name, releases in other["projects"].items():
        known = record["projects"].setdefault(name, releases)
        for version, release in (releases or {}).items():
            if known.get(version, {}).get("requires") is None:
                known[version] = release


def main():
    with tempfile.TemporaryDirectory() as folder:
        record = ask(folder, "verify")
        add(record, ask(folder, "refresh"))
    text = json.dumps(record, separators=(",", ":")).encode()
    RECORD.write_bytes(gzip.compress(text, 9, mtime=0))
    print(f"{RECORD}: {len(text)} bytes, asked on {record['asked']}")


if __name__ == "__main__":
    main()
