"""Clients of an HTTP service, many in one process, and as cheap as Python lets them be.

    clients.py --port N --path PATH --body FILE [--clients N] [--seconds S] [--warmup S] [--think S]

A closed loop: each client asks again as soon as it has its answer, or after --think seconds; after
a refusal at once. Connections are kept until the service says `Connection: close`. Prints JSON.
"""

import argparse
import asyncio
import json
import sys
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

HOST = "127.0.0.1"


@dataclass(frozen=True)
class Answer:
    """What came back; `last` when the service closes this connection."""

    status: int
    body: bytes
    last: bool


class Lost(Exception):
    """A request was sent, and the connection ended before its answer."""


class Connection(asyncio.Protocol):
    """One kept connection, one request at a time."""

    def __init__(self):
        self.open = True
        self._received = b""
        self._answer = None

    def connection_made(self, transport):
        self._transport = transport

    def data_received(self, data):
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0 or self._answer is None or self._answer.done():
            return
        head = self._received[:end].lower()
        length = int(head.partition(b"\r\ncontent-length:")[2].split(b"\r\n")[0])
        if len(self._received) < end + 4 + length:
            return
        body = self._received[end + 4 : end + 4 + length]
        last = b"\r\nconnection: close" in head
        self._received = b""
        self._answer.set_result(Answer(int(head[9:12]), body, last))

    def connection_lost(self, error):
        self.open = False
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(Lost(str(error or "closed")))

    def ask(self, request):
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer

    def send(self, part):
        """Less than a request, for which no answer is waited."""
        self._transport.write(part)

    def close(self):
        self.open = False
        self._transport.close()


async def connect(port):
    _, connection = await asyncio.get_running_loop().create_connection(Connection, HOST, port)
    return connection


def request(path, body=None, headers=()):
    """The bytes of a GET, or of a POST of JSON."""
    lines = [f"{'GET' if body is None else 'POST'} {path} HTTP/1.1", f"Host: {HOST}", *headers]
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + (body or b"")


async def once(port, raw, timeout=60):
    """One request on a connection of its own."""
    connection = await connect(port)
    try:
        return await asyncio.wait_for(connection.ask(raw), timeout)
    finally:
        connection.close()


@dataclass
class Seen:
    """What all clients saw."""

    seconds: dict = field(default_factory=lambda: defaultdict(list))  # by status
    asked: int = 0  # with those of the warm-up
    lost: int = 0
    refused: int = 0  # no connection

    def __post_init__(self):
        self.counts = Counter()

    def add(self, status, seconds):
        self.counts[status] += 1
        self.seconds[status].append(seconds)


@dataclass
class Client:
    """Asks until `end`; counts what began after `begin`. One that does not `stay` goes elsewhere
    when it is told that its connection is closed."""

    port: int
    raw: bytes
    seen: Seen
    begin: float
    end: float
    think: float = 0.0
    stay: bool = True
    connection: Connection | None = None

    async def run(self):
        while time.perf_counter() < self.end:
            try:
                if await self._ask() and not self.stay:
                    return
            except Lost:
                self.seen.lost += 1
            except OSError:
                self.seen.refused += 1
                await asyncio.sleep(0.01)
                if not self.stay:
                    return
        if self.connection is not None:
            self.connection.close()

    async def _ask(self):
        """One request; whether its answer was the last of its connection."""
        began = time.perf_counter()
        if self.connection is None or not self.connection.open:
            self.connection = await connect(self.port)
        self.seen.asked += 1
        answer = await self.connection.ask(self.raw)
        if began >= self.begin:
            self.seen.add(answer.status, time.perf_counter() - began)
        if answer.last:
            self.connection.close()
        elif self.think:
            await asyncio.sleep(self.think)
        return answer.last


