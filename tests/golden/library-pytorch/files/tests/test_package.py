"""What users see of the package itself."""

from __future__ import annotations

import subprocess
import sys

import examples

SCRIPT = """
import sys
import pytorch_library
print(*sys.modules)
"""


def test_the_examples_of_the_docstrings_are_right():
    examples.run()


def test_importing_the_library_imports_no_framework():
    command = [sys.executable, "-c", SCRIPT]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "pytorch_library" in said
    assert not {"torch", "jax", "tensorflow", "cupy"} & set(said)
