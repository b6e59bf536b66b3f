#!/bin/sh
# Runs tmplgen: the one that is installed, else the one file that TMPLGEN_URL has, else what pip
# installs for TMPLGEN_PIP, else the one that TMPLGEN_IMAGE has. That is taken out of its image, with
# its libraries, so that it drives the engine of this machine. The registry is asked each time: a
# name such as :latest moves.
# Usage: ci/tmplgen.sh ARGUMENTS
# Environment: TMPLGEN (tmplgen), TMPLGEN_URL and TMPLGEN_SHA256 (of a release's file for Linux),
# TMPLGEN_PIP (tmplgen==VERSION), TMPLGEN_IMAGE (REGISTRY/tmplgen:latest), ENGINE; REGISTRY_USER and
# REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

program=${TMPLGEN:-tmplgen}
if command -v "$program" >/dev/null; then
    exec "$program" "$@"
fi
if [ "$program" != tmplgen ]; then
    echo "TMPLGEN: there is no program '$program'" >&2
    exit 1
fi

root=$PWD/.tmplgen-image
if [ -n "${TMPLGEN_URL-}" ]; then
    program=$root/$(echo "${TMPLGEN_SHA256:?is the sum of what TMPLGEN_URL has}" | cut -c1-64)
    mkdir -p "$root"
    [ -e "$program" ] || python3 -c 'import shutil, sys, urllib.request as web
try:
    shutil.copyfileobj(web.urlopen(sys.argv[1], timeout=60), open(sys.argv[2], "wb"))
except (OSError, ValueError) as why:
    sys.exit(f"cannot fetch {sys.argv[1]}: {why}")' "$TMPLGEN_URL" "$program" || exit 1
    if ! echo "$TMPLGEN_SHA256 *$program" | sha256sum --check --status; then
        rm -f "$program"
        echo "$TMPLGEN_URL is not the tmplgen whose sha256 is $TMPLGEN_SHA256" >&2
        exit 1
    fi
    chmod +x "$program"
    exec "$program" "$@"
fi
if [ -n "${TMPLGEN_PIP-}" ]; then
    program=$root/pip/$(echo "$TMPLGEN_PIP" | tr -c 'A-Za-z0-9.=\n' _)
    [ -e "$program/bin/tmplgen" ] ||
        python3 -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps \
            --target "$program" "$TMPLGEN_PIP" >&2
    exec "$program/bin/tmplgen" "$@"
fi
if ! ci/unpack-image.sh "$TMPLGEN_IMAGE" "$root" >&2; then
    echo "no tmplgen: install it, or set TMPLGEN_PIP, TMPLGEN_URL or TMPLGEN_IMAGE (README.md," \
        "\"The first pipeline\")" >&2
    exit 1
fi
program=$(find "$root/files" -type f -name tmplgen -perm -u+x | head -n 1)
loader=$(find "$root/files" -type f -name 'ld-linux*.so*' | head -n 1)
if [ -z "$program" ] || [ -z "$loader" ]; then
    echo "$TMPLGEN_IMAGE holds no tmplgen that can run here" >&2
    exit 1
fi
exec "$loader" --library-path "${loader%/*}:$root/files/usr/local/lib" "$program" "$@"
