"""Logs: one line each on standard error."""

from __future__ import annotations

import logging
import sys


def configure(rank: int = 0) -> None:
    """Sends logs to standard error; of several processes only the first tells more than trouble."""
    logging.basicConfig(
        level=logging.INFO if rank == 0 else logging.WARNING,
        format=f"%(asctime)s {f'[{rank}] ' if rank else ''}%(levelname)s %(message)s",
        stream=sys.stderr,
        force=True,
    )
