# Where the images go, and where CI takes tmplgen from. Read by the scripts beside this file.
# shellcheck shell=sh disable=SC2034
LOCK=base-images.lock.yml
REGISTRY=$(sed -n 's/^registry:\([^#]*\).*/\1/p' images.yml | tr -d "\"'[:space:]")
TMPLGEN_IMAGE=${TMPLGEN_IMAGE:-$REGISTRY/tmplgen:latest}

# A job of GitLab's has a password for GitLab's own registry, which is for no other one.
if [ "${REGISTRY%%/*}" = "${CI_REGISTRY-}" ] && [ -z "${REGISTRY_PASSWORD-}" ]; then
    export REGISTRY_USER="$CI_REGISTRY_USER" REGISTRY_PASSWORD="$CI_REGISTRY_PASSWORD"
fi
