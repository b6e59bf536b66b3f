#!/bin/sh
# Brings the image and the one with the tests here: from the registry if it has this commit's, else
# by building them. Environment: IMAGE, ENGINE, REGISTRY_USER, REGISTRY_PASSWORD
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
if [ -e ci/push.sh ]; then
    [ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
    if "$engine" pull "$IMAGE" && "$engine" pull "$IMAGE-test"; then
        exit
    fi
    echo "the registry does not have $IMAGE: building it" >&2
fi
ci/image.sh
ci/image.sh test
