#!/bin/sh
# Says which image the manifests run, in deploy/k8s/image/kustomization.yaml: commit that.
# Usage: ci/set-image.sh [NAME@sha256:DIGEST | NAME:TAG]
# Without an argument it is what ci/publish.sh has published, by its digest (reports/published).
set -eu
cd "$(dirname "$0")/.."

if [ $# = 0 ] && [ ! -s reports/published ]; then
    echo "which image? Nothing was published from here: $0 NAME@sha256:DIGEST" >&2
    exit 2
fi
image=${1:-$(cat reports/published)}
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
file=deploy/k8s/image/kustomization.yaml
{
    sed '/^images:/,$d' "$file"
    printf 'images:\n  - name: it\n    newName: %s\n    %s\n' "$name" "$version"
} >"$file.new"
mv "$file.new" "$file"
echo "$file: $name, $version"
