"""All that this project asks of PyTorch. Only network.py imports it too.

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
from .footprint import lstm
from .learner import Base, of_kind, under
from .world import ALONE, World

{% include 'framework-pytorch/env.py' %}

import torch
from torch import nn
from torch.nn import functional

from .network import Network

NAME = "pytorch"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED: dict[str, str] = {}

footprint = lstm


{% include 'framework-pytorch/device.py' %}


{% include 'framework-pytorch/learner.py' %}
