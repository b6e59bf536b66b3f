"""The stacks of the built-in matrix: each release, build, Python and processor that resolves."""

import itertools
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from .program import BINARY

PROCESSORS = ("x86_64", "aarch64")
# Of a framework on top of another, which has builds of its own for none: some of that one's, with
# the newest releases.
GROUND = ("cu130", "cu126", "cpu")
NEWEST = 8


@dataclass(frozen=True)
class Stack:
    """A stack, and for which processors it is the same; `request` asks for it."""

    framework: str
    release: str
    variant: str
    python: str
    processors: tuple
    resolution: dict

    @property
    def request(self):
        asked = {
            "framework": f"{self.framework}=={self.release}",
            "variant": self.variant,
            "python": self.python,
        }
        # Where both have it, nobody has to say which: it is one image of two platforms.
        return asked if self.processors[0] == PROCESSORS[0] else {**asked, "arch": "aarch64"}

    def __hash__(self):
        return hash((self.framework, self.release, self.variant, self.python))


def ask(*words):
    """The document that tmplgen answers with; None where it refuses (exit 4)."""
    done = subprocess.run(
        [str(BINARY), *words, "--json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode in (0, 4), f"{words}\n{done.stderr}"
    return json.loads(done.stdout) if done.returncode == 0 else None


@cache
def choices(framework):
    """Release, build and Python of a framework, in all their combinations, the newest first."""
    releases = ask("matrix", "list", framework)["releases"]
    if not any(release["builds"] for release in releases):
        releases = [
            {**release, "builds": [{"variant": variant} for variant in GROUND]}
            for release in releases[:NEWEST]
        ]
    return [
        (framework, release["release"], build["variant"], python)
        for release in releases
        for build, python in itertools.product(
            release["builds"], release["pythons"] + release["experimental"]
        )
    ]


def _on(choice, processor):
    framework, release, variant, python = choice
    said = ask(
        *["matrix", "resolve", "--framework", f"{framework}=={release}", "--variant", variant],
        *["--python", python, "--arch", processor],
    )
    return said and said["resolution"]


def _without_processor(resolution):
    return {k: v for k, v in resolution.items() if k not in ("arch", "archs", "notes", "sources")}


def _stacks_of(choice):
    """One for both processors, one for each, or none."""
    found = {name: _on(choice, name) for name in PROCESSORS}
    found = {name: resolution for name, resolution in found.items() if resolution}
    if len({json.dumps(_without_processor(one), sort_keys=True) for one in found.values()}) == 1:
        names = tuple(found)
        return [Stack(*choice, names, found[names[0]])]
    return [Stack(*choice, (name,), resolution) for name, resolution in found.items()]


def stacks(chosen):
    """Those of some choices, in their order."""
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        return [stack for some in pool.map(_stacks_of, chosen) for stack in some]
