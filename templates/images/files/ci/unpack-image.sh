#!/bin/sh
# Puts all files of an image into FOLDER/files, unless they are what is there already. Where it cannot
# be pulled, what this machine has of that name is taken.
# Usage: ci/unpack-image.sh IMAGE FOLDER
# Environment: ENGINE; REGISTRY_USER and REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
[ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
# Of an image that is here buildah's `pull` is content; docker's and podman's is not.
always=
case $engine in
    *buildah*) always='--policy always' ;;
esac
# shellcheck disable=SC2086
said=$("$engine" pull --quiet $always "$1" 2>&1) ||
    echo "$1 could not be pulled: $(echo "$said" | tail -n 1)" >&2
case $engine in
    *buildah*) id=$("$engine" inspect --type image --format '{{.FromImageID}}' "$1") ;;
    *) id=$("$engine" image inspect --format '{{.Id}}' "$1") ;;
esac
if [ "$(cat "$2/id" 2>/dev/null)" = "$id" ]; then
    exit
fi

echo "tmplgen is not installed here: taking it from $1"
rm -rf "$2"
mkdir -p "$2/files"
case $engine in
    *buildah*)
        container=$("$engine" from "$id")
        trap '"$engine" rm "$container" >/dev/null' EXIT
        # Who is not root sees the files of a container in a name space of their own alone.
        space=
        [ "$(id -u)" = 0 ] || space="$engine unshare"
        # shellcheck disable=SC2016,SC2086
        $space sh -c 'cp -R "$("$1" mount "$2")/." "$3"' sh "$engine" "$container" "$2/files"
        ;;
    *)
        container=$("$engine" create "$id" tmplgen)
        trap '"$engine" rm "$container" >/dev/null' EXIT
        "$engine" export "$container" | tar -x -C "$2/files" --exclude 'dev/*'
        ;;
esac
echo "$id" >"$2/id"
