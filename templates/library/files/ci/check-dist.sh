#!/bin/sh
# Installs the wheel of dist/ into a fresh environment, with nothing but what it asks for, and uses it.
# Environment: PYTHON (found by .python-version)
set -eu
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$(ci/python.sh)" -m venv "$scratch/venv"
python=$scratch/venv/bin/python
if ! "$python" -m zipfile --list dist/*.whl | grep /py.typed >/dev/null; then
    echo "the wheel has no py.typed: its users would get no types" >&2
    exit 1
fi
"$python" -m pip --disable-pip-version-check install --quiet dist/*.whl
"$python" tests/examples.py
