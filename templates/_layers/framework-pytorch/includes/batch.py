"""All that this project asks of PyTorch. Only network.py imports it too.

What a backend for another framework has to have, learner.py and tests/test_backend.py say.
"""

from __future__ import annotations

import gc
import math
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .batches import Batch
from .checkpoint import Arrays
from .config import Settings
from .data import Encoder
from .devices import pick
from .errors import InputError
from .footprint import Footprint, of_parameters, part_size
from .learner import Base, of_kind, under
from .world import ALONE, World

{% include 'framework-pytorch/env.py' %}

import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.distributed.tensor import DTensor, distribute_tensor

from . import network

NAME = "pytorch"

# What the settings can ask for and this backend cannot do, with the reason.
UNSUPPORTED: dict[str, str] = {}
if not any(map(shutil.which, (os.environ.get("CXX", "g++"), os.environ.get("CC", "gcc")))):
    UNSUPPORTED["compile"] = "torch.compile needs a C++ compiler, and there is none here"

BENCH, MODES = network.BENCH, network.MODES


{% include 'framework-pytorch/device.py' %}


{% include 'framework-pytorch/learner.py' %}
