#!/bin/sh
# Makes the virtual environment: pinned framework for one device, the project's packages, the tools.
# Usage: ci/setup.sh [cpu|cuda]
# Environment: VENV (.venv), PYTHON (found by .python-version), INDEX_URL (the framework's index;
# default: the framework's own for cuda, whatever pip is set to for cpu)
set -eu
cd "$(dirname "$0")/.."
. ci/framework.sh

device=${1:-cpu}
venv=${VENV:-.venv}
requirements=requirements/framework.txt
case $device in
    cpu)
        index=${INDEX_URL-}
        # Only where the framework for CPUs has another name.
        [ ! -e requirements/framework-cpu.txt ] || requirements=requirements/framework-cpu.txt
        ;;
    cuda) index=${INDEX_URL-$CUDA_INDEX_URL} ;;
    *) echo "usage: ci/setup.sh [cpu|cuda]" >&2; exit 2 ;;
esac

pip() {
    "$venv/bin/python" -m pip --disable-pip-version-check "$@"
}

# A wheel for another device has the same version, so pip would keep it: start afresh.
if [ "$(cat "$venv/device" 2>/dev/null)" != "$device" ]; then
    python=$(ci/python.sh)
    "$python" -m venv --clear "$venv"
fi

pip install --constraint requirements/constraints.txt ${index:+--index-url "$index"} \
    --requirement "$requirements"
pip install --constraint requirements/constraints.txt \
    --requirement requirements/runtime.txt --requirement requirements/dev.txt
pip install --no-deps --editable .
echo "$device" >"$venv/device"
