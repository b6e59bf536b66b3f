#!/bin/sh
# Says which image the test of the nodes runs, in nodes/image/kustomization.yaml: commit that.
# Usage: ci/set-image.sh NAME@sha256:DIGEST | NAME:TAG
set -eu
cd "$(dirname "$0")/.."

image=${1-}
case $image in
    *@sha256:*)
        name=${image%@*}
        version="digest: ${image#*@}"
        ;;
    *:*)
        name=${image%:*}
        version="newTag: \"${image##*:}\""
        ;;
    *) name= ;;
esac
case $name in
    "" | *[!a-z0-9./:_-]*)
        echo "'$image' is neither NAME@sha256:DIGEST nor NAME:TAG" >&2
        exit 2
        ;;
esac
file=nodes/image/kustomization.yaml
{
    sed '/^images:/,$d' "$file"
    printf 'images:\n  - name: gpu-smoke\n    newName: %s\n    %s\n' "$name" "$version"
} >"$file.new"
mv "$file.new" "$file"
echo "$file: $name, $version"
