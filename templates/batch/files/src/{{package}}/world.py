"""Which of several processes this one is, as torchrun and its kin tell it in the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import InputError


@dataclass(frozen=True)
class World:
    """`rank` of `size` processes; `local` of `here` on this machine, and its GPU's number."""

    rank: int = 0
    size: int = 1
    local: int = 0
    here: int = 1

    @property
    def first(self) -> bool:
        """Whether this is the process that writes files and speaks."""
        return self.rank == 0


ALONE = World()


def from_environment(environment: Mapping[str, str] | None = None) -> World:
    """Reads RANK, WORLD_SIZE and their kin; without them there is one process."""
    given = os.environ if environment is None else environment
    try:
        world = World(*(int(given.get(name, default)) for name, default in _VARIABLES))
    except ValueError as error:
        raise InputError(f"{', '.join(dict(_VARIABLES))}: {error}") from None
    if not 0 <= world.rank < world.size or world.here < 1:
        raise InputError(f"RANK {world.rank} is not one of WORLD_SIZE {world.size}")
    return world


def refuse_several(why: str, instead: str) -> None:
    """Of what several processes would each do as if alone, and into the same place."""
    if (size := from_environment().size) > 1:
        raise InputError(f"{why}, and WORLD_SIZE is {size}: {instead}")


_VARIABLES = (
    ("RANK", "0"),
    ("WORLD_SIZE", "1"),
    ("LOCAL_RANK", "0"),
    ("LOCAL_WORLD_SIZE", "1"),
)
