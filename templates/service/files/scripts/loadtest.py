#!/usr/bin/env python3
"""Load on a running service, from a process of its own: a closed loop of clients, no think time.

Each client asks again as soon as it has its answer. Prints latencies, throughput, the answers by
status, and the sizes of the batches that the service made meanwhile, from its own metrics.

    scripts/loadtest.py [--url URL] [--clients N] [--instances N] [--seconds S] [--key KEY] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit

BUCKET = re.compile(r'^inference_batch_instances_bucket\{le="([^"]+)"\} (\S+)$', re.M)


@dataclass
class Result:
    """What the clients saw."""

    seconds: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)

    def add(self, other: Result) -> None:
        """Takes in what another client saw."""
        self.seconds += other.seconds
        self.statuses += other.statuses


class Client(threading.Thread):
    """Asks until told to stop; only answers of 200 count as latencies."""

    def __init__(self, address: str, body: bytes, window: Window, key: str) -> None:
        super().__init__(daemon=True)
        self.result = Result()
        self._address = address
        self._body = body
        self._window = window
        self._headers = {"Content-Type": "application/json", **shown(key)}

    def run(self) -> None:
        """The closed loop."""
        connection = HTTPConnection(self._address, timeout=60)
        while not self._window.over():
            began = time.perf_counter()
            try:
                connection.request("POST", "/v1/predict", self._body, self._headers)
                answer = connection.getresponse()
                answer.read()
                status = str(answer.status)
            except (OSError, HTTPException) as error:
                connection.close()
                status = type(error).__name__
            if self._window.counts(began):
                self.result.statuses[status] += 1
                if status == "200":
                    self.result.seconds.append(time.perf_counter() - began)
            if status != "200":
                time.sleep(0.01)  # as Retry-After asks, but not so long
        connection.close()


@dataclass(frozen=True)
class Window:
    """When requests count."""

    begin: float
    end: float

    def over(self) -> bool:
        """Whether to stop."""
        return time.perf_counter() >= self.end

    def counts(self, began: float) -> bool:
        """Whether a request that began then is measured."""
        return self.begin <= began < self.end


def quantile(ordered: list[float], share: float) -> float:
    """The value that `share` of the others do not exceed; 0 where there are none."""
    if not ordered:
        return 0.0
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def shown(key: str) -> dict[str, str]:
    """What shows a key to the service."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def example(address: str, key: str) -> object:
    """An input that the service itself names, in the documentation of its API."""
    connection = HTTPConnection(address, timeout=60)
    try:
        connection.request("GET", "/openapi.json", headers=shown(key))
        described = json.load(connection.getresponse())
    finally:
        connection.close()
    request = described["components"]["schemas"]["PredictRequest"]
    return request["properties"]["instances"]["examples"][0][0]


def batches(address: str) -> dict[str, float]:
    """How many passes there were, by the most instances that they had: cumulative."""
    connection = HTTPConnection(address, timeout=60)
    try:
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
    except OSError:
        return {}  # it may have ended under the load
    finally:
        connection.close()
    return {most: float(count) for most, count in BUCKET.findall(text)}


def sizes(before: dict[str, float], after: dict[str, float]) -> dict[str, int]:
    """Passes by size, each up to the size named and more than the one before it."""
    found, below = {}, 0.0
    for most, count in after.items():
        total = count - before.get(most, 0.0)
        if total > below:
            found[most] = int(total - below)
        below = total
    return found


def measure(arguments: argparse.Namespace) -> dict[str, object]:
    """Runs the clients; returns what goes into the report."""
    address = urlsplit(arguments.url).netloc
    instances = [example(address, arguments.key)] * arguments.instances
    body = json.dumps({"instances": instances}).encode()
    begin = time.perf_counter() + arguments.warmup
    window = Window(begin, begin + arguments.seconds)
    clients = [Client(address, body, window, arguments.key) for _ in range(arguments.clients)]
    before = batches(address)
    for client in clients:
        client.start()
    result = Result()
    for client in clients:
        client.join()
        result.add(client.result)
    ordered = sorted(result.seconds)
    rate = len(ordered) / arguments.seconds
    return {
        "clients": arguments.clients,
        "instances_per_request": arguments.instances,
        "seconds": arguments.seconds,
        "requests_per_second": round(rate, 1),
        "instances_per_second": round(rate * arguments.instances, 1),
        "p50_ms": round(quantile(ordered, 0.50) * 1000, 2),
        "p95_ms": round(quantile(ordered, 0.95) * 1000, 2),
        "p99_ms": round(quantile(ordered, 0.99) * 1000, 2),
        "max_ms": round(quantile(ordered, 1.0) * 1000, 2),
        "statuses": dict(result.statuses),
        "batch_sizes": sizes(before, batches(address)),
    }


def main() -> int:
    """Status 0 when there were answers and all of them were 200."""
    parser = argparse.ArgumentParser(prog=Path(sys.argv[0]).name)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--instances", type=int, default=1, help="in each request")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--warmup", type=float, default=1, help="seconds that do not count")
    parser.add_argument("--json", action="store_true")
    first = os.environ.get("SERVE_API_KEYS", "").split(",")[0].strip()
    parser.add_argument("--key", default=first, help="unless given the first of SERVE_API_KEYS")
    arguments = parser.parse_args()
    report = measure(arguments)
    if arguments.json:
        print(json.dumps(report))
    else:
        for name, value in report.items():
            print(f"{name:20} {value}")
    return 0 if set(report["statuses"]) == {"200"} else 1


if __name__ == "__main__":
    sys.exit(main())
