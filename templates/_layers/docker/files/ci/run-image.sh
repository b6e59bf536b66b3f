#!/bin/sh
# Runs a command in an image, with all GPUs if asked for; its status is that of the command.
# Usage: ci/run-image.sh [--gpu] [--volume FOLDER:PLACE] IMAGE COMMAND [ARGUMENT...]
# Environment: ENGINE (docker, podman or buildah)
set -eu
cd "$(dirname "$0")/.."

engine=$(ci/engine.sh)
gpu=
volume=
while :; do
    case $1 in
        --gpu)
            gpu=$(ci/gpu-args.sh "$engine")
            shift
            ;;
        --volume)
            volume=$2
            shift 2
            ;;
        *) break ;;
    esac
done
image=$1
shift

# The arguments for GPUs are several words.
# shellcheck disable=SC2086
case $engine in
    *buildah*)
        container=$("$engine" from "$image")
        trap '"$engine" rm "$container" >/dev/null' EXIT
        "$engine" run $gpu ${volume:+--volume "$volume"} "$container" -- "$@"
        ;;
    *) exec "$engine" run --rm $gpu ${volume:+--volume "$volume"} --entrypoint "" "$image" "$@" ;;
esac
