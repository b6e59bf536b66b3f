"""The child's own command, `python -m pytorch_service serve`, with the model of the benchmark."""

import runpy
import sys

import same_model  # noqa: F401 - it may put a product before the model

sys.argv[1:] = ["serve"]
runpy.run_module("pytorch_service", run_name="__main__", alter_sys=True)
