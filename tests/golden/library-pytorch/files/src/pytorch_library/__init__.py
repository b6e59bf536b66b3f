"""pytorch-library: see README.md.

Nothing here imports a framework: arrays bring their own.
"""

from importlib.metadata import version

from . import ops
from .ops import *  # noqa: F403

__version__ = version("pytorch-library")

__all__ = ["__version__"]
__all__ += ops.__all__
