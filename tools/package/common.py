"""What everything that is released says of itself."""

import calendar
import os
import re
import subprocess
import time
from pathlib import Path
from urllib.parse import quote

TOP = Path(__file__).resolve().parents[2]
SUMMARY = "Machine-learning repositories in which every layer of the GPU stack matches the next"
# Of the one file: ours, and those of the libraries in it (tools/portable/sources).
LICENCE = (
    "Apache-2.0 AND (GPL-2.0-only WITH GCC-exception-2.0) AND LGPL-2.1-or-later AND MIT"
    " AND BSD-3-Clause AND Zlib"
)


def version():
    """Of the program: catalog.yml has the same (tests/tools/test_repository.py)."""
    return re.search(r'TMPLGEN_VERSION "(.*)"', (TOP / "src/tmplgen.h").read_text())[1]


def python_version():
    """As Python's packages write it: 0.3.1-dev is 0.3.1.dev0."""
    return version().replace("-dev", ".dev0")


def debian_version():
    """As Debian writes it: 0.3.1-dev comes before 0.3.1."""
    return version().replace("-", "~")


def git(*words):
    done = subprocess.run(["git", *words], cwd=TOP, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def epoch():
    """Seconds: of SOURCE_DATE_EPOCH, of the commit, or of the newest release of the catalog."""
    if given := os.environ.get("SOURCE_DATE_EPOCH"):
        return int(given)
    try:
        if Path(git("rev-parse", "--show-toplevel")) == TOP:
            return int(git("log", "-1", "--format=%ct"))
    except (OSError, subprocess.CalledProcessError):
        pass  # an archive of the source
    newest = (TOP / "releases/index.txt").read_text().split()[-1]
    return calendar.timegm(time.strptime(newest, "%Y-%m-%d"))


def zip_date(seconds):
    """As zip has it: no zone, and an even second."""
    return max(time.gmtime(seconds)[:6], (1980, 1, 1, 0, 0, 0))


def sources():
    """The rows of tools/portable/sources: package, version, file, sha256, licence."""
    lines = (TOP / "tools/portable/sources").read_text().splitlines()
    return [line.split(maxsplit=4) for line in lines if line and not line.startswith("#")]


def purl(package, number):
    """The address of Debian's source package, for scanners: its parts are percent-encoded."""
    return f"pkg:deb/debian/{package}@{quote(number, safe='')}?arch=source&distro=trixie"
