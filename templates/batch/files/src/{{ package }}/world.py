"""Which of several processes this one is, as torchrun and its kin tell it in the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import InputError


@dataclass(frozen=True)
class World:
    """`rank` of `size` processes; `local` among those of this machine, and its GPU's number."""

    rank: int = 0
    size: int = 1
    local: int = 0

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and speaks."""
        return self.rank == 0


ALONE = World()


def from_environment(environment: Mapping[str, str] | None = None) -> World:
    """Reads RANK, WORLD_SIZE and LOCAL_RANK; without them there is one process."""
    given = os.environ if environment is None else environment
    try:
        world = World(*(int(given.get(name, default)) for name, default in _VARIABLES))
    except ValueError as error:
        raise InputError(f"RANK, WORLD_SIZE, LOCAL_RANK: {error}") from None
    if not 0 <= world.rank < world.size:
        raise InputError(f"RANK {world.rank} is not one of WORLD_SIZE {world.size}")
    return world


_VARIABLES = (("RANK", "0"), ("WORLD_SIZE", "1"), ("LOCAL_RANK", "0"))
