#!/usr/bin/env python3
"""Load on a running service, from a process of its own: a closed loop of clients, no think time.

Each client asks again as soon as its answer has ended. Prints the tokens a second of all, how soon
the first one comes, how far the others are apart, and the answers by status.

    scripts/loadtest.py [--url URL] [--clients N] [--tokens N] [--seconds S] [--key KEY] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Window:
    """When requests count."""

    begin: float
    end: float

    def over(self) -> bool:
        """Whether to stop."""
        return time.perf_counter() >= self.end

    def counts(self, began: float) -> bool:
        """Whether what happened then is measured."""
        return self.begin <= began < self.end


@dataclass
class Result:
    """What the clients saw."""

    first_s: list[float] = field(default_factory=list)
    next_s: list[float] = field(default_factory=list)
    tokens: int = 0
    statuses: Counter[str] = field(default_factory=Counter)

    def add(self, other: Result) -> None:
        """Takes in what another client saw."""
        self.first_s += other.first_s
        self.next_s += other.next_s
        self.tokens += other.tokens
        self.statuses += other.statuses


class Client(threading.Thread):
    """Asks for streams until told to stop."""

    def __init__(self, address: str, body: bytes, window: Window, key: str) -> None:
        super().__init__(daemon=True)
        self.result = Result()
        self._address = address
        self._body = body
        self._window = window
        self._headers = {"Content-Type": "application/json", **shown(key)}

    def run(self) -> None:
        """The closed loop."""
        connection = HTTPConnection(self._address, timeout=300)
        while not self._window.over():
            began = time.perf_counter()
            try:
                connection.request("POST", "/v1/chat/completions", self._body, self._headers)
                answer = connection.getresponse()
                status = str(answer.status)
                if answer.status == 200:
                    self._listen(answer, began)
                else:
                    answer.read()
            except (OSError, HTTPException) as error:
                connection.close()
                status = type(error).__name__
            if self._window.counts(began):
                self.result.statuses[status] += 1
            if status != "200":
                time.sleep(0.1)  # as Retry-After asks, but not so long
        connection.close()

    def _listen(self, answer: HTTPResponse, began: float) -> None:
        """Takes the time of each piece, and at the end the number of tokens from the usage."""
        before, after = began, self.result.first_s
        for line in answer:
            if not line.startswith(b"data: {"):
                continue
            event: dict[str, Any] = json.loads(line[6:])
            now = time.perf_counter()
            if event["choices"] and event["choices"][0]["delta"].get("content"):
                if self._window.counts(now):
                    after.append(now - before)
                before, after = now, self.result.next_s
            if event.get("usage") and self._window.counts(began):
                self.result.tokens += event["usage"]["completion_tokens"]


def quantile_ms(seconds: list[float], share: float) -> float:
    """The value that `share` of the others do not exceed; 0 where there are none."""
    ordered = sorted(seconds) or [0.0]
    return round(ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000, 2)


def shown(key: str) -> dict[str, str]:
    """What shows a key to the service."""
    return {"Authorization": f"Bearer {key}"} if key else {}


def model_of(address: str, key: str) -> str:
    """What the service calls its model."""
    connection = HTTPConnection(address, timeout=60)
    connection.request("GET", "/v1/models", headers=shown(key))
    name: str = json.loads(connection.getresponse().read())["data"][0]["id"]
    connection.close()
    return name


def measure(arguments: argparse.Namespace) -> dict[str, Any]:
    """Runs the clients; returns what goes into the report."""
    address = urlsplit(arguments.url).netloc
    request = {
        "model": model_of(address, arguments.key),
        "messages": [{"role": "user", "content": arguments.prompt}],
        "max_tokens": arguments.tokens,
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    body = json.dumps(request).encode()
    begin = time.perf_counter() + arguments.warmup
    window = Window(begin, begin + arguments.seconds)
    clients = [Client(address, body, window, arguments.key) for _ in range(arguments.clients)]
    for client in clients:
        client.start()
    result = Result()
    for client in clients:
        client.join()
        result.add(client.result)
    # Answers that began in time may have ended later.
    seconds = time.perf_counter() - begin
    return {
        "clients": arguments.clients,
        "seconds": round(seconds, 2),
        "tokens_per_second": round(result.tokens / seconds, 1),
        **{
            f"{name}_p{share}_ms": quantile_ms(times, share / 100)
            for name, times in (("first_token", result.first_s), ("next_token", result.next_s))
            for share in (50, 95, 99)
        },
        "statuses": dict(result.statuses),
    }


def main() -> int:
    """Status 0 when there were answers and all of them were 200."""
    parser = argparse.ArgumentParser(prog=Path(sys.argv[0]).name)
    parser.add_argument("--url", default="http://127.0.0.1:8080")
    parser.add_argument("--clients", type=int, default=16)
    parser.add_argument("--prompt", default="Count to twenty.")
    parser.add_argument("--tokens", type=int, default=128, help="of each answer at most")
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
