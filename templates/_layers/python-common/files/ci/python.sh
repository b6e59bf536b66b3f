#!/bin/sh
# Prints the Python to use: PYTHON, or the first that has the version of .python-version, or the one
# that uv fetches. Usage: ci/python.sh [VERSION]
set -eu
cd "$(dirname "$0")/.."

wanted=${1:-$(cut -d. -f1,2 .python-version)}

is_wanted() {
    "$1" -c "import sys; sys.exit('%d.%d' % sys.version_info[:2] != '$wanted')" 2>/dev/null
}

if [ -n "${PYTHON-}" ] && [ $# = 0 ]; then
    echo "$PYTHON"
    exit
fi
for candidate in "python$wanted" python3 python; do
    if is_wanted "$candidate"; then
        command -v "$candidate"
        exit
    fi
done
if command -v uv >/dev/null; then
    uv python install "$wanted" >&2
    uv python find --no-project --system "$wanted"
    exit
fi
echo "Python $wanted is not installed: install it, or uv, or name another with PYTHON=..." >&2
exit 1
