#!/bin/sh
# Runs a command of the image, its runs kept in the folder runs/: `ci/run.sh train --epochs 3`. What is
# in the folder data/ can be read there: `ci/run.sh train --data data/mine.csv`.
# Usage: ci/run.sh [ARGUMENT...]
# Environment: IMAGE, ENGINE (docker or podman), DEVICE (cpu or cuda; default: cuda where the driver is loaded)
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
default=cpu
[ ! -e /proc/driver/nvidia/version ] || default=cuda
gpu=
[ "${DEVICE:-$default}" = cpu ] || gpu=$(ci/gpu-args.sh "$engine")
user="--user $(id -u):$(id -g)"
case $engine in
    *podman*)
        user="--security-opt label=disable $user"
        # Without root the user would be another in the container; root needs no map and gets none.
        [ "$(id -u)" = 0 ] || user="--userns=keep-id $user"
        ;;
esac
data=
[ ! -d data ] || data=--volume=$PWD/data:/opt/app/data:ro
mkdir -p runs
[ $# -gt 0 ] || set -- train

# --init is not needed: the job heeds SIGTERM as the first process too, and clears away what it starts.
# The arguments for GPUs and for the user are several words.
# shellcheck disable=SC2086
exec "$engine" run --rm --read-only --tmpfs /tmp --stop-timeout 120 $gpu \
    $user --volume "$PWD/runs:/runs" ${data:+"$data"} "$IMAGE" "$@"
