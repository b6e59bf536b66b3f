"""Devices as TensorFlow knows them: which there are, their memory, their errors."""

from __future__ import annotations

import ctypes
import gc

import keras  # type: ignore[import-untyped]
import tensorflow as tf  # type: ignore[import-untyped]

NAME = "tensorflow"


{% include 'framework-tensorflow/device.py' %}
