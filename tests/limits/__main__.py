"""
`python -m tests.limits [WORD...]`: every construct whose name has one of the words, up to a limit;
prints the table of docs/reliability.md, and on standard error what grows too fast, as it is found.
"""

import sys
import tempfile
from pathlib import Path

from .growth import grow, table
from .hostile import constructs
from .measure import Meter


def main(words):
    found = []
    for construct in constructs():
        if words and not any(word in construct.name for word in words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            found.append(grow(Meter(Path(folder)), construct))
        if found[-1].wrong:
            print(f"{construct.name}: {found[-1].wrong}", file=sys.stderr, flush=True)
    print(table(found), end="")
    return any(growth.wrong for growth in found)


sys.exit(main(sys.argv[1:]))
