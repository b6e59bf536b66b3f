"""Makes a Debian package of what `make` built and `make install` would install.

    deb.py INSTALLED SCRATCH OUT    writes OUT/tmplgen_VERSION_ARCH.deb

It is for the distribution that it was built on: its dependencies are those of the program here.
"""

import os
import shutil
import subprocess
import sys
from email.utils import formatdate
from pathlib import Path

from common import TOP, debian_version, epoch, git, version

CHANGELOG = """tmplgen ({version}) unstable; urgency=medium

  * Version {upstream}.

 -- {maintainer}  {date}
"""


def maintainer():
    """Who packs it: as Debian's tools are told, or who made the commit."""
    if os.environ.get("DEBEMAIL"):
        return "{DEBFULLNAME} <{DEBEMAIL}>".format(**{"DEBFULLNAME": "tmplgen", **os.environ})
    return git("log", "-1", "--format=%cn <%ce>")


def make(installed, scratch, out):
    source = scratch / "tmplgen"
    shutil.rmtree(scratch, ignore_errors=True)
    shutil.copytree(TOP / "tools/package/debian", source / "debian")
    control = source / "debian/control"
    control.write_text(control.read_text().replace("@MAINTAINER@", maintainer()))
    (source / "debian/rules").chmod(0o755)
    (source / "debian/changelog").write_text(
        CHANGELOG.format(
            version=debian_version(),
            upstream=version(),
            maintainer=maintainer(),
            date=formatdate(epoch()),
        )
    )
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    env |= {"INSTALLED": str(installed.resolve()), "SOURCE_DATE_EPOCH": str(epoch())}
    build = ["dpkg-buildpackage", "-b", "--no-sign", "-d"]
    done = subprocess.run(build, cwd=source, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    out.mkdir(parents=True, exist_ok=True)
    for package in scratch.glob("*.deb"):
        if "dbgsym" not in package.name:
            print(shutil.copy(package, out))


if __name__ == "__main__":
    make(*map(Path, sys.argv[1:]))
