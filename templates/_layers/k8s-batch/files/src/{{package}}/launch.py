"""Starts this machine's processes of a run on several, as torchrun does, and ends as they did.

torchrun itself ends with 1 whatever happened: nobody could tell a run that has saved from a bug.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from torch.distributed import run
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

from .errors import AGAIN, BAD_INPUT, BUG, DONE, NO_GPU

# What torchrun reads where no argument says otherwise; a release that lacks one of them ignores it.
DEFAULTS = {
    # After 30 s it would kill processes that still save. Less than the pod's grace period.
    "PET_SHUTDOWN_TIMEOUT": "110",
    # A run heeds SIGUSR1, too, of which torchrun would die.
    "PET_SIGNALS_TO_HANDLE": "SIGTERM,SIGINT,SIGHUP,SIGQUIT,SIGUSR1",
}


def main(arguments: Sequence[str]) -> int:
    """Takes the arguments of torchrun, and its variables PET_...; returns the status of the run."""
    for name, value in DEFAULTS.items():
        os.environ.setdefault(name, value)
    try:
        run.run(run.parse_args(list(arguments)))
    except ChildFailedError as error:
        return status_of([failure.exitcode for failure in error.failures.values()])
    except SignalException:
        # All were told to save and to end, and have been waited for.
        return AGAIN
    return DONE


def status_of(statuses: Sequence[int]) -> int:
    """What several processes ended with together.

    One that says why outweighs those that ended with it, as they lost their peer.
    """
    return next((known for known in (BAD_INPUT, NO_GPU, AGAIN) if known in statuses), BUG)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
