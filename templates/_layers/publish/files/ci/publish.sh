#!/bin/sh
# Gives this commit's image, which ci/push.sh pushed and CI has tested, the name that users pull.
# Environment: IMAGE, ENGINE, PUBLISH_TAG (latest); REGISTRY_USER and REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
[ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
public=${IMAGE%:*}:${PUBLISH_TAG:-latest}
"$engine" pull "$IMAGE"
"$engine" tag "$IMAGE" "$public"
"$engine" push "$public"
