"""Made-up machines: folders that gpu-smoke reads with --root, and runs with --load."""

import json
import os
import re
import shutil
import stat
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

try:
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource
except ImportError:  # on a bare GPU machine: test_gpu.py
    Draft202012Validator = None

MANUAL = Path(__file__).resolve().parents[2] / "docs" / "json.md"

DRIVER = "580.95.05"
LIB = "/usr/lib/x86_64-linux-gnu"
NODES = ["nvidiactl", "nvidia0", "nvidia-uvm"]
LAYERS = [
    "hw",
    "kmod",
    "devnodes",
    "inject",
    "libcuda",
    "init",
    "toolkit",
    "framework",
    "jit",
    "exec",
    "bandwidth",
    "health",
    "sharing",
]
PROPRIETARY = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  {0}  Tue Sep 16 2025\nGCC version:\n"
OPEN = (
    "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  {0}  Release Build  "
    "(dvs-builder@U22-I3-AF03-09-2)\nGCC version:  gcc version 12.2.0\n"
)


@cache
def schemas():
    """The schemas in the manual, by the documents' names."""
    found = re.findall(r"^```json\n(.*?)^```", MANUAL.read_text(), re.MULTILINE | re.DOTALL)
    blocks = {block["$id"]: block for block in map(json.loads, found)}
    dialect = "https://json-schema.org/draft/2020-12/schema"
    registry = Registry()
    for name, block in blocks.items():
        resource = Resource.from_contents({**block, "$schema": dialect})
        # references resolve against the folder of the schema that holds them
        registry = registry.with_resources([(name, resource), (f"tmplgen/{name}", resource)])
    return {name: Draft202012Validator(b, registry=registry) for name, b in blocks.items()}


