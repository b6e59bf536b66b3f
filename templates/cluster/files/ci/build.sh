#!/bin/sh
# Builds the image of the smoke test, and tries it: it has to start, and to say that it sees no GPU or
# what it sees.
# Environment: IMAGE (the name), ENGINE (docker, podman or buildah), BUILD_ARGS (more arguments, such as
# "--build-arg BASE_IMAGE=ubuntu:24.04")
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
format="--format docker"
case $engine in
    *docker) format= ;;
esac
# Both hold several words, or none.
# shellcheck disable=SC2086
"$engine" build $format ${BUILD_ARGS-} --tag "$IMAGE" smoke

case $engine in
    *buildah)
        container=$("$engine" from "$IMAGE")
        status=0
        "$engine" run "$container" -- gpu-smoke || status=$?
        "$engine" rm "$container" >/dev/null
        ;;
    *)
        status=0
        "$engine" run --rm "$IMAGE" || status=$?
        ;;
esac
if [ "$status" != 0 ] && [ "$status" != 77 ]; then
    echo "gpu-smoke in $IMAGE ended with $status" >&2
    exit "$status"
fi
