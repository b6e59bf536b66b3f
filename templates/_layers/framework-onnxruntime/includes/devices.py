"""Devices as ONNX Runtime knows them: which there are, their memory, their errors."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import onnxruntime  # type: ignore[import-untyped]

NAME = "onnxruntime"


{% include 'framework-onnxruntime/device.py' %}
