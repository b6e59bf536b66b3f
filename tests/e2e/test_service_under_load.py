"""A service under load, under attack, and while it is replaced: what holds at any speed.

How fast it is, beside others: `make bench PARTS=service`.
"""

import asyncio
import json
import re
import resource
import signal
import time
from contextlib import ExitStack, contextmanager

import pytest

from ..bench.clients import (
    Client,
    Seen,
    beside_probes,
    connect,
    hostile,
    load,
    once,
    quantile,
    request,
    roll_out,
)
from .support import NEGATIVE, free_port, service

PREDICT = "/v1/predict"
# The name of the list in a request, and what may be in it.
[(FIELD, [ITEM])] = NEGATIVE.items()
KILOBYTES = 10
# What a probe of Kubernetes waits for by default.
PROBE_S = 1.0
# The same command, with a model that cannot bear one word.
POISON = "poison"
POISONED = f"""
import runpy, sys
from pytorch_service import backend
predict = backend.Network.predict
def choosy(self, items, *rest):
    if any("{POISON}" in str(item) for item in items):
        raise ValueError("{POISON}")
    return predict(self, items, *rest)
backend.Network.predict = choosy
sys.argv = ["", "serve"]
runpy.run_module("pytorch_service", run_name="__main__")
"""


def body(*items):
    return json.dumps({FIELD: items}).encode()


@contextmanager
def serving(child, tmp_path, *command, files=0, **settings):
    """The child's service; `files` limits what it may open."""
    port = free_port()
    command = command or ("-m", "pytorch_service", "serve")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with ExitStack() as stack:
        if files:
            resource.setrlimit(resource.RLIMIT_NOFILE, (files, before[1]))
        try:
            started = service(
                [child / ".venv/bin/python", *command],
                port,
                tmp_path / "log",
                cwd=child,
                SERVE_PORT=str(port),
                SERVE_DEVICE="cpu",
                SERVE_LOG_LEVEL="WARNING",
                **{"OMP_NUM_THREADS": "1", "SERVE_DRAIN_DELAY_S": "0", **settings},
            )
            it = stack.enter_context(started)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        it.wait_ready()
        yield it


@pytest.fixture(scope="module")
def served(trained, tmp_path_factory):
    with serving(trained, tmp_path_factory.mktemp("served")) as it:
        yield it


def memory(it):
    """Bytes that the process holds."""
    for line in open(f"/proc/{it.process.pid}/status"):
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise AssertionError("no VmRSS")


# ---------------------------------------------------------------- a roll-out


@pytest.mark.parametrize("think", [0, 0.3], ids=["hurried", "thinking"])
def test_a_rollout_loses_no_request_of_200_kept_connections(trained, tmp_path, think):
    """Who is told that the connection closes goes elsewhere, as from behind a load balancer."""
    with serving(trained, tmp_path, SERVE_DRAIN_DELAY_S="8") as it:

        def terminate():
            it.process.send_signal(signal.SIGTERM)

        raw = request(PREDICT, body(ITEM))
        seen = asyncio.run(roll_out(it.port, raw, 200, think, terminate))
        assert (seen.lost, seen.refused) == (0, 0)
        assert set(seen.counts) == {200} and seen.counts[200] >= 200
        assert it.process.wait(timeout=60) == 0


# ---------------------------------------------------------------- hostile requests


HOSTILE = hostile(FIELD, ITEM)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_costs_nobody_anything(served, name):
    raw = request(PREDICT, HOSTILE[name])
    good = request(PREDICT, body(ITEM))
    _, usual = asyncio.run(beside_probes(served.port, once(served.port, good)))
    answer, longest = asyncio.run(beside_probes(served.port, once(served.port, raw)))
    # An item that the model can read is answered; whatever else is wrong is the client's fault.
    assert answer.status in ({200} if name == "half a surrogate" else set()) | {400, 413, 422}
    assert len(answer.body) < KILOBYTES * 1000
    assert longest < PROBE_S + 5 * usual
    assert served.process.poll() is None


def test_hostile_requests_page_nobody(served):
    """They are the client's errors: none of them is counted as the service's."""
    status, text = served.ask("/metrics")
    assert status == 200
    assert re.findall(r'^\w+_total{.*predict.*status="5.*$', text, re.M) == []


def test_good_clients_beside_an_evil_one_see_nothing_of_it(trained, tmp_path):
    """An item on which the model fails is alone with that, whoever shares its batch."""
    with serving(trained, tmp_path, "-c", POISONED, SERVE_MAX_WAIT_MS="5") as it:

        async def evil(seen, seconds):
            raw, end = request(PREDICT, body(POISON)), time.perf_counter() + seconds
            await Client(it.port, raw, seen, 0, end, think=0.02).run()

        async def beside():
            seen, good = Seen(), request(PREDICT, body(ITEM))
            both = await asyncio.gather(load(it.port, good, 8, 4), evil(seen, 4))
            return both[0], seen

        good, bad = asyncio.run(beside())
        assert set(good.counts) == {200} and good.lost == 0
        assert bad.counts and set(bad.counts) <= {400, 422, 500}
        assert bad.lost == 0
        assert it.ask("/readyz")[0] == 200


# ---------------------------------------------------------------- more than it can do


def test_overload_is_refused_bounded_and_over_when_it_is_over(trained, tmp_path):
    """40 clients with 64 items each, where two such requests fill the queue."""
    settings = {"SERVE_QUEUE_SIZE": "128", "SERVE_MAX_BATCH": "8"}
    with serving(trained, tmp_path, **settings) as it:
        full = request(PREDICT, body(*[ITEM] * 64))
        asyncio.run(load(it.port, full, 2, 2))
        before = memory(it)
        seen, _ = asyncio.run(beside_probes(it.port, load(it.port, full, 40, 6)))
        assert seen.counts[200] and seen.counts[503], seen.counts
        assert set(seen.counts) == {200, 503}
        assert (seen.lost, seen.refused) == (0, 0)
        assert memory(it) - before < 64 * 2**20
        # A refusal is no work: it comes before an answer would.
        assert quantile(seen.seconds[503], 0.5) < quantile(seen.seconds[200], 0.5)
        assert it.ask(PREDICT, {FIELD: [ITEM]})[0] == 200
        assert it.ask("/readyz")[0] == 200


def test_silent_connections_keep_no_probe_waiting(trained, tmp_path):
    """300 of them and more, half of them with half a head, where 256 files may be open."""
    with serving(trained, tmp_path, files=256) as it:

        async def silent():
            kept = []
            for number in range(300):
                try:
                    kept.append(await asyncio.wait_for(connect(it.port), 5))
                except (OSError, TimeoutError):
                    continue
                if number % 2:
                    kept[-1].send(b"POST /v1/predict HTTP/1.1\r\nHost: a\r\n")
            return await once(it.port, request("/livez"), 20)

        assert asyncio.run(silent()).status == 200
        assert it.process.poll() is None
