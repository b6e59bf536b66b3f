#!/bin/sh
# Style, types, scripts and spelling: what a reviewer should not have to say.
set -eu
cd "$(dirname "$0")/.."
bin=${VENV:-.venv}/bin

# Without git, or where this is no repository, all that is not hidden.
files() { # PATTERN [OPTION]
    git ls-files -z --cached --exclude-standard ${2:+"$2"} "$1" 2>/dev/null ||
        find [!.]* -name '.?*' -prune -o -type f -name "$1" -print0
}

ci/lock.sh --check
"$bin/ruff" check .
"$bin/ruff" format --check .
"$bin/mypy"
files '*.sh' --others | xargs -0 "$bin/shellcheck" --external-sources
files '*' | xargs -0 "$bin/codespell"
