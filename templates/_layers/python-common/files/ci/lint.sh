#!/bin/sh
# Style, types, scripts and spelling: what a reviewer should not have to say.
set -eu
cd "$(dirname "$0")/.."
bin=${VENV:-.venv}/bin

ci/lock.sh --check
"$bin/ruff" check .
"$bin/ruff" format --check .
"$bin/mypy"
git ls-files -z --cached --others --exclude-standard '*.sh' | xargs -0 "$bin/shellcheck" --external-sources
git ls-files -z | xargs -0 "$bin/codespell"
