#!/bin/sh
# Gives this commit's image, which ci/push.sh pushed and CI has tested, the name that users pull.
# reports/published says which image that is now, by its digest: ci/sign.sh signs it.
# Environment: IMAGE, ENGINE, PUBLISH_TAG (latest); REGISTRY_USER and REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
[ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
name=${IMAGE%:*}
public=$name:${PUBLISH_TAG:-latest}
mkdir -p reports
rm -f reports/published
"$engine" pull "$IMAGE"
"$engine" tag "$IMAGE" "$public"
case $engine in
    *buildah* | *podman*)
        "$engine" push --digestfile reports/digest "$public"
        digest=$(cat reports/digest)
        ;;
    *)
        said=$("$engine" push "$public")
        echo "$said"
        digest=$(echo "$said" | sed -n 's/.* digest: \(sha256:[0-9a-f]*\) .*/\1/p')
        ;;
esac
[ -z "$digest" ] || echo "$name@$digest" >reports/published
"$engine" rmi "$public" || : # the name alone: it is in the registry now
