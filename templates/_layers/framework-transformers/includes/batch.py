"""All that this project asks of Transformers and PyTorch. Only network.py imports them too.

What a backend for another framework has to have, learner.py and tests/test_backend.py say.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .checkpoint import Arrays
from .config import Settings
from .data import Batch, Tokens
from .devices import pick
from .learner import Base, of_kind, under
from .world import ALONE, World

{% include 'framework-transformers/env.py' %}

import torch
import transformers
from torch import nn
from torch.nn import functional

from .network import Network, transformer

NAME = "transformers"

_NO_LSTM = "there is no LSTM in a transformer"
# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED = {
    "fused": _NO_LSTM,
    "unfused": _NO_LSTM,
    "embedding": "embeddings are as wide as `hidden`",
}

footprint = transformer


{% include 'framework-pytorch/device.py' %}


{% include 'framework-pytorch/learner.py' %}
