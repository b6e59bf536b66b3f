"""Threads that may be in native code when the process ends.

The interpreter does not wait for them, and stops one that comes back to Python while it ends. In
the frames of C++, as a framework's, that aborts the process, however well it had served.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

_started: list[threading.Thread] = []


def start(work: Callable[[], None], name: str) -> None:
    """Does `work` in a thread of its own, which need not end."""
    thread = threading.Thread(target=work, name=name, daemon=True)
    _started.append(thread)
    thread.start()


def have_ended(within_s: float) -> bool:
    """Whether none of them is at work any longer, or will be in so many seconds."""
    end = time.monotonic() + within_s
    for thread in _started:
        thread.join(max(end - time.monotonic(), 0))
    return not any(thread.is_alive() for thread in _started)
