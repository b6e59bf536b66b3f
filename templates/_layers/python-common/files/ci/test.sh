#!/bin/sh
# The tests. Those in tests/gpu skip themselves where there is no GPU and say why.
# Usage: ci/test.sh [PYTEST ARGUMENTS]
set -eu
cd "$(dirname "$0")/.."

exec "${VENV:-.venv}/bin/python" -m pytest --junit-xml reports/tests.xml "$@"
