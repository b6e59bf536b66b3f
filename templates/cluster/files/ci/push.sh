#!/bin/sh
# Pushes what ci/build.sh built, and writes its digest into nodes/image/kustomization.yaml: commit that.
# Environment: IMAGE, ENGINE; REGISTRY_USER and REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
[ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
mkdir -p reports
case $engine in
    *buildah | *podman*)
        "$engine" push --digestfile reports/digest "$IMAGE"
        digest=$(cat reports/digest)
        ;;
    *)
        said=$("$engine" push "$IMAGE")
        echo "$said"
        digest=$(echo "$said" | sed -n 's/.* digest: \(sha256:[0-9a-f]*\) .*/\1/p')
        ;;
esac
ci/set-image.sh "${IMAGE%:*}@$digest"
