#!/bin/sh
# Makes the virtual environment: pinned framework for one device, the project's packages, the tools.
# Usage: ci/setup.sh [cpu|cuda]
# Environment: VENV (.venv), PYTHON (found by .python-version), INDEX_URL (the framework's index;
# default: the framework's own; for cpu whatever pip is set to, if it is set to anything)
set -eu
cd "$(dirname "$0")/.."
. ci/framework.sh

device=${1:-cpu}
venv=${VENV:-.venv}
suffix=
case $device in
    cpu)
        index=${INDEX_URL-own}
        # Only where the stack for CPUs is another.
        [ ! -e requirements/framework-cpu.txt ] || suffix=-cpu
        ;;
    cuda) index=${INDEX_URL-$CUDA_INDEX_URL} ;;
    *) echo "usage: ci/setup.sh [cpu|cuda]" >&2; exit 2 ;;
esac

pip() {
    "$venv/bin/python" -m pip --disable-pip-version-check "$@"
}

if [ -d "$venv/conda-meta" ]; then
    echo "$venv is conda's: conda env update --file environment.yml" >&2
    exit 2
fi

# A wheel for another device has the same version, so pip would keep it: start afresh.
if [ "$(cat "$venv/device" 2>/dev/null)" != "$device" ]; then
    python=$(ci/python.sh)
    "$python" -m venv --clear "$venv"
fi

if [ "$index" = own ]; then
    index=$CPU_INDEX_URL
    ! pip config list | grep -Eq '(index-url|find-links|no-index)=' || index=
fi

# What has an index of its own comes first; then the rest with it, so that nothing of it is exchanged
# for another build.
requirements=requirements/framework$suffix.txt
first=$requirements
[ ! -e "requirements/indexed$suffix.txt" ] || first=requirements/indexed$suffix.txt
more=
[ -n "$suffix" ] || [ ! -e requirements/stack.txt ] || more=requirements/stack.txt
pip install --constraint requirements/constraints.txt ${index:+--index-url "$index"} --requirement "$first"
pip install --constraint requirements/constraints.txt --requirement "$first" --requirement "$requirements" \
    ${more:+--requirement "$more"} --requirement requirements/runtime.txt --requirement requirements/dev.txt
if [ ! -e requirements/build.txt ]; then
    : # there are wheels of everything
elif [ "$device" = cpu ]; then
    echo "left out, since it is compiled for GPUs: requirements/build.txt" >&2
elif ! command -v nvcc >/dev/null; then
    echo "requirements/build.txt is compiled by CUDA's nvcc, which is not installed: \`make image\` brings it" >&2
    exit 1
else
    pip install ninja packaging psutil setuptools wheel
    PATH=$(cd "$venv/bin" && pwd):$PATH pip install --constraint requirements/constraints.txt --no-build-isolation \
        --requirement "$first" --requirement "$requirements" --requirement requirements/build.txt
fi
pip install --no-deps --editable .
echo "$device" >"$venv/device"
