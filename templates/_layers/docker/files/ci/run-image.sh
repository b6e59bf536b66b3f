#!/bin/sh
# Runs a command in an image, with all GPUs if asked for; its status is that of the command.
# Usage: ci/run-image.sh [--gpu] IMAGE COMMAND [ARGUMENT...]
# Environment: ENGINE (docker, podman or buildah)
set -eu
cd "$(dirname "$0")/.."

engine=$(ci/engine.sh)
gpu=
if [ "$1" = --gpu ]; then
    gpu=$(ci/gpu-args.sh "$engine")
    shift
fi
image=$1
shift

# The arguments for GPUs are several words.
# shellcheck disable=SC2086
case $engine in
    *buildah*)
        container=$("$engine" from "$image")
        trap '"$engine" rm "$container" >/dev/null' EXIT
        "$engine" run $gpu "$container" -- "$@"
        ;;
    *) exec "$engine" run --rm $gpu --entrypoint "" "$image" "$@" ;;
esac
