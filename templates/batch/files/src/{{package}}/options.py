"""How a setting is declared: its default, one line of help, and what values are good."""

from __future__ import annotations

from dataclasses import MISSING, field
from typing import Any


def option(
    default: Any,
    help: str,
    *,
    least: float = 0,
    choices: tuple[str, ...] = (),
    free: bool = False,
    neutral: Any = MISSING,
) -> Any:
    """A field of a settings class: a flag and a variable, checked when settings are made.

    `free` settings may change when a run is resumed: what it computes does not depend on them.
    Where a run is older than the setting, it is taken to have had the value `neutral`.
    """
    about = {"help": help, "least": least, "choices": choices, "free": free, "neutral": neutral}
    return field(default=default, metadata=about)
