"""Devices as NumPy knows them: which there are, their memory, their errors."""

from __future__ import annotations

import numpy as np

NAME = "none"


{% include 'framework-none/device.py' %}
