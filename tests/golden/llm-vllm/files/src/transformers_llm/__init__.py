"""A language model behind OpenAI's API."""

import os

# Memory is taken in pieces that grow, so that batches of many sizes do not leave holes. By this
# name: not all releases heed the newer one for CUDA, and where both are set this one counts.
if "PYTORCH_ALLOC_CONF" not in os.environ:
    os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")
# Only a model of the hub needs the hub.
if not os.environ.get("SERVE_MODEL_DIR", "").startswith("hf://"):
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

__version__ = "0.1.0"