@dataclass
class Report:
    """What one run left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self):
        document = json.loads(self.out)
        assert document["exit"] == self.code
        if "error" in document:
            assert set(document["error"]) == {"code", "message", "hint", "where"}
        elif Draft202012Validator:
            schemas()[document["schema"]].validate(document)
        return document

    @property
    def finding(self):
        return self.json["finding"]

    @property
    def cause(self):
        return self.finding and self.finding["cause"]

    @property
    def states(self):
        return {row["layer"]: row["state"] for row in self.json["layers"]}

    @property
    def evidence(self):
        return "\n".join(self.finding["evidence"])


class Runner:
    """Runs gpu-smoke in an environment of its own; `script` and `nvml` are for the fakes."""

    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def __call__(self, *args, root=None, script="", nvml="", env=None, json=True, timeout=60):
        words = [str(self.program), *map(str, args)]
        if root is not None:
            words += ["--root", str(root.path)]
            if root.loads:
                words.append("--load")
        if json:
            words.append("--json")
        variables = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", **(env or {})}
        for name, value in (("FAKE_CUDA", script), ("FAKE_NVML", nvml)):
            if value:
                variables[name] = value
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS"):
            if name in os.environ:
                variables[name] = os.environ[name]
        done = subprocess.run(
            words,
            cwd=self.folder,
            env=variables,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        return Report(done.returncode, done.stdout, done.stderr)


class Root:
    """A made-up machine. Methods add to it and give it back, so that they can be chained."""

    def __init__(self, path, workshop):
        self.path = path
        self.workshop = workshop
        self.loads = False
        self._nodes = {}
        self._env = {}
        path.mkdir()

    def file(self, path, content="", mode=0o644):
        at = self.path / path.lstrip("/")
        at.parent.mkdir(parents=True, exist_ok=True)
        if at.is_symlink() or at.exists():
            self.remove(path)
        if isinstance(content, bytes):
            at.write_bytes(content)
        else:
            at.write_text(content)
        at.chmod(mode)
        return self

    def link(self, path, target):
        at = self.path / path.lstrip("/")
        at.parent.mkdir(parents=True, exist_ok=True)
        at.unlink(missing_ok=True)
        at.symlink_to(target)
        return self

    def remove(self, path):
        at = self.path / path.lstrip("/")
        if at.is_dir() and not at.is_symlink():
            shutil.rmtree(at)
        else:
            at.unlink(missing_ok=True)
        return self

    def gpu(self, device="0x2330", address="0000:01:00.0", driver="nvidia", **files):
        base = f"/sys/bus/pci/devices/{address}"
        values = {"vendor": "0x10de", "device": device, "class": "0x030200", **files}
        for name, value in values.items():
            self.file(f"{base}/{name}", value if isinstance(value, bytes) else f"{value}\n")
        if driver:
            (self.path / f"sys/bus/pci/drivers/{driver}").mkdir(parents=True, exist_ok=True)
            self.link(f"{base}/driver", f"../../drivers/{driver}")
        return self

    def module(self, version=DRIVER, text=OPEN):
        self.file("/proc/driver/nvidia/version", text.format(version))
        self.file("/sys/module/nvidia/version", f"{version}\n")
        return self.devices()

    def devices(self, **majors):
        rows = {"nvidia": 195, "nvidia-uvm": 510, "nvidia-caps": 236, **majors}
        lines = [f"{major:3} {name.replace('_', '-')}" for name, major in rows.items() if major]
        return self.file("/proc/devices", "Character devices:\n  1 mem\n" + "\n".join(lines) + "\n")

    def node(self, name, kind="c", major=None, mode="0666", opens="ok"):
        majors = {"nvidia-uvm": 510, "dxg": 10}
        number = majors.get(name, 236 if "caps" in name else 195) if major is None else major
        self._nodes[name] = f"/dev/{name} {kind} {number} 0 {mode} {opens}"
        return self._write_nodes()

    def no_node(self, *names):
        for name in names or list(self._nodes):
            self._nodes.pop(name, None)
        return self._write_nodes()

    def _write_nodes(self):
        return self.file("/.gpu-smoke/nodes", "".join(f"{line}\n" for line in self._nodes.values()))

    def env(self, **values):
        self._env.update(values)
        lines = [f"{name}={value}\n" for name, value in self._env.items()]
        return self.file("/.gpu-smoke/environ", "".join(lines))

    def shm(self, size):
        return self.file("/.gpu-smoke/shm", f"{size}\n")

    def library(self, path, kind="cuda"):
        """A file made by the workshop, or one of the crafted ones of `crafted`."""
        if kind == "directory":
            self.remove(path)
            (self.path / path.lstrip("/")).mkdir(parents=True)
            return self
        return self.file(path, crafted(self.workshop, kind), 0o755)

    def driver_library(self, version=DRIVER, folder=LIB, kind="cuda", soname="libcuda.so.1"):
        stem = soname.removesuffix(".1")
        self.library(f"{folder}/{stem}.{version}", kind)
        return self.link(f"{folder}/{soname}", f"{stem}.{version}")

    def no_driver_library(self, soname="libcuda.so.1", version=DRIVER, folder=LIB):
        self.remove(f"{folder}/{soname}")
        return self.remove(f"{folder}/{soname.removesuffix('.1')}.{version}")

    def container(self, *mounted):
        """A container of an engine; `mounted` are files that it got from the host."""
        lines = ["100 99 0:50 / / rw,relatime - overlay overlay rw,lowerdir=/l,upperdir=/u"]
        for i, point in enumerate(mounted, 101):
            lines.append(f"{i} 100 8:1 {point} {point} ro,nosuid - ext4 /dev/sda1 rw")
        self.file("/proc/1/comm", "python\n")
        return self.file("/proc/self/mountinfo", "\n".join(lines) + "\n")

    def recorded(self, cuda=None, nvml=None):
        """What a capture recorded of the children; nothing is run then."""
        self.loads = False
        for name, lines in (("cuda", cuda), ("nvml", nvml)):
            if lines is not None:
                self.file(f"/.gpu-smoke/{name}", "".join(f"{line}\n" for line in lines))
        return self

    def healthy(self):
        self.loads = True
        self.gpu().module()
        self.file("/proc/1/comm", "systemd\n")
        self.file("/proc/sys/kernel/osrelease", "6.8.0-45-generic\n")
        for name in NODES:
            self.node(name)
        # There with MIG switched off, too, and for root alone.
        self.node("nvidia-caps/nvidia-cap1", mode="0400", opens="EACCES")
        self.node("nvidia-caps/nvidia-cap2", mode="0444")
        self.file("/proc/driver/nvidia/capabilities/mig/config", "DeviceFileMinor: 1\n")
        self.driver_library()
        self.driver_library(soname="libnvidia-ml.so.1", kind="nvml")
        return self

    def healthy_container(self):
        self.healthy()
        files = [f"{LIB}/libcuda.so.{DRIVER}", f"{LIB}/libnvidia-ml.so.{DRIVER}"]
        self.env(NVIDIA_VISIBLE_DEVICES="all", NVIDIA_DRIVER_CAPABILITIES="compute,utility")
        return self.container(*files)


def crafted(workshop, kind):
    """The bytes of a library: a build of the workshop, or one that is wrong in some way."""
    texts = {
        "zero": b"",
        "text": b"this is not a library\n",
        "lfs": b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
        "script": b"/* GNU ld script */\nINPUT ( libcuda.so.535 )\n",
    }
    if kind in texts:
        return texts[kind]
    name, _, patch = kind.partition("+")
    content = bytearray(workshop.library(name).read_bytes())
    if patch == "class32":
        content[4] = 1
    elif patch == "aarch64":
        content[18] = 183
    elif patch == "ppc64":
        content[18] = 21
    elif patch == "truncated":
        del content[len(content) // 3 :]
    elif patch == "head":
        del content[40:]
    else:
        assert not patch, kind
    return bytes(content)


def make_unreadable(path):
    Path(path).chmod(stat.S_IWUSR)
