"""When to stop: signals, the end of the time that was given, a spot machine that is taken away."""

from __future__ import annotations

import json
import logging
import math
import os
import signal
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import ClassVar

from .errors import Stopped

log = logging.getLogger(__name__)
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1)


class Stop:
    """Why the run should stop after the step that it is in; empty: it should not."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._reason = ""
        self._clock = clock
        self._end = math.inf

    @property
    def reason(self) -> str:
        """The first reason that came."""
        if self._clock() >= self._end:
            self.ask("the end of its time")
        return self._reason

    def limit(self, minutes: float) -> None:
        """Gives the run so much time from now on; 0: no limit."""
        self._end = self._clock() + 60 * minutes if minutes else math.inf

    def ask(self, reason: str) -> None:
        """Asks the run to stop."""
        self._reason = self._reason or reason

    def heed(self, when: str) -> None:
        """Raises `Stopped` where somebody asked for that and there is nothing to save.

        The end of its time is not heeded: with a step after it, each start comes further.
        """
        if self._reason:
            raise Stopped(f"{self._reason} {when}")

    def _on_signal(self, number: int, _frame: FrameType | None) -> None:
        if number == signal.SIGINT:  # a second one ends the process: somebody is in a hurry
            signal.signal(number, signal.SIG_DFL)
        self.ask(signal.Signals(number).name)

    @contextmanager
    def on_signals(self) -> Iterator[Stop]:
        """Listens to signals while the block runs."""
        before = {number: signal.signal(number, self._on_signal) for number in SIGNALS}
        try:
            yield self
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


NEVER = Stop()  # of what nobody tells to stop


class Spot:
    """Asks the cloud every few seconds, in a thread, whether this machine is about to be taken.

    Kubernetes tells by SIGTERM: this is for jobs that run on a machine of their own.
    METADATA_URL in the environment takes another server's place, for tests.
    """

    PATHS: ClassVar = {
        "aws": "/latest/meta-data/spot/instance-action",
        "azure": "/metadata/scheduledevents?api-version=2020-07-01",
        "gcp": "/computeMetadata/v1/instance/preempted",
    }
    HEADERS: ClassVar = {"azure": {"Metadata": "true"}, "gcp": {"Metadata-Flavor": "Google"}}

    def __init__(self, cloud: str, stop: Stop, every_s: float = 5.0) -> None:
        self._cloud, self._stop, self._every_s = cloud, stop, every_s
        self._server = os.environ.get("METADATA_URL", "http://169.254.169.254")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True, name="spot")

    def __enter__(self) -> Spot:
        if self._cloud != "none":
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()

    def _watch(self) -> None:
        while not self._ended.wait(self._every_s):
            try:
                if self.noticed():
                    self._stop.ask(f"{self._cloud} takes this machine away")
                    return
            except (OSError, ValueError) as error:
                log.warning("no answer from %s about this machine: %s", self._cloud, error)

    def noticed(self) -> bool:
        """Whether the cloud has said so."""
        try:
            text = self._ask(self.PATHS[self._cloud], self.HEADERS.get(self._cloud, self._token()))
        except urllib.error.HTTPError as error:
            if error.code == 404:  # AWS: no notice yet
                return False
            raise
        if self._cloud == "gcp":
            return text.strip() == "TRUE"
        if self._cloud == "azure":
            kinds = {event["EventType"] for event in json.loads(text)["Events"]}
            return bool(kinds & {"Preempt", "Terminate"})
        return json.loads(text)["action"] in ("terminate", "stop", "hibernate")

    def _token(self) -> dict[str, str]:
        """AWS answers only who has fetched a token."""
        if self._cloud != "aws":
            return {}
        wanted = {"X-aws-ec2-metadata-token-ttl-seconds": "300"}
        return {"X-aws-ec2-metadata-token": self._ask("/latest/api/token", wanted, "PUT")}

    def _ask(self, path: str, headers: dict[str, str], method: str = "GET") -> str:
        request = urllib.request.Request(self._server + path, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=2) as answer:
            return str(answer.read(65536).decode())
