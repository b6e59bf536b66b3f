"""Devices as PyTorch knows them: which there are, their memory, their errors."""

from __future__ import annotations

import os

import torch

NAME = "pytorch"


{% include 'framework-pytorch/device.py' %}
