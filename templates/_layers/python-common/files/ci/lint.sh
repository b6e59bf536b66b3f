#!/bin/sh
# Style, types and scripts: what a reviewer should not have to say.
set -eu
cd "$(dirname "$0")/.."
bin=${VENV:-.venv}/bin

"$bin/ruff" check .
"$bin/ruff" format --check .
"$bin/mypy"
if command -v shellcheck >/dev/null; then
    shellcheck ci/*.sh
else
    echo "shellcheck is not installed: ci/*.sh not checked" >&2
fi
