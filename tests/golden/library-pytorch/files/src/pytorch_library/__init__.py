"""pytorch-library: see README.md.

Nothing here imports a framework: arrays bring their own.
"""

from .ops import TopK, topk_cosine

# The one place where the version is written.
__version__ = "0.1.0"

__all__ = ["TopK", "__version__", "topk_cosine"]
