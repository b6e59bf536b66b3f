"""Packages that are there only when somebody asked for them."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import InputError


def package(name: str, wanted_by: str) -> Any:
    """Imports a package; says how to install it where it is missing."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise InputError(
            f"{wanted_by}: {error.name} is not installed: "
            f"`pip install --requirement requirements/{name.lower()}.txt` in the environment"
        ) from None
