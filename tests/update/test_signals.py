"""
A terminal's Ctrl-C, which the whole process group gets, is 130 with everything as it was, in every
command; a worker that cannot start, or is ended by others, is told as that and never as damage.
"""

import array
import contextlib
import fcntl
import os
import random
import resource
import signal
import socket
import subprocess
import termios
import time

import pytest

from ..common.program import BINARY, SANITIZED, Result
from .faults import SEED, clone_folder, count_calls, fast_folder, sample, shim, sizes, told_of
from .scenarios import lines
from .test_pauses import Held
from .world import World, files_on_disk, leftovers

DAMAGE = ("damaged", "fsck", "cannot be peeled", "no tag, branch or commit")


class Place:
    """A child with an update that waits, copied anew where a run has changed it."""

    def __init__(self, folder):
        self.world = world = World(folder / "w")
        world.release("1.0.0", {"a": lines(20), "b": "1\n", "c/d": lines(30)})
        world.child = folder / "pristine"
        world.new()
        world.edit({"a": lines(20, {3: "mine"}), "own": "own\n"})
        world.release("1.1.0", {"a": lines(20, {15: "theirs"}), "b": "2\n", "e": "new\n"})
        self.folder, self.pristine, self.run = folder, world.child, folder / "run"
        self.made = folder / "made"
        self.silent = socket.create_server(("127.0.0.1", 0))  # takes connections, says nothing
        self.fresh()

    def fresh(self):
        clone_folder(self.pristine, self.run)
        subprocess.run(["rm", "-rf", self.made], check=True)
        self.before = self.state()

    def state(self):
        """Bytes of the work tree and of all that git has, and whether `new` made anything."""
        git = {
            str(path.relative_to(self.run)): path.read_bytes()
            for path in sorted((self.run / ".git").rglob("*"))
            if path.is_file() and "tmplgen" not in path.parts and "objects" not in path.parts
        }
        beside = sorted(path.name for path in self.folder.iterdir() if path.name != "run")
        return files_on_disk(self.run), git, leftovers(self.run / ".git"), beside

    def command(self, name):
        catalog = ("--catalog", self.world.catalog)
        index = f"http://127.0.0.1:{self.silent.getsockname()[1]}/simple"
        return {
            "status": ("status", self.run),
            "diff": ("diff", self.run),
            "update": ("update", self.run),
            "update-merge": ("update", "--strategy", "merge", self.run),
            "update-rebase": ("update", "--strategy", "rebase", self.run),
            "update-check": ("update", "--check", self.run),
            "update-dry-run": ("update", "--dry-run", self.run),
            "new": ("new", self.made, "--type", "app", *catalog),
            "new-builtin": ("new", self.made, "--type", "service", "--framework", "none"),
            "matrix-list": ("matrix", "list"),
            "matrix-resolve": ("matrix", "resolve", "--framework", "pytorch"),
            "matrix-check": ("matrix", "check"),
            "matrix-verify": ("matrix", "verify", "--index-url", index),
            "matrix-refresh": ("matrix", "refresh", "--index-url", index),
            "doctor": ("doctor",),
        }[name]

    def start(self, name):
        return subprocess.Popen(
            [BINARY, *map(str, self.command(name))],
            cwd=self.folder,
            env={**self.world.env, "no_proxy": "*"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            preexec_fn=heed_signals,
        )


def heed_signals():
    """Who runs the tests may ignore them (nohup, a `&` of a shell): an early one would be lost."""
    for number in NUMBERS:
        signal.signal(number, signal.SIG_DFL)


@pytest.fixture(scope="module")
def place():
    folder = fast_folder()
    yield Place(folder)
    subprocess.run(["rm", "-rf", folder], check=True)


ENDLESS = ["matrix-verify", "matrix-refresh"]  # they wait for a server
COMMANDS = [
    "status",
    "diff",
    "update",
    "update-merge",
    "update-rebase",
    "update-check",
    "update-dry-run",
    "new",
    "new-builtin",
    "matrix-list",
    "matrix-resolve",
    "matrix-check",
    "doctor",
]
NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
LOOKS = {"FAILN_READS": "/"}  # each call that looks at something, wherever that is


@sizes(few=(2, 6), sample=(12, 6), every=100)
@pytest.mark.parametrize("name", COMMANDS)
def test_A2_ctrl_c_of_the_group_is_130_with_everything_as_it_was(place, name, size):
    def run(env):
        place.fresh()
        return place.world.tmplgen(*place.command(name), cwd=place.folder, env=env)

    usual, codes = run({}).code, []
    looks = count_calls(lambda env: run({**env, **LOOKS}))
    for turn, at in enumerate([looks // 4 or 1, *sample(range(1, looks + 1), size)]):
        number = NUMBERS[turn % 3]
        place.fresh()
        held = Held.of(place.world, map(str, place.command(name)), at, **LOOKS)
        with contextlib.suppress(ProcessLookupError):  # there were fewer looks
            os.killpg(held.run.pid, number)
        done = held.go_on()
        with told_of(f"{number!r} at look {at}: {done.code} {done.out}{done.err}"):
            assert done.code in (usual, 128 + number)
            assert not any(word in done.out + done.err for word in DAMAGE)
            assert done.code != 128 + number or place.state() == place.before
        codes.append(done.code)
    assert codes[0] != usual, "it had only begun"


@pytest.mark.parametrize("name", ENDLESS)
def test_ctrl_c_while_it_waits_for_a_server_is_130(place, name):
    place.silent = socket.create_server(("127.0.0.1", 0))  # nothing of an earlier run waits there
    run = place.start(name)
    place.silent.accept()[0].recv(1)
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(timeout=60) == 130
    assert b"SIGINT" in run.communicate()[1]


def test_ctrl_c_while_nobody_reads_the_output_is_130(place):
    """As in a pager: the pipe is full."""
    place.fresh()
    (place.run / "own").write_text("".join(f"{number}\n" for number in range(100000)))
    run = place.start("diff")
    size = fcntl.fcntl(run.stdout, fcntl.F_GETPIPE_SZ)
    waiting = array.array("i", [0])
    while waiting[0] < size:
        assert run.poll() is None
        time.sleep(0.01)
        fcntl.ioctl(run.stdout, termios.FIONREAD, waiting)
    os.killpg(run.pid, signal.SIGINT)
    assert run.wait(timeout=60) == 130
    assert b"SIGINT" in run.communicate()[1]


# ---------------------------------------------------------------- the worker


def run_with(place, name, env):
    env = {"LD_PRELOAD": shim("failfork"), **env}
    return place.world.tmplgen(*place.command(name), "--json", cwd=place.folder, env=env)


def troubled(place, name, **env):
    """A run of `name` that comes to nothing, and changes nothing."""
    place.fresh()
    done = run_with(place, name, env)
    assert place.state() == place.before, done.out
    assert done.code == 1, done.out
    error = done.json["error"]
    assert not any(word in done.out + done.err for word in DAMAGE), done.out
    return error["code"], error["message"] + error["hint"]


reading = pytest.mark.parametrize("name", COMMANDS[: COMMANDS.index("new-builtin")])


@pytest.mark.turns(5)
@reading
@pytest.mark.parametrize(
    ("call", "reason"), [("fork", "temporarily"), ("socketpair", "Too many open files")]
)
def test_A5_worker_that_cannot_start_is_no_damage(place, name, call, reason):
    code, words = troubled(place, name, FAILFORK=call)
    assert code == "no-worker" and reason in words, words


@pytest.mark.turns(3)
@reading
def test_worker_that_is_killed_is_no_damage(place, name):
    """At each place the question is another: is it there, what is it, whose parents."""
    place.fresh()
    usual, told = run_with(place, name, {}).code, 0
    for at in range(1, 9):
        place.fresh()
        env = {"FAILFORK": str(int(signal.SIGKILL)), "FAILFORK_AT": str(at)}
        done = run_with(place, name, env)
        assert not any(word in done.out + done.err for word in DAMAGE), (at, done.out)
        if done.code == usual:  # not so often, or while looking ahead: another one was asked
            continue
        assert (done.code, done.json["error"]["code"]) == (1, "worker-ended"), (at, done.out)
        assert "SIGKILL" in done.json["error"]["message"]
        assert place.state() == place.before, at
        told += 1
    assert told


def test_worker_that_crashes_is_damage(place):
    """What a hostile object does to libgit2, as before."""
    place.fresh()
    done = run_with(place, "diff", {"FAILFORK": str(int(signal.SIGSEGV)), "FAILFORK_AT": "1"})
    assert (done.code, done.json["error"]["code"]) == (1, "git"), done.out
    assert "damaged" in done.json["error"]["message"]


def limited(place, name, which, value):
    done = subprocess.run(
        [BINARY, *map(str, place.command(name)), "--json"],
        cwd=place.folder,
        env=place.world.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=lambda: resource.setrlimit(which, (value, value)),
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.skipif(SANITIZED, reason="a sanitizer needs files and address space of its own")
def test_few_open_files_are_told_as_that(place):
    """At every number of them."""
    codes = set()
    for files in range(5, 20):
        place.fresh()
        done = limited(place, "diff", resource.RLIMIT_NOFILE, files)
        assert not any(word in done.out + done.err for word in DAMAGE), (files, done.out)
        codes.add(done.code)
        if done.code:
            assert done.code in (1, 127), (files, done.out, done.err)  # 127: ld.so itself
    assert 0 in codes and 1 in codes


@pytest.mark.full
@pytest.mark.skipif(SANITIZED, reason="a sanitizer needs files and address space of its own")
def test_little_memory_is_told_as_that(place):
    """A large file that is whole: what lacks memory may be the program or its worker."""
    place.world.release("2.0.0", {"a": lines(20), "noise": random.Random(SEED).randbytes(3 << 20)})
    codes = set()
    for mebibytes in (30, 34, 38, 44, 50):
        place.fresh()
        done = limited(place, "update", resource.RLIMIT_AS, mebibytes << 20)
        assert not any(word in done.out + done.err for word in DAMAGE), (mebibytes, done.out)
        told = "memory" in done.out + done.err or "Cannot allocate" in done.out + done.err
        assert done.code in (0, 127) or told, (mebibytes, done.out, done.err)  # 127: ld.so
        codes.add(done.code)
    assert codes - {0, 127}, codes
