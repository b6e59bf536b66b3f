"""Binaries with catalogs of a test's own built in, releases and all."""

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

from ..common.program import BINARY, ROOT
from .evolution import copy_catalog, set_version

BUILD = BINARY.parent if (BINARY.parent / "libtmplgen.a").exists() else ROOT / "build"


def shell(*words, cwd):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def link(folder, name):
    """A binary with the catalog that lies in `folder`, its releases and all."""
    shell(BUILD / "catalog-pack", "embed", ".", cwd=folder)
    libraries = shell(
        *("pkg-config", "--libs", "libgit2", "yaml-0.1", "libcurl", "jansson", "libcrypto", "zlib"),
        cwd=folder,
    ).split()
    flags = [w for w in (BUILD / "flags").read_text().split() if w.startswith("-fsanitize")]
    shell("cc", "-I", ROOT / "src", "-c", "catalog_data.c", "-o", "catalog_data.o", cwd=folder)
    objects = [BUILD / "src" / "main.o", "catalog_data.o", BUILD / "libtmplgen.a"]
    shell("cc", *flags, "-o", name, *objects, *libraries, "-lm", cwd=folder)
    return folder / name


def once(factory, name, make):
    """The files that `make(folder)` made, in whichever process of this run came to it first."""
    top = factory.getbasetemp()
    place = (top.parent if "PYTEST_XDIST_WORKER" in os.environ else top) / name
    place.mkdir(exist_ok=True)
    with (place / "made").open("a+") as made:
        fcntl.flock(made, fcntl.LOCK_EX)
        made.seek(0)
        if not (paths := made.read().splitlines()):
            paths = [str(path) for path in make(place / "catalog")]
            made.write("\n".join(paths))
    return [Path(path) for path in paths]


def release_of_today(folder, change=lambda _: None):
    """A binary that holds the real releases and the catalog as it is here, `change`d, as 99.0.0."""
    copy_catalog(folder)
    shutil.copytree(ROOT / "releases", folder / "releases")
    change(folder)
    set_version(folder, "99.0.0")
    shell(BUILD / "catalog-pack", "release", "2099-01-01", cwd=folder)
    return link(folder, "tmplgen-newest")
