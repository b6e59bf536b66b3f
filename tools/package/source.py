"""Makes the source archive: what git tracks at HEAD, below tmplgen-VERSION/.

source.py OUT    writes OUT/tmplgen-VERSION.tar.gz, the same bytes for the same commit
"""

import gzip
import sys
from pathlib import Path
from subprocess import check_output

from common import TOP, epoch, version

# What a user's configuration would change of the bytes.
SETTINGS = ["-c", "tar.umask=0002", "-c", "core.autocrlf=false", "-c", "core.attributesFile="]

if __name__ == "__main__":
    name = f"tmplgen-{version()}"
    tar = check_output(["git", *SETTINGS, "archive", f"--prefix={name}/", "HEAD"], cwd=TOP)
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with open(out / f"{name}.tar.gz", "wb") as file:
        with gzip.GzipFile("", "wb", 9, file, mtime=epoch()) as packed:
            packed.write(tar)
    print(out / f"{name}.tar.gz")
