"""Devices as JAX knows them: which there are, their memory, their errors."""

from __future__ import annotations

import gc
import importlib.util
import os

import jax
import numpy as np

NAME = "jax"


{% include 'framework-jax/device.py' %}
