"""The program under test, and what one run of it leaves behind."""

import json
import os
import shlex
from dataclasses import dataclass
from pathlib import Path

from .schemas import check

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("TMPLGEN", ROOT / "build" / "tmplgen")).resolve()
# A program to run it under, such as valgrind.
WRAPPER = shlex.split(os.environ.get("TMPLGEN_WRAPPER", ""))


@dataclass
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> dict:
        """The one document on standard output, which must be as docs/json.md says."""
        document = json.loads(self.out)
        check(document)
        assert document["exit"] == self.code
        return document
