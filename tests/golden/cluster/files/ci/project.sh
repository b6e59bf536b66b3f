# Where the image of the smoke test goes. Read by the scripts beside this file.
# shellcheck shell=sh disable=SC2034
REGISTRY=registry.example.org/gpu
TAG=$(git rev-parse --verify --quiet --short=12 HEAD || echo dev)
IMAGE=${IMAGE:-$REGISTRY/gpu-smoke:$TAG}

# A job of GitLab's has a password for GitLab's own registry, which is for no other one.
if [ "${REGISTRY%%/*}" = "${CI_REGISTRY-}" ] && [ -z "${REGISTRY_PASSWORD-}" ]; then
    export REGISTRY_USER="$CI_REGISTRY_USER" REGISTRY_PASSWORD="$CI_REGISTRY_PASSWORD"
fi
