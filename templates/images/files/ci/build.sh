#!/bin/sh
# Builds and tries rows of images.yml: all, or those that are named. One that fails does not keep
# the others from being built.
# Usage: ci/build.sh [--push] [IMAGE:TAG...]
# Environment: ENGINE (docker, podman or buildah; else tmplgen takes the one that can build);
# REGISTRY_USER and REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

push=
if [ "${1-}" = --push ]; then
    push=--push
    shift
fi
for row; do
    shift
    set -- "$@" --only "$row"
done
[ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
exec ci/tmplgen.sh image build ${ENGINE:+--engine "$ENGINE"} $push "$@"
