"""The program under test, and what one run of it leaves behind."""

import json
import os
import shlex
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .schemas import check

ROOT = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("TMPLGEN", ROOT / "build" / "tmplgen")).resolve()
FLAGS = BINARY.parent / "flags"
SANITIZED = FLAGS.exists() and "-fsanitize" in FLAGS.read_text()
VALGRIND = "valgrind" in BINARY.name
# Slow, and with more memory than it uses.
INSTRUMENTED = SANITIZED or VALGRIND


def typed_as_tmplgen(folder: Path) -> Path:
    """FOLDER, made, with a command `tmplgen` in it: the program under test, whatever its file's
    name is. For a PATH under which commands of documents and messages are typed."""
    folder.mkdir(parents=True, exist_ok=True)
    command = folder / "tmplgen"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(str(BINARY))} "$@"\n')
    command.chmod(0o755)
    return folder


@dataclass
class Result:
    code: int
    out: str
    err: str

    @cached_property
    def json(self) -> dict:
        """The one document on standard output, which must be as docs/json.md says."""
        document = json.loads(self.out)
        check(document)
        assert document["exit"] == self.code
        return document
