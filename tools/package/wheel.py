"""Makes a wheel of the one file: `pip install tmplgen` puts it on PATH. There is no Python in it.

    wheel.py ARCH FILE SHARE LICENCES OUT    writes OUT/tmplgen-VERSION-...-ARCH.whl

SHARE has manual pages and completions as `make install` puts them; LICENCES those of the libraries
in FILE. The format:
https://packaging.python.org/en/latest/specifications/binary-distribution-format/
"""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

from common import LICENCE, SUMMARY, TOP, epoch, python_version, zip_date

TAG = "py3-none-manylinux_2_28_{}"
METADATA = """Metadata-Version: 2.4
Name: tmplgen
Version: {version}
Summary: {summary}
License-Expression: {licence}
{files}
Keywords: machine-learning,cuda,gpu,pytorch,templates,kubernetes
Classifier: Environment :: Console
Classifier: Intended Audience :: Developers
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: Software Development :: Code Generators
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""


def record_of(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def readme():
    """The README for the page of the index, from which no link to a file or a heading leads."""
    return re.sub(r"\[([^]]+)\]\((?!https?:)[^)]+\)", r"\1", (TOP / "README.md").read_text())


def members(arch, file, share, licences):
    """(name, content, executable) of what is in the wheel, but for its RECORD."""
    version = python_version()
    data, info = f"tmplgen-{version}.data", f"tmplgen-{version}.dist-info"
    yield f"{data}/scripts/tmplgen", file.read_bytes(), True
    for path in sorted(it for it in share.rglob("*") if it.is_file()):
        place = path.relative_to(share)
        if place.parts[0] != "doc" and path.name != "gpu-smoke.1":
            yield f"{data}/data/share/{place}", path.read_bytes(), False
    texts = {"LICENSE": TOP / "LICENSE"}
    texts |= {f"third-party/{it.name}": it for it in sorted(licences.iterdir())}
    for name, path in texts.items():
        yield f"{info}/licenses/{name}", path.read_bytes(), False
    metadata = METADATA.format(
        version=version,
        summary=SUMMARY,
        licence=LICENCE,
        files="\n".join(f"License-File: {name}" for name in texts),
        readme=readme(),
    )
    yield f"{info}/METADATA", metadata.encode(), False
    wheel = f"Wheel-Version: 1.0\nGenerator: tmplgen\nRoot-Is-Purelib: false\nTag: {TAG}\n"
    yield f"{info}/WHEEL", wheel.format(arch).encode(), False


def write(arch, file, share, licences, out):
    version = python_version()
    record = f"tmplgen-{version}.dist-info/RECORD"
    rows = []
    out.mkdir(parents=True, exist_ok=True)
    target = out / f"tmplgen-{version}-{TAG.format(arch)}.whl"
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def put(name, content, executable):
            entry = zipfile.ZipInfo(name, zip_date(epoch()))
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)

        for name, content, executable in members(arch, file, share, licences):
            put(name, content, executable)
            rows.append(record_of(name, content))
        put(record, "\n".join([*rows, f"{record},,", ""]).encode(), False)
    return target


if __name__ == "__main__":
    print(write(sys.argv[1], *map(Path, sys.argv[2:])))
