"""Whatever happens while a catalog is fetched, the cache stays usable and nothing is left."""

import contextlib
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest

from ..common.program import BINARY
from . import servers
from .world import UNREACHABLE, World, fails, ok, usable

SEED = int(os.environ.get("TMPLGEN_SEED", "20260101"))


@pytest.fixture
def world(tmp_path):
    """A catalog whose packs are long enough to fail in the middle."""
    made = World(tmp_path / "world")
    noise = random.Random(5)
    for i in range(4):
        made.put(f"templates/thing/files/data{i}", noise.randbytes(50000))
    made.release("1.0.0")
    return made


def behind(world, fault):
    """The world's repository behind a line with that fault, and the proxy."""
    proxy = servers.Proxy(world.port, fault)
    return f"git://127.0.0.1:{proxy.port}/catalogs.git", proxy


def repaired(world, source, proxy, name="after"):
    """The line works from here on: the same address, the same cache."""
    proxy.fault = lambda number, offset, data: data
    usable(world, source, name)


# Of a `new`: connection 0 lists refs, 1 fetches the commit, 2 the files.
def test_server_that_dies_half_way(world, daemon):
    for connection, place in ((0, 100), (1, 400), (2, 60000)):
        world.forget()
        source, proxy = behind(world, servers.cut_at(connection, place))
        said = fails(world.new(source, f"c{connection}-{place}"), *UNREACHABLE)
        assert "git said: " in said
        assert not (world.work / f"c{connection}-{place}").exists()
        repaired(world, source, proxy, f"after{connection}-{place}")
        proxy.close()


def flip(world, connection, place, name):
    world.forget()
    source, proxy = behind(world, servers.flip_at(connection, place, place))
    done = world.new(source, name)
    assert done.code in (0, 1), done.out
    if done.code == 0:  # it was in words for people, or padding
        assert world.text(name) == "1.0.0"
    repaired(world, source, proxy, f"{name}-after")
    proxy.close()
    return done.code


def test_damaged_pack(world, daemon):
    assert flip(world, 2, 60000, "middle") == 1


@pytest.mark.full
def test_damaged_anywhere(world, daemon):
    draw = random.Random(SEED)
    print(f"seed {SEED}")
    places = [(0, draw.randrange(300)) for _ in range(3)]
    places += [(1, draw.randrange(1500)) for _ in range(6)]
    places += [(2, draw.randrange(200000)) for _ in range(8)]
    codes = [flip(world, *place, f"f{i}") for i, place in enumerate(places)]
    assert codes.count(1) > len(codes) / 2, codes


def start(world, source, name="child"):
    words = [BINARY, "new", name, "--type", "thing", "--trust", "--json", f"--catalog={source}"]
    return subprocess.Popen(
        words, cwd=world.work, env=world.run.env, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def test_interrupted_while_the_server_is_silent(world, daemon):
    source, proxy = behind(world, servers.hang_at(2, 300))
    process = start(world, source)
    while len(proxy.sent) < 3:
        time.sleep(0.02)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    out = process.communicate(timeout=30)[0].decode()
    assert process.returncode == 130 and '"interrupted"' in out
    assert not (world.work / "child").exists()
    assert not list(world.cache.glob("*/incoming-*"))  # nothing is left behind
    repaired(world, source, proxy)


def still_fetches(world):
    """Whether a git works in the cache, by its command or by what it gave to its children."""
    here = f"{world.cache}/".encode()
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            said = (path / "cmdline").read_bytes() + (path / "environ").read_bytes()
            if any(b"/incoming-" in rest for rest in said.split(here)[1:]):
                return True
    return False


def kill_at(world, daemon, number):
    """SIGKILL after so many steps of a hundredth of the time that it takes."""
    world.forget()
    process = start(world, daemon, f"k{number}")
    time.sleep(number / 100)
    process.kill()
    process.communicate()
    while still_fetches(world):  # the git that it started goes on, and ends by itself
        time.sleep(0.02)
    usable(world, daemon, f"k{number}-after")


def test_killed_while_it_fetches(world, daemon):
    source, proxy = behind(world, servers.hang_at(2, 300))
    process = start(world, source)
    while len(proxy.sent) < 3 or proxy.sent[2] <= 300:  # from there on git waits, and makes nothing
        time.sleep(0.02)
    process.kill()
    process.communicate()
    assert still_fetches(world)
    assert list(world.cache.glob("*/incoming-*"))  # the next one removes it
    repaired(world, source, proxy)


@pytest.mark.full
def test_killed_at_any_time(world, daemon):
    draw = random.Random(SEED)
    print(f"seed {SEED}")
    for number in sorted(draw.sample(range(60), 12)):
        kill_at(world, daemon, number)


def test_several_at_once_fetch_once(world, daemon):
    source, proxy = behind(world, lambda number, offset, data: data)
    many = [start(world, source, f"at-once{i}") for i in range(4)]
    for process in many:
        out = process.communicate(timeout=60)[0].decode()
        assert process.returncode == 0, out
    assert {world.text(f"at-once{i}") for i in range(4)} == {"1.0.0"}
    assert len(proxy.sent) == 4 + 2  # each asks; one fetches the commit and the files
    repaired(world, source, proxy)


ENDLESS = """\
#!/usr/bin/python3
import sys
line = b"%s refs/heads/%s"
first = line % (b"1" * 40, b"a") + b"\\0agent=x\\n"
sys.stdout.buffer.write(b"%04x" % (len(first) + 4) + first)
for i in range(1 << 40):
    name = line % (b"1" * 40, b"%060000d" % i) + b"\\n"
    sys.stdout.buffer.write(b"%04x" % (len(name) + 4) + name)
"""


@pytest.mark.full
def test_server_that_never_ends_its_list(world):
    """git keeps it in memory until the end: it may not have more than a limit of that."""
    script = world.folder / "ssh"
    script.write_text(ENDLESS)
    script.chmod(0o755)
    world.run.env |= {"GIT_SSH_COMMAND": str(script), "GIT_SSH_VARIANT": "simple"}
    said = fails(world.new("git@localhost:x"), *UNREACHABLE)
    assert "out of memory" in said.lower()


def test_cache_that_cannot_be_written(world, daemon):
    cache = world.folder / "home/.cache"
    cache.write_text("in the way\n")
    said = fails(world.new(daemon), 1, "io")
    assert ".cache" in said
    cache.unlink()
    ok(world.new(daemon))
