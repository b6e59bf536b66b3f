"""list, render and bake ask nobody: they open no socket, and work where there is no network."""

import os
import shutil
import subprocess

import pytest

from ..common.program import BINARY
from .world import LOCK, lock_text

COMMANDS = [
    ["list"],
    ["render", "--output", "out"],
    ["bake", "--output", "bake.json", "--registry", "registry.example.org/team"],
]


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_no_socket_is_opened(world, words, tmp_path):
    strace = shutil.which("strace")
    if not strace or "san" in str(BINARY):
        pytest.skip("no strace here")
    world.write(LOCK, lock_text("debian:12"))
    world.tmplgen.configure("mirror: 127.0.0.1:1\nregistry: 127.0.0.1:2/x\n")
    log = tmp_path / "calls"
    done = subprocess.run(
        [strace, "-f", "-o", log, "-e", "trace=%network", BINARY, "image", *words],
        cwd=world.folder, env=world.tmplgen.env, capture_output=True, text=True,
    )  # fmt: skip
    if "ptrace" in done.stderr.lower():
        pytest.skip("strace may not trace here")
    assert done.returncode == 0, done.stderr
    calls = [line for line in log.read_text().splitlines() if "+++" not in line]
    assert calls == []


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_without_a_network(world, words):
    unshare = shutil.which("unshare")
    if not unshare or subprocess.run([unshare, "-rn", "true"], capture_output=True).returncode:
        pytest.skip("no namespaces here")
    done = subprocess.run(
        [unshare, "-rn", BINARY, "image", *words],
        cwd=world.folder, env={**world.tmplgen.env, "LANG": os.environ.get("LANG", "C")},
        capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
