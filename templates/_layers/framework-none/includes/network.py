"""The network: an LSTM in NumPy, forward and backward. Put your own in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .config import Settings
from .data import Arrays, Encoder

{% include 'numpy/lstm.py' %}
