"""Machines that are made up: a mount namespace with its own PCI bus and driver, and the fake driver
library on the loader's path. The container engine is a fake: a container is the same machine again.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ..smoke.root import Root
from ..smoke.workshop import SOURCE, Workshop
from .support import HANGS_S, clean_env

ENGINE = """#!/bin/sh
# docker: what an image holds beside gpu-smoke is not of this test.
case $1 in
    create) echo made; exit ;;
    cp) cp smoke/gpu-smoke.image "$3"; exit ;;
    port) echo 127.0.0.1:1; exit ;;
    inspect) echo 0; exit ;;
    run) shift ;;
    *) exit 0 ;;
esac
folder=
while :; do
    case $1 in
        --rm | --detach | --read-only) shift ;;
        --volume) folder=${2%%:*}; shift 2 ;;
        --*) shift 2 ;;
        *) break ;;
    esac
done
shift
[ -z "$folder" ] || mount --bind "$folder" /mnt
case "$*" in
    *gpu-smoke*) PATH=$PWD/smoke:$PATH exec "$@" ;;
esac
"""

# What the service would answer, whatever is asked.
CURL = """#!/bin/sh
echo '"predictions":[{"label":"negative"}]'
echo 'inference_http_requests_total{predict}'
"""


class Machine:
    """A folder `over` with what the machine shows instead of this one's."""

    def __init__(self, folder):
        folder.mkdir()
        temporary = Path(tempfile.gettempdir()) / f"gpu-smoke-tests-{os.getuid()}"
        temporary.mkdir(mode=0o700, exist_ok=True)
        self.workshop = Workshop(temporary)
        self.root = Root(folder / "over", self.workshop)
        for place in ("sys/bus/pci/devices", "proc/driver"):
            (self.root.path / place).mkdir(parents=True)
        self.bin = folder / "bin"
        self.bin.mkdir()
        for name, text in (("docker", ENGINE), ("curl", CURL)):
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)
        self.libraries = folder / "lib"
        self.compile_once()
        self.libraries.mkdir()
        self.env = {}

    def compile_once(self):
        """A `cc` that gives what the real one makes of those words, which takes it two seconds."""
        command = ["cc", "-std=gnu11", "-O2", SOURCE, "-ldl"]
        made = self.workshop.make("gpu-smoke-of-children", [SOURCE], list(map(str, command)))
        words = "-std=gnu11 -O2 -o smoke/gpu-smoke smoke/gpu_smoke.c -ldl"
        lines = ["#!/bin/sh", f'[ "$*" = "{words}" ] || exit 2', f"cp {made} smoke/gpu-smoke", ""]
        self.bin.joinpath("cc").write_text("\n".join(lines))
        self.bin.joinpath("cc").chmod(0o755)

    def run(self, words, folder):
        """The words in the folder, on this machine: status and all that was said."""
        over = self.root.path
        places = [p for p in ("sys/bus/pci", "proc/driver", "proc/devices") if (over / p).exists()]
        mounts = "".join(f"mount --bind {over}/{p} /{p} && " for p in places)
        command = ["unshare", "--mount", "sh", "-c", f'{mounts}exec "$@"', "sh", *map(str, words)]
        path = f"{self.bin}:{os.environ['PATH']}"
        more = {"PATH": path, "LD_LIBRARY_PATH": str(self.libraries), **self.env}
        done = subprocess.run(
            command, cwd=folder, env=clean_env(**more), stdin=subprocess.DEVNULL, timeout=HANGS_S,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout


def with_its_own_compiler(machine):
    (machine.bin / "cc").unlink()
    return that_works(machine)


def without_gpu(machine):
    return machine


def without_driver(machine):
    machine.root.gpu(driver=None)
    return machine


def that_works(machine):
    machine.root.gpu().module()
    shutil.copy(machine.workshop.library("cuda"), machine.libraries / "libcuda.so.1")
    machine.env["FAKE_CUDA"] = "driver=13000"
    return machine


def with_an_old_driver(machine):
    that_works(machine).root.module("450.80.02")
    return machine
