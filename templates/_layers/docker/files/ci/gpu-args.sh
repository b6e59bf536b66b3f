#!/bin/sh
# Prints the arguments by which the container engine gives a container all GPUs.
# Usage: ci/gpu-args.sh ENGINE
# Status 77: no driver is loaded, and the engine would not even start the container.
set -eu

if [ ! -e /proc/driver/nvidia/version ] && [ ! -e /dev/dxg ] && [ ! -e /dev/nvhost-gpu ]; then
    echo "no NVIDIA driver is loaded on this machine" >&2
    exit 77
fi

has_cdi() {
    for folder in /etc/cdi /var/run/cdi; do
        for file in "$folder"/*nvidia*; do
            [ ! -e "$file" ] || return 0
        done
    done
    return 1
}

case $1 in
    *buildah*) echo "--device nvidia.com/gpu=all" ;;
    *podman*) echo "--device nvidia.com/gpu=all --security-opt label=disable" ;;
    *) if has_cdi; then echo "--device nvidia.com/gpu=all"; else echo "--gpus all"; fi ;;
esac
