#!/bin/sh
# Prints the container engine to use: ENGINE, or the first of docker, podman and buildah.
set -eu

if [ -n "${ENGINE-}" ]; then
    echo "$ENGINE"
    exit
fi
for engine in docker podman buildah; do
    if command -v "$engine" >/dev/null; then
        echo "$engine"
        exit
    fi
done
echo "none of docker, podman and buildah is installed" >&2
exit 1
