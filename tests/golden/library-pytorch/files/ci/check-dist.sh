#!/bin/sh
# Installs the wheel of dist/ into a fresh environment, with nothing but what it asks for, and uses it.
# Environment: PYTHON (found by .python-version)
set -eu
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$(ci/python.sh)" -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip --disable-pip-version-check install --quiet dist/*.whl
cd "$scratch" # not where the sources are
venv/bin/python - <<'END'
import importlib.metadata
import importlib.resources

import numpy as np

import pytorch_library

assert importlib.metadata.version("pytorch-library") == pytorch_library.__version__
assert importlib.resources.files(pytorch_library).joinpath("py.typed").is_file()
found = pytorch_library.topk_cosine(np.asarray([[1.0, 0.0]]), np.asarray([[0.0, 2.0], [3.0, 0.1]]), 1)
assert found.indices.tolist() == [[1]], found
print("pytorch_library", pytorch_library.__version__, "works from its wheel")
END
