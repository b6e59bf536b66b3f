#!/bin/sh
# Pushes the image and the one with the tests to the registry, under this commit's name.
# Environment: IMAGE, ENGINE; REGISTRY_USER and REGISTRY_PASSWORD to log in before
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
[ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
"$engine" push "$IMAGE"
"$engine" push "$IMAGE-test"
