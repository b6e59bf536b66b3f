#!/bin/sh
# Every row of images.yml can be met, and the scripts are clean.
set -eu
cd "$(dirname "$0")/.."

ci/rows.sh
if command -v shellcheck >/dev/null; then
    shellcheck -x ci/*.sh
else
    echo "shellcheck is not installed: ci/*.sh not checked" >&2
fi
