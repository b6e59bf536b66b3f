#!/bin/sh
# Makes the virtual environment: pinned framework for one device, the project's packages, the tools.
# What `make lock` has locked is installed by its hashes.
# Usage: ci/setup.sh [cpu|cuda]
# Environment: VENV (.venv), PYTHON (found by .python-version), INDEX_URL (the framework's index;
# default: the framework's own; for cpu whatever pip is set to, if it is set to anything); CPU_BUILDS
# (packages of which DEVICE=cpu takes the build VERSION+cpu alone; empty: whatever the index has)
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
ci/lock.sh --check

python=$(ci/python.sh)
made=
fresh() {
    "$python" -m venv --clear "$venv"
    made=now
}
# Neither one that was half made nor one whose Python is gone could say what pip is set to.
"$venv/bin/python" -c "import pip" 2>/dev/null || fresh

if [ "$index" = own ]; then
    index=$CPU_INDEX_URL
    case $(pip config list) in
        *index-url=* | *find-links=* | *no-index=*) index= ;;
    esac
fi

# What pip keeps though it should be another: the build for another device or CUDA has the same
# version, companions of the framework before stay beside its new ones, and an environment keeps the
# Python that made it. So any difference starts afresh.
stack=$(cat requirements/framework*.txt requirements/indexed*.txt requirements/stack.txt 2>/dev/null | cksum)
source=$(echo "${index:-wherever pip looks}" | sed 's,//[^/]*@,//,') # without a password
wanted="$device from $source on $("$python" -V | cut -d. -f1,2) ($stack)"
if [ -z "$made" ] && [ "$(cat "$venv/made-for" 2>/dev/null)" != "$wanted" ]; then
    echo "$venv was made for another device, index, Python or framework: making it afresh" >&2
    fresh
fi

# Takes what has an index of its own; pip's own index where INDEX is empty.
take_first() { # INDEX [OPTION...]
    from=$1
    shift
    pip "$@" install --constraint requirements/constraints.txt --constraint "$builds" ${from:+--index-url "$from"} \
        --requirement "$first"
}

# What has an index of its own comes first; then the rest with it, so that nothing of it is exchanged
# for another build.
requirements=requirements/framework$suffix.txt
first=$requirements
[ ! -e "requirements/indexed$suffix.txt" ] || first=requirements/indexed$suffix.txt
more=
[ -n "$suffix" ] || [ ! -e requirements/stack.txt ] || more=requirements/stack.txt
lock=requirements/lock/$device
if [ -e "$lock.txt" ]; then
    pip install --require-hashes --no-deps ${index:+--extra-index-url "$index"} \
        --requirement "$lock.txt" --requirement "$lock-dev.txt"
else
    builds=$venv/cpu-builds.txt
    if [ "$device" = cpu ]; then ci/cpu-builds.sh; fi >"$builds"
    # The framework's own index is asked where pip's has no build for CPUs.
    take_first "$index" || { [ -z "$index" ] && [ -s "$builds" ] && take_first "$CPU_INDEX_URL" --retries 1; } || {
        [ ! -s "$builds" ] ||
            echo "pip may not have reached the index: then its warnings above say so. If it did," \
                "no build for CPUs was found: INDEX_URL=... names an index that has $(sed 's/;.*//' "$builds" | paste -s -d' ')" \
                "(CPU_BUILDS= takes any build, which may bring gigabytes of CUDA)" >&2
        exit 1
    }
    pip install --constraint requirements/constraints.txt --constraint "$builds" \
        --requirement "$first" --requirement "$requirements" \
        ${more:+--requirement "$more"} --requirement requirements/runtime.txt --requirement requirements/dev.txt
fi
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
echo "$wanted" >"$venv/made-for"
