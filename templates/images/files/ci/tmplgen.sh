#!/bin/sh
# Runs tmplgen: the one that is installed, else the one that TMPLGEN_IMAGE has. That is taken out of
# its image, with its libraries, so that it drives the engine of this machine. The registry is asked
# each time: a name such as :latest moves.
# Usage: ci/tmplgen.sh ARGUMENTS
# Environment: TMPLGEN (tmplgen), TMPLGEN_IMAGE (REGISTRY/tmplgen:latest), ENGINE; REGISTRY_USER and
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
if ! ci/unpack-image.sh "$TMPLGEN_IMAGE" "$root" >&2; then
    echo "no tmplgen: install it, or set TMPLGEN_IMAGE (README.md, \"The first pipeline\")" >&2
    exit 1
fi
program=$(find "$root/files" -type f -name tmplgen -perm -u+x | head -n 1)
loader=$(find "$root/files" -type f -name 'ld-linux*.so*' | head -n 1)
if [ -z "$program" ] || [ -z "$loader" ]; then
    echo "$TMPLGEN_IMAGE holds no tmplgen that can run here" >&2
    exit 1
fi
exec "$loader" --library-path "${loader%/*}:$root/files/usr/local/lib" "$program" "$@"
