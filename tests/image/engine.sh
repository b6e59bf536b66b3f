#!/bin/sh
# docker with buildx, buildah and podman as `tmplgen image` sees them: whichever it is called as.
#
# $FAKE is its world: calls (what it was called with), on/VERB and on/VERB@IMAGE (shell text that is
# run first, with what it is about in $image, $name and $id), images/ID (what was built), tags/,
# containers/, registry/. Answers are worded as those of buildah 1.28, podman 4.3 and docker 28.
engine=${0##*/}
verb=$1
{ printf '%s' "$engine"; printf '\037%s' "$@"; echo; } >>"$FAKE/calls"
case $engine-$verb in
docker-buildx) verb=$2 && shift ;;
docker-version) verb=daemon ;;
*-image) verb=inspect && shift ;;
esac

fail() { echo "Error: $*" >&2; exit 125; }
digest() { printf 'sha256:%s' "$(printf '%s' "$1" | sha256sum | cut -c -64)"; }
last() { while [ $# -gt 1 ]; do shift; done; printf '%s\n' "$1"; }
# ID of sha256:ID, of ID, or of a name
find_id() {
    id=${1#sha256:}
    [ -f "$FAKE/images/$id" ] || id=$(cat "$FAKE/tags/$(echo "$1" | tr / +)" 2>/dev/null)
    [ -n "$id" ] && image=$(cat "$FAKE/images/$id")
}
# shellcheck disable=SC1090
hooks() {
    [ ! -f "$FAKE/on/$verb" ] || . "$FAKE/on/$verb"
    [ ! -f "$FAKE/on/$verb@$image" ] || . "$FAKE/on/$verb@$image"
}

id_file() {
    while [ $# -gt 0 ]; do
        case $1 in
        --iidfile=* | --digestfile=*) echo "${1#*=}" ;;
        --iidfile | --digestfile) echo "$2" ;;
        esac
        shift
    done
}

make_image() {
    file=$(id_file "$@")
    context=$(last "$@")
    [ -f "$context/Dockerfile" ] || fail "no Dockerfile in $context"
    row=${context#"${context%/*/*}"/}
    image=${row%%/*}
    id=$(digest "$row")
    id=${id#sha256:}
    case $engine in
    docker) echo "#5 [image 1/2] FROM scratch" >&2 ;;
    *) echo "STEP 1/2: FROM scratch" && echo "STEP 2/2: COPY x /x" ;;
    esac
    hooks "$@"
    echo "$image" >"$FAKE/images/$id"
    printf 'sha256:%s' "$id" >"$file"
}

layers() { # "DIGEST BYTES", the base's first
    if [ -f "$FAKE/layers/$image" ]; then
        while read -r text bytes; do echo "$(digest "$text") $bytes"; done <"$FAKE/layers/$image"
    else
        echo "$(digest base) 30000000"
        echo "$(digest "$image") 1500"
    fi
}

sum() { total=0; for n in $(layers | cut -d ' ' -f 2); do total=$((total + n)); done; echo $total; }

inspect_buildah() {
    list=$(layers | while read -r d n; do
        printf ',{\\"mediaType\\":\\"%s\\",' application/vnd.oci.image.layer.v1.tar
        printf '\\"digest\\":\\"%s\\",\\"size\\":%s}' "$d" "$n"
    done)
    printf '{"Type":"buildah 0.0.1","FromImage":"","FromImageID":"%s",' "$id"
    printf '"FromImageDigest":"%s","Config":"{}",' "$(digest "manifest $image")"
    printf '"Manifest":"{\\"schemaVersion\\":2,\\"layers\\":[%s]}","Container":""}\n' "${list#,}"
}

inspect_other() {
    list=$(layers | while read -r d n; do printf ',"%s"' "$d"; done)
    printf '[{"Id":"%s%s",' "$([ "$engine" = podman ] || echo sha256:)" "$id"
    [ "$engine" = docker ] || printf '"Digest":"%s",' "$(digest "manifest $image")"
    printf '"RepoDigests":['
    comma=""
    for file in "$FAKE"/registry/*; do
        [ ! -f "$file" ] || [ "$(cat "$file")" != "$id" ] || {
            name=$(echo "${file##*/}" | tr + /)
            printf '%s"%s@%s"' "$comma" "${name%:*}" "$(digest "manifest $image")"
            comma=,
        }
    done
    printf '],"Size":%s,"RootFS":{"Type":"layers","Layers":[%s]}}]\n' "$(sum)" "${list#,}"
}

history_other() { # the newest first; podman has one list of it
    # shellcheck disable=SC2089,SC2090
    size=Size quote='"' end='\n'
    [ "$engine" = docker ] || size=size quote="" end=","
    steps=$(layers | sed '1!G;h;$!d' | while read -r d n; do
        printf '{"CreatedBy":"RUN x","%s":%s%s%s,"Comment":""}'"$end" $size "$quote" "$n" "$quote"
        printf '{"CreatedBy":"ENV a=b","%s":%s0%s,"Comment":""}'"$end" $size "$quote" "$quote"
    done)
    if [ "$engine" = docker ]; then echo "$steps"; else echo "[${steps%,}]"; fi
}

run_it() { # the command is in "$@"
    hooks "$@"
    case "$*" in *opt/app/packages*) cat "$FAKE/packages/$image" 2>/dev/null ;; esac
    return 0
}

case $verb in
--version) hooks; echo "$engine version 1.28.2" ;;
daemon) hooks; echo 28.0.4 ;;
version) hooks; echo "github.com/docker/buildx v0.23.0 28c90ea" ;;
build) make_image "$@" ;;
inspect)
    name=$(last "$@")
    find_id "$name"
    hooks "$@"
    [ -n "$id" ] || { [ "$engine" = buildah ] || echo '[]'; fail "$name: image not known"; }
    if [ "$engine" = buildah ]; then inspect_buildah; else inspect_other; fi
    ;;
history) find_id "$(last "$@")" && hooks "$@" && history_other ;;
from) # --pull-never --name NAME IMAGE
    find_id "$5" || fail "$5: image not known"
    name=$4
    hooks "$@"
    echo "$id" >"$FAKE/containers/$name"
    echo "$name"
    ;;
run)
    if [ "$engine" = buildah ]; then
        name=$2
        find_id "$(cat "$FAKE/containers/$name")"
        shift 3
        run_it "$@"
    else # --rm --name NAME --entrypoint '' IMAGE
        [ "$2 $3 $5=$6" = "--rm --name --entrypoint=" ] || fail "unknown flag"
        name=$4
        find_id "$7" || fail "$7: image not known"
        echo "$id" >"$FAKE/containers/$name"
        shift 7
        run_it "$@"
        rm "$FAKE/containers/$name"
    fi
    ;;
rm)
    name=$(last "$@")
    find_id "$(cat "$FAKE/containers/$name" 2>/dev/null)"
    hooks "$@"
    rm "$FAKE/containers/$name" 2>/dev/null || fail "container \"$name\": container not known"
    ;;
tag)
    find_id "$2" || fail "$2: image not known"
    name=$3
    hooks "$@"
    echo "$id" >"$FAKE/tags/$(echo "$name" | tr / +)"
    ;;
push)
    name=$(last "$@")
    find_id "$name" || fail "$name: image not known"
    hooks "$@"
    echo "$id" >"$FAKE/registry/$(echo "$name" | tr / +)"
    file=$(id_file "$@")
    [ -z "$file" ] || printf '%s' "$(digest "manifest $image")" >"$file"
    ;;
*) fail "unknown command $verb" ;;
esac
