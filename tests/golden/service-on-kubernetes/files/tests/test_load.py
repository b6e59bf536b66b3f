"""Under load from a second process: batches, overload, memory that does not suffice, the end."""

from __future__ import annotations

import asyncio
import signal
import time
from collections import Counter
from http.client import HTTPConnection

from running import report, started

from it import schemas

QUIET = {"SERVE_LOG_LEVEL": "ERROR"}
# A device with memory for eight instances, and one that takes 50 ms for whatever it is given.
SMALL = """
from it import backend, devices
predict = backend.Network.predict
def small(self, instances):
    if len(instances) > 8:
        raise MemoryError
    return predict(self, instances)
backend.Network.predict = small
devices.is_out_of_memory = lambda error: isinstance(error, MemoryError)
"""
SLOW = """
import time
from it import backend
predict = backend.Network.predict
def slow(self, instances):
    time.sleep(0.05)
    return predict(self, instances)
backend.Network.predict = slow
"""


def test_load_is_answered_in_batches_and_measured(model_dir):
    with started(model_dir, SERVE_API_KEYS="secret, other", **QUIET) as it:
        it.wait("/readyz")
        words = ("--key", "other", "--clients", "16")
        found = report(it.load(*words, "--seconds", "1.5", "--warmup", "0.2"))
        assert set(found["statuses"]) == {"200"}
        assert 0 < found["p50_ms"] <= found["p95_ms"] <= found["p99_ms"] <= found["max_ms"]
        assert sum(found["batch_sizes"].values()) < found["statuses"]["200"]


def test_overload_is_refused_and_what_is_taken_is_answered_in_time(model_dir):
    settings = {"SERVE_QUEUE_SIZE": "64", "SERVE_MAX_BATCH": "8", "SERVE_TIMEOUT_S": "30", **QUIET}
    with started(model_dir, SLOW, **settings) as it:
        it.wait("/readyz")
        load = it.load("--clients", "24", "--instances", "8", "--seconds", "3", "--warmup", "0.5")
        time.sleep(1.5)
        assert it.ask("/livez")[0] == 200
        found = report(load)
        assert set(found["statuses"]) == {"200", "503"}
        # At most eight batches wait, each of 50 ms: far from the thirty seconds.
        assert found["max_ms"] < 15_000
        it.wait("/readyz")


def test_batches_that_do_not_fit_are_halved_under_load(model_dir):
    settings = {"SERVE_MAX_BATCH": "64", "SERVE_RECOVER_S": "0.2", **QUIET}
    with started(model_dir, SMALL, **settings) as it:
        it.wait("/readyz")
        # Found out by the warm-up.
        assert it.metric("inference_batch_limit_instances") == 8
        words = ["--clients", "16", "--instances", "4", "--seconds", "1.5", "--warmup", "0.2"]
        assert set(report(it.load(*words))["statuses"]) == {"200"}
        assert it.ask("/readyz")[0] == 200


class Client:
    """Keeps its connection for as long as it may, then goes where `target` says."""

    body = schemas.PredictRequest(instances=schemas.EXAMPLES[:1]).model_dump_json().encode()
    head = f"POST /v1/predict HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"

    def __init__(self, target: list[int], think_s: float) -> None:
        self.target = target
        self.think_s = think_s
        self.answers: Counter[str] = Counter()
        self.ports: Counter[int] = Counter()

    async def run(self) -> None:
        while self.target:
            try:
                await self.connection(self.target[0])
            except (OSError, asyncio.IncompleteReadError) as error:
                self.answers[type(error).__name__] += 1

    async def connection(self, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            # At its end: closed by the other side while nothing was asked.
            while self.target and not reader.at_eof():
                writer.write(self.head.encode() + self.body)
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                await reader.readexactly(int(head.partition("content-length: ")[2].split()[0]))
                self.answers[head.split()[1]] += 1
                self.ports[port] += 1
                if "connection: close" in head:
                    break
                await asyncio.sleep(self.think_s)
        finally:
            writer.close()


async def roll_out(old, new) -> Counter[str]:
    """All clients on the old one, which is then told to go."""
    target = [old.port]
    clients = [Client(target, think_s) for think_s in (0, 0.05, 0.3, 0.5) for _ in range(50)]
    running = [asyncio.create_task(client.run()) for client in clients]

    async def all_asked(port: int) -> None:
        """However slow the machine is: each has a connection there, and two answers."""
        while not all(client.ports[port] > 1 for client in clients):
            await asyncio.sleep(0.05)

    await asyncio.wait_for(all_asked(old.port), 60)
    old.process.send_signal(signal.SIGTERM)
    # As a load balancer: it hears of it a little later.
    await asyncio.sleep(0.5)
    target[0] = new.port
    await asyncio.wait_for(all_asked(new.port), 60)
    target.clear()
    await asyncio.gather(*running)
    return sum((client.answers for client in clients), Counter())


def test_a_roll_out_under_two_hundred_kept_connections_loses_no_request(model_dir):
    settings = {"SERVE_DRAIN_DELAY_S": "2", **QUIET}
    with started(model_dir, **settings) as old, started(model_dir, **settings) as new:
        old.wait("/readyz")
        new.wait("/readyz")
        assert set(asyncio.run(roll_out(old, new))) == {"200"}
        assert old.end()[0] == 0


def test_who_is_refused_while_it_drains_is_told_that_the_connection_ends(model_dir):
    settings = {"SERVE_QUEUE_SIZE": "1", "SERVE_MAX_BATCH": "1", "SERVE_DRAIN_DELAY_S": "60"}
    with started(model_dir, SLOW, **settings, **QUIET) as it:
        it.wait("/readyz")
        load = it.load("--clients", "8", "--seconds", "60", "--warmup", "0")
        it.wait("/metrics", text='route="/v1/predict",status="503"')
        for draining in (False, True):
            if draining:
                it.process.send_signal(signal.SIGTERM)
                it.wait("/readyz", status=503, text="draining")
            status = 0
            while status != 503:
                connection = HTTPConnection("127.0.0.1", it.port, timeout=30)
                connection.request("POST", "/v1/predict", Client.body)
                answer = connection.getresponse()
                status = answer.status
                connection.close()
            assert (answer.getheader("connection") == "close") is draining
        load.kill()
        load.communicate()


def test_drain_under_load_answers_what_was_taken(model_dir):
    with started(model_dir, SERVE_DRAIN_DELAY_S="1", **QUIET) as it:
        it.wait("/readyz")
        load = it.load("--clients", "8", "--seconds", "4", "--warmup", "0")
        it.wait("/metrics", text='route="/v1/predict",status="200"')
        time.sleep(0.5)
        it.process.send_signal(signal.SIGTERM)
        statuses = report(load)["statuses"]
        assert it.end()[0] == 0
        assert statuses.pop("200") > 0
        # Then nobody listens. One may be at the port in the moment in which it closes, after its
        # queue was emptied: a load balancer, as above, has nobody connect here by then.
        statuses.pop("ConnectionRefusedError", None)
        assert sum(statuses.values()) <= 1
