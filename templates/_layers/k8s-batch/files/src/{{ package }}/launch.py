"""Starts this machine's processes of a run on several, as torchrun does, and ends as they did.

torchrun itself ends with 1 whatever happened: nobody could tell a run that has saved from a bug.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from torch.distributed import run
from torch.distributed.elastic.multiprocessing.api import SignalException
from torch.distributed.elastic.multiprocessing.errors import ChildFailedError

from .errors import AGAIN, BUG, DONE


def main(arguments: Sequence[str]) -> int:
    """Takes the arguments of torchrun, and its variables PET_...; returns the status of the run."""
    try:
        run.run(run.parse_args(list(arguments)))
    except ChildFailedError as error:
        _, failure = error.get_first_failure()
        # Below 0: the signal that ended it, and no word of its own.
        return int(failure.exitcode) if failure.exitcode > 0 else BUG
    except SignalException:
        # All were told to save and to end, and have been waited for.
        return AGAIN
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
