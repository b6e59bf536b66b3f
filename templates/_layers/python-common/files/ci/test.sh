#!/bin/sh
# The tests. Those that need a GPU skip themselves where there is none, and say why.
# Usage: ci/test.sh [PYTEST ARGUMENTS]
set -eu
cd "$(dirname "$0")/.."

exec "${VENV:-.venv}/bin/python" -m pytest --junit-xml reports/tests.xml "$@"
