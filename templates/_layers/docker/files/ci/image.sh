#!/bin/sh
# Builds the image, or the one with the tests (its name ends in -test).
# Usage: ci/image.sh [runtime|test]
# Environment: IMAGE (the name), ENGINE (docker, podman or buildah), BUILD_ARGS (more arguments, such
# as "--build-arg PYTHON_SOURCE=apt"); REGISTRY_USER and REGISTRY_PASSWORD to log in before
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

ci/lock.sh --check
target=${1:-runtime}
[ "$target" = runtime ] || IMAGE=$IMAGE-$target
revision=$(git rev-parse --verify --quiet HEAD || echo "$TAG")

[ -z "${REGISTRY_PASSWORD-}" ] || [ ! -e ci/login.sh ] || ci/login.sh
engine=$(ci/engine.sh)
format=
case $engine in
    docker) ;;
    *buildah*) format="--format docker --layers" ;; # the image with the tests is the same and more
    *) format="--format docker" ;; # the other format has no health checks
esac

# BUILD_ARGS holds several words.
# shellcheck disable=SC2086
"$engine" build $format --target "$target" --build-arg REVISION="$revision" ${BUILD_ARGS-} \
    --tag "$IMAGE" .
