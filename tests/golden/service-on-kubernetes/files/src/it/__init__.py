"""An inference service."""

import os

# Memory is taken in pieces that grow, so that batches of many sizes do not leave holes. By this
# name: not all releases heed the newer one for CUDA, and where both are set this one counts.
if "PYTORCH_ALLOC_CONF" not in os.environ:
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

__version__ = "0.1.0"
