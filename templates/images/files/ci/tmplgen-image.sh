#!/bin/sh
# Builds and pushes REGISTRY/tmplgen, the image that CI takes tmplgen from: the newest is `latest`.
# Run it by hand before the first pipeline, and again when pipelines are to have a newer tmplgen: what
# is in the image is the tmplgen that builds it, so that BASE_IMAGE must be of its distribution.
# Usage: ci/tmplgen-image.sh [--build-arg BASE_IMAGE=REPOSITORY:TAG] [ARGUMENTS of tmplgen image build]
# Environment: TMPLGEN (tmplgen), ENGINE; REGISTRY_USER and REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

if ! program=$(command -v "${TMPLGEN:-tmplgen}"); then
    echo "tmplgen is not installed here: it is what goes into the image" >&2
    exit 1
fi
program=$(realpath "$program")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The catalog knows what the image stands on: asked where there is no plan.
list=$(cd "$scratch" && "$program" image list tmplgen --json)
if command -v jq >/dev/null; then
    request=$(printf '%s\n' "$list" | jq -c '.images[0].rows[0].request')
else
    request=$(printf '%s\n' "$list" | python3 -c '
import json, sys
print(json.dumps(json.load(sys.stdin)["images"][0]["rows"][0]["request"]))')
fi
cat >"$scratch/images.yml" <<END
schema: 1
registry: $REGISTRY
images:
  - image: tmplgen
    request: $request
    tags: [latest]
END
[ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
"$program" image build --plan "$scratch/images.yml" ${ENGINE:+--engine "$ENGINE"} --push "$@"
