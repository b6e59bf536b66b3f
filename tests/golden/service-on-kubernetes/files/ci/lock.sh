#!/bin/sh
# Locks every package by version and hash: requirements/lock/DEVICE.txt is what the image holds,
# DEVICE-dev.txt what lint and tests want besides. From then on `make setup` and `make image` install
# that and nothing else. uv only reads what the indexes say: a stack for GPUs needs no GPU to be locked.
# Usage: ci/lock.sh [cpu|cuda]...   both unless told
#        ci/lock.sh --check         whether the pins are still those that were locked
# Environment: PYTHON (found by .python-version), INDEX_URL (in place of the framework's own index);
# uv's variables, UV_DEFAULT_INDEX and others; where they are not set, pip's settings hold
set -eu
cd "$(dirname "$0")/.."
. ci/framework.sh
UV_VERSION=0.13.8 # the Dockerfile has the same

pins="# pins: $(LC_ALL=C && cat .python-version requirements/*.txt | cksum)"

if [ "${1-}" = --check ]; then
    for file in requirements/lock/*.txt; do
        if [ -e "$file" ] && ! grep -qxF "$pins" "$file"; then
            echo "$file is stale, for .python-version or requirements/*.txt changed: make lock" >&2
            exit 1
        fi
    done
    exit
fi

tools=build/lock-venv
if [ "$("$tools/bin/uv" --version 2>/dev/null | cut -d' ' -f2)" != $UV_VERSION ]; then
    "$(ci/python.sh)" -m venv --clear "$tools"
    "$tools/bin/python" -m pip --disable-pip-version-check install --quiet "uv==$UV_VERSION"
fi

# uv does not read pip's settings.
settings=$("$tools/bin/python" -m pip config list)
setting() {
    echo "$settings" | sed -n "s/^[^=]*\.$1='\(.*\)'$/\1/p" | head -n 1 | sed 's/\\n/ /g'
}
export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX-$(setting index-url)}"
export UV_INDEX="${UV_INDEX-$(setting extra-index-url)}"
export UV_FIND_LINKS="${UV_FIND_LINKS-$(setting find-links | tr ' ' ,)}"
if [ -z "${SSL_CERT_FILE-}" ] && [ -n "$(setting cert)" ]; then
    SSL_CERT_FILE=$(setting cert)
    export SSL_CERT_FILE
fi

# compile INDEX OUTPUT ARGUMENT...: with the index of the framework's builds as one more. Of one
# version uv takes the build with a local label, such as +cu130.
compile() {
    index=$1
    output=$2
    shift 2
    {
        echo "$pins"
        "$tools/bin/uv" pip compile --quiet --no-header --generate-hashes --index-strategy unsafe-best-match \
            --python-version 3.12 --python-platform x86_64-unknown-linux-gnu \
            ${index:+--index "$index"} --constraint requirements/constraints.txt "$@"
    } >"$output.new" || return 1
    mv "$output.new" "$output"
    echo "wrote $output" >&2
}

lock() {
    suffix=
    case $1 in
        cpu)
            own=$CPU_INDEX_URL
            # A machine whose pip is set to something has that in place of the world outside.
            [ -z "$UV_DEFAULT_INDEX$UV_INDEX$UV_FIND_LINKS" ] || own=
            [ ! -e requirements/framework-cpu.txt ] || suffix=-cpu
            ;;
        cuda) own=$CUDA_INDEX_URL ;;
        *) sed -n 's/^# Usage: /usage: /p' ci/lock.sh >&2; exit 2 ;;
    esac
    set -- "$1" "${INDEX_URL-$own}" "requirements/framework$suffix.txt" requirements/runtime.txt
    [ ! -e "requirements/indexed$suffix.txt" ] || set -- "$@" "requirements/indexed$suffix.txt"
    [ -n "$suffix" ] || [ ! -e requirements/stack.txt ] || set -- "$@" requirements/stack.txt
    device=$1
    url=$2
    shift 2
    compile "$url" "requirements/lock/$device.txt" "$@" &&
        compile "$url" "requirements/lock/$device-dev.txt" --constraint "requirements/lock/$device.txt" requirements/dev.txt
}

mkdir -p requirements/lock
trap 'rm -f requirements/lock/*.new' EXIT
[ $# -gt 0 ] || set -- cpu cuda
status=0
for device in "$@"; do
    if ! (lock "$device"); then
        echo "not locked: the stack for $device; uv says above why. Its index must be reached from here" >&2
        status=1
    fi
done
exit "$status"
