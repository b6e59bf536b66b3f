#!/bin/sh
# Removes this commit's image and the one with the tests, and no other: CI does at the end of a job,
# so that machines which it keeps do not fill up. What they share with other images stays.
# Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

engine=$(ci/engine.sh)
for image in "$IMAGE-test" "$IMAGE"; do
    "$engine" inspect --type image "$image" >/dev/null 2>&1 || continue # it was never made
    "$engine" rmi "$image" || echo "left: $image" >&2
done
