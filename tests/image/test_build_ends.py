"""Builds that are interrupted, hang, or run beside each other."""

import json
import os
import signal
import subprocess
import time

import pytest

from .engines import ENGINES, IMAGES, World, alive, pids, until

# What says where it is and waits; a grandchild waits too.
WAIT = 'sleep 300 & echo $! $$ >>"$FAKE/pids"; touch "$FAKE/there"; wait'
# It ignores what asks it to end, and so does what it started.
STUBBORN = f"trap '' TERM INT HUP; {WAIT}; while :; do sleep 1; done"


@pytest.fixture(name="world")
def make_world(tmp_path):
    return World(tmp_path)


CLOCK = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
/* Time stands still, and a thousand seconds go by when there is a file. */
int clock_gettime(clockid_t id, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    static struct timespec first;
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int rc = real(id, now);
    if (id == CLOCK_MONOTONIC) {
        if (!first.tv_sec)
            first = *now;
        *now = first;
        now->tv_sec += access(getenv("LATE"), F_OK) ? 0 : 1000;
    }
    return rc;
}
"""
HANGS = 600
# Whom a signal does not end is killed after ten seconds, which never go by on this clock.
own_clock = pytest.mark.skipif(
    bool(os.environ.get("TMPLGEN")), reason="sanitizers want to be loaded first"
)


@pytest.fixture(scope="module")
def clock(tmp_path_factory):
    library = tmp_path_factory.mktemp("clock") / "clock.so"
    words = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(words, input=CLOCK.encode(), check=True)
    return lambda late: {"LD_PRELOAD": str(library), "LATE": str(late)}


def strike(world, process, number):
    """When a step is there; the exit code, both streams."""
    until((world.fake / "there").exists)
    process.send_signal(number)
    out, err = process.communicate(timeout=HANGS)
    return process.returncode, out.decode(), err.decode()


def all_ended(world):
    numbers = pids(world.fake / "pids")
    assert numbers
    until(lambda: not any(alive(number) for number in numbers))


@own_clock
@pytest.mark.parametrize("verb", ["build", "inspect", "from", "run", "rm", "tag", "push"])
def test_a_signal_at_each_step(world, verb, clock):
    world.plan({"image": "beta"}, {"image": "gamma"}, registry="r.example/ml")
    world.on(verb, WAIT if verb != "rm" else 'touch "$FAKE/there"; sleep 0.5')
    number = signal.SIGTERM if verb in ("run", "push") else signal.SIGINT
    process = world.start("build", "--push", **clock("never"))
    code, _, err = strike(world, process, number)
    assert code == 128 + number
    assert f"interrupted by {signal.Signals(number).name}" in err
    if verb != "rm":
        all_ended(world)
    assert world.nothing_left()
    assert world.tags == ({"beta"} if verb == "push" else set())
    assert not world.names("registry")
    calls = len(world.calls())
    time.sleep(0.2)
    assert len(world.calls()) == calls


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("verb", ["build", "run"])
def test_a_signal_leaves_no_container_of_any_engine(tmp_path, engine, verb):
    world = World(tmp_path, engine)
    world.on(verb, WAIT)
    process = world.start("build", "beta", "--engine", engine)
    code, _, _ = strike(world, process, signal.SIGINT)
    assert code == 130
    all_ended(world)
    assert world.nothing_left() and not world.tags


def test_the_document_of_an_interrupted_build(world):
    world.on("build@beta", WAIT)
    process = world.start("build", "--json")
    code, out, _ = strike(world, process, signal.SIGTERM)
    document = json.loads(out)
    assert code == document["exit"] == 143
    assert document["error"]["code"] == "interrupted"
    rows = {row["image"]: row["status"] for row in document["built"]}
    assert rows == {"alpha": "built", "beta": "interrupted", "gamma": "not-run"}
    assert world.tags == {"alpha"}


@own_clock
def test_several_at_once_are_all_ended(world, clock):
    world.on("build", WAIT)
    process = world.start("build", "--jobs", "3", **clock("never"))
    until(lambda: len(pids(world.fake / "pids")) == 6)
    assert strike(world, process, signal.SIGINT)[0] == 130
    all_ended(world)
    assert world.nothing_left() and not world.tags


@own_clock
def test_who_does_not_listen_is_killed_when_ten_seconds_are_over(world, clock):
    """One with its group, one that closed its streams, one whose grandchild alone is deaf."""
    world.on("build@alpha", STUBBORN)
    world.on("build@beta", f"exec >/dev/null 2>&1; {STUBBORN}")
    world.on("build@gamma", f"(trap '' TERM; {WAIT}; sleep 300) & {WAIT}")
    process = world.start("build", "--jobs", "3", **clock(world.fake / "late"))
    until(lambda: len(pids(world.fake / "pids")) == 8)
    process.send_signal(signal.SIGINT)
    time.sleep(0.5)
    deaf = [number for number in pids(world.fake / "pids") if alive(number)]
    assert process.poll() is None and len(deaf) == 5
    (world.fake / "late").touch()
    process.communicate(timeout=HANGS)
    assert process.returncode == 130
    all_ended(world)
    assert world.nothing_left() and not world.tags


@own_clock
def test_a_stopped_builder_is_ended(world, clock):
    world.on("build", f"(sleep 0.3; kill -STOP $$) & {WAIT}")
    process = world.start("build", "beta", **clock("never"))
    until(lambda: pids(world.fake / "pids"))
    time.sleep(0.5)
    assert strike(world, process, signal.SIGTERM)[0] == 143
    all_ended(world)


@pytest.mark.parametrize("verb", ["build", "run", "inspect"])
def test_builders_end_of_a_pipe_that_nobody_reads(world, verb):
    """It is ignored here, and would be by all that they start."""
    world.on(verb, "grep ^SigIgn: /proc/$$/status >$FAKE/ignored")
    assert world.run("build", "beta").code == 0
    ignored = int((world.fake / "ignored").read_text().split()[1], 16)
    assert not ignored & 1 << signal.SIGPIPE - 1


def test_a_builder_that_says_no_more_is_still_waited_for(world):
    world.on("build", "exec >/dev/null 2>&1; sleep 0.5")
    assert world.built("beta")[1]["beta"]["status"] == "built"


def test_what_a_builder_leaves_running_is_not_waited_for(world):
    world.on("build", '(sleep 300 & echo $! >>"$FAKE/pids"; wait) &')
    assert world.run("build", "beta").code == 0
    for number in pids(world.fake / "pids"):
        os.kill(number, signal.SIGKILL)


def test_nor_what_it_leaves_talking(world):
    world.on("build", '(while :; do echo x; sleep 0.02; [ -d "$FAKE" ] || exit; done) &')
    assert world.run("build", "beta").code == 0


@own_clock
@pytest.mark.parametrize("engine", ENGINES)
def test_a_command_that_hangs_fails_its_image(tmp_path, engine, clock):
    world = World(tmp_path, engine)
    world.on("run@beta", f"echo 'it loads'; {WAIT}")
    env = clock(world.fake / "there")
    code, built = world.built("beta", "gamma", "--engine", engine, **env)
    assert code == 1
    assert built["beta"]["failed_step"] == "contents"
    assert "has not ended after 600 s" in built["beta"]["why"] and "true" in built["beta"]["why"]
    assert built["gamma"]["status"] == "built"
    assert world.tags == {"gamma"} and world.nothing_left()
    all_ended(world)


# ---------------------------------------------------------------- beside each other

COUNT = 'echo + >>"$FAKE/live"; sleep 0.4; echo - >>"$FAKE/live"'


def most_at_once(world):
    now = most = 0
    for line in (world.fake / "live").read_text().split():
        now += 1 if line == "+" else -1
        most = max(most, now)
    return most


@pytest.mark.parametrize(("jobs", "most"), [(None, 1), ("2", 2), ("3", 3), ("64", 6)])
def test_so_many_at_once_and_never_more(world, jobs, most):
    systems = ("ubuntu22.04", "ubuntu24.04")
    world.plan(*({"image": name, "request": {"os": os}} for name in IMAGES for os in systems))
    world.on("build", COUNT)
    result = world.run("build", "--json", *(["--jobs", jobs] if jobs else []))
    rows = result.json["built"]
    assert [row["status"] for row in rows] == ["built"] * len(rows)
    assert most_at_once(world) == min(most, len(rows))


def test_results_in_the_order_of_the_rows(world):
    world.plan({"image": "gamma"}, {"image": "alpha"}, {"image": "beta"})
    world.on("build@gamma", "sleep 0.6")
    world.on("build@alpha", "sleep 0.3; exit 1")
    result = world.run("build", "--json", "--jobs", "3")
    rows = [(row["image"], row["status"]) for row in result.json["built"]]
    assert rows == [("gamma", "built"), ("alpha", "failed"), ("beta", "built")]
    result = world.run("build", "--jobs", "3")
    table = [line.split(":")[0] for line in result.out.splitlines()[1:]]
    assert table == ["gamma", "alpha", "beta"]
