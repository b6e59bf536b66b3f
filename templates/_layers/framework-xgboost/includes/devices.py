"""Devices as XGBoost knows them: which there are, their memory, their errors."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import xgboost

NAME = "xgboost"


{% include 'framework-xgboost/device.py' %}
