"""What the service may say about itself: its state, and what its device did last."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum


class State(Enum):
    """Where the service is in its life. `FAILED` is the end: the process must be replaced."""

    STARTING = "starting"
    WARMING = "warming"
    READY = "ready"
    DRAINING = "draining"
    FAILED = "failed"


class Health:
    """State and times, written by the event loop and by the device's thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._began: float | None = None
        self._proved: float | None = None
        self.state = State.STARTING
        self.started = False
        self.reason = ""

    def warming(self) -> None:
        """The model is there; what is slow only the first time is being done."""
        if self.state is State.STARTING:
            self.state = State.WARMING

    def loaded(self) -> None:
        """The model is there and has answered."""
        self.started = True
        if self.state in (State.STARTING, State.WARMING):
            self.state = State.READY

    def drain(self) -> None:
        """No new work, please; what is here will be finished."""
        if self.state is not State.FAILED:
            self.state = State.DRAINING

    def fail(self, reason: str) -> None:
        """The device or the model is beyond repair in this process."""
        self.state = State.FAILED
        self.reason = reason

    @contextmanager
    def forward(self) -> Iterator[None]:
        """Around each pass on the device; one that ends well proves the device."""
        self.began()
        try:
            yield
            self.worked()
        finally:
            self.idle()

    def began(self) -> None:
        """The device is given work, or has more than it had."""
        if self._began is None:
            self._began = self._clock()

    def worked(self) -> None:
        """The device has just answered rightly, whether or not it has more to do."""
        self._proved = self._clock()
        if self._began is not None:
            self._began = self._proved

    def idle(self) -> None:
        """The device has nothing to do."""
        self._began = None

    def busy_s(self) -> float:
        """Seconds that the present pass has taken; 0 where there is none."""
        began = self._began
        return 0.0 if began is None else self._clock() - began

    def unproved_s(self) -> float:
        """Seconds since a pass last ended well."""
        return float("inf") if self._proved is None else self._clock() - self._proved
