"""Starts the processes of this machine, as torchrun does, and ends as the first of them that failed.

torchrun itself ends with 1 whatever that was: nobody could tell a run that saved from a bug.
"""

from __future__ import annotations

import sys

from torch.distributed import run
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

from .errors import AGAIN, BUG


def main(arguments: list[str] | None = None) -> int:
    """Takes the arguments of torchrun, and its variables PET_...; returns the status."""
    try:
        run.main(arguments)
    except ChildFailedError as error:
        _, failure = error.get_first_failure()
        # Less than 0: the number of a signal.
        return failure.exitcode if failure.exitcode > 0 else BUG
    except run.elastic_agent_signals as stopped:  # pragma: no cover
        return AGAIN if stopped else BUG
    return 0


if __name__ == "__main__":
    sys.exit(main())
