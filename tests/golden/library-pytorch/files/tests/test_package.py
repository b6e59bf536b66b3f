"""What users see of the package itself."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import pytorch_library as library

NAME = "pytorch-library"
SCRIPT = """
import sys
import pytorch_library
print(*sys.modules)
"""


def test_the_version_has_one_place():
    assert importlib.metadata.version(NAME) == library.__version__


def test_importing_the_library_imports_no_framework():
    command = [sys.executable, "-c", SCRIPT]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "array_api_compat" in said
    assert not {"torch", "jax", "tensorflow", "cupy"} & set(said)
