#!/bin/sh
# Prints the rows of images.yml that CI builds, each once: IMAGE:TAG, one a line.
# Usage: ci/rows.sh [--json]   a JSON list of them in place of lines
set -eu
cd "$(dirname "$0")/.."

list=$(ci/tmplgen.sh image list --json)
if command -v jq >/dev/null; then
    rows=$(printf '%s\n' "$list" | jq -r '.images[] | "\(.name):\(.rows[].tag)"')
elif command -v python3 >/dev/null; then
    rows=$(printf '%s\n' "$list" | python3 -c '
import json, sys
for image in json.load(sys.stdin)["images"]:
    for row in image["rows"]:
        print(image["name"] + ":" + row["tag"])')
else
    echo "neither jq nor python3 is installed" >&2
    exit 1
fi
rows=$(printf '%s\n' "$rows" | sort -u)

# They become names of jobs and words of commands: nothing but what a reference may hold.
if printf '%s\n' "$rows" | grep -Evq '^[a-z0-9][a-z0-9._-]*:[A-Za-z0-9_][A-Za-z0-9._-]*$'; then
    echo "images.yml has no row, or one that is no IMAGE:TAG" >&2
    exit 1
fi
if [ "${1-}" = --json ]; then
    printf '%s\n' "$rows" | sed 's/.*/"&"/' | paste -s -d , - | sed 's/.*/[&]/'
else
    printf '%s\n' "$rows"
fi
