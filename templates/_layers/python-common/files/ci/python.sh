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
why="is not installed"
uv="
  uv (https://docs.astral.sh/uv/), which fetches it by itself"
if command -v uv >/dev/null; then
    uv python install "$wanted" >&2 && uv python find --no-project --system "$wanted" && exit
    why="is not installed, and uv could not fetch it" uv=
fi
another="apt install python3 python3-venv   on Debian and Ubuntu; elsewhere the packages of Python, pip and venv"
if here=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null); then
    another="tmplgen update --set python=$here   moves the project to another Python: this machine has $here"
fi
cat >&2 <<EOF
Python $wanted $why. One of these helps:$uv
  $another
  PYTHON=/path/to/python$wanted       where it is installed elsewhere
EOF
exit 1