async def load(port, raw, clients, seconds, warmup=0.0, think=0.0):
    """What `clients` at once saw in `seconds` after the warm-up."""
    seen = Seen()
    begin = time.perf_counter() + warmup
    each = [Client(port, raw, seen, begin, begin + seconds, think) for _ in range(clients)]
    await asyncio.gather(*(one.run() for one in each))
    return seen


def quantile(values, share):
    """The value that `share` of the others do not exceed; none of none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else None


# ---------------------------------------------------------------- a roll-out


async def roll_out(port, raw, clients, think, terminate):
    """What clients see from 3 s before `terminate()` until all were told to go elsewhere."""
    seen, end = Seen(), time.perf_counter() + 120
    each = [Client(port, raw, seen, 0, end, think, stay=False) for _ in range(clients)]
    asking = asyncio.gather(*(one.run() for one in each))
    await asyncio.sleep(3)
    assert not asking.done(), seen
    terminate()
    await asking
    return seen


# ---------------------------------------------------------------- hostile requests


def hostile(field, item):
    """Bodies that nobody means well with, by name; `field` holds the items of a request."""

    def holding(content):
        return f'{{"{field}": {content}}}'.encode()

    def listed(one, count):
        return holding("[" + ",".join([one] * count) + "]")

    good = json.dumps(item)
    return {
        "333,000 numbers": listed("0", 333_000),
        "100,000 nulls": listed("null", 100_000),
        "10,000 items": listed(good, 10_000),
        "70,000 unknown fields": b"{" + b",".join(b'"f%d":0' % i for i in range(70_000)) + b"}",
        "a key of 900 kB": b'{"' + b"k" * 900_000 + b'": 0}',
        "an item of 900 kB": listed('"' + "a" * 900_000 + '"', 1),
        "no number": listed("NaN", 1),
        "infinity": holding("Infinity"),
        "too great a number": listed("1e999", 1),
        "900,000 digits": listed("9" * 900_000, 1),
        "half a surrogate": listed('"\\ud800"', 1),
        "half a surrogate as a name": holding(f'[{good}], "\\ud800": 1'),
        "half a surrogate inside": holding('{"\\ud800": 1}'),
        "brackets 100,000 deep": holding("[" * 100_000),
        "no UTF-8": b'{"\xff": 0}',
        "no JSON": b"{",
        "nothing": b"",
        "a body that is too large": listed(good, 200_000),
    }


async def longest_wait(port, stop):
    """Asks /livez every 20 ms until `stop`; the longest time to an answer, endless for a no."""
    longest, connection = 0.0, await connect(port)
    while not stop.is_set():
        began = time.perf_counter()
        if not connection.open:
            connection = await connect(port)
        try:
            answer = await asyncio.wait_for(connection.ask(request("/livez")), 60)
        except Lost:
            continue
        longest = max(longest, time.perf_counter() - began)
        if answer.status != 200:
            return float("inf")
        await asyncio.sleep(0.02)
    connection.close()
    return longest


async def beside_probes(port, work):
    """What `work` returns, and how long /livez took at most meanwhile."""
    stop = asyncio.Event()
    probing = asyncio.create_task(longest_wait(port, stop))
    await asyncio.sleep(0.1)
    found = await work
    await asyncio.sleep(0.1)
    stop.set()
    return found, await probing


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--body", type=Path, required=True)
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--warmup", type=float, default=1)
    parser.add_argument("--think", type=float, default=0)
    asked = parser.parse_args()
    raw = request(asked.path, asked.body.read_bytes())
    seen = asyncio.run(
        load(asked.port, raw, asked.clients, asked.seconds, asked.warmup, asked.think)
    )
    said = {"counts": seen.counts, "asked": seen.asked, "lost": seen.lost, "refused": seen.refused}
    for share in (0.5, 0.99):
        by_status = {status: quantile(found, share) for status, found in seen.seconds.items()}
        said[f"p{share * 100:.0f}"] = by_status
    json.dump(said, sys.stdout)


if __name__ == "__main__":
    main()
