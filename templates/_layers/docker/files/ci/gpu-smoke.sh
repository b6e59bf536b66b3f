#!/bin/sh
# The GPU smoke test on this machine, then in the image, held to what the stack needs (smoke/expect).
# A GPU is promised here: where there is none, or it does not work, the status is that of the first
# broken layer (10 to 19) and never "nothing to test".
# Reports: reports/gpu-smoke-host.xml, reports/gpu-smoke-image.xml. Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

mkdir -p reports
rm -f reports/gpu-smoke-*.xml

# Compiled here it starts wherever this machine's C library is; the image's may be newer.
if command -v cc >/dev/null; then
    cc -O2 -o smoke/gpu-smoke smoke/gpu_smoke.c -ldl
else
    echo "no C compiler on this machine: gpu-smoke is taken out of the image" >&2
    ci/run-image.sh "$IMAGE" cat /usr/local/bin/gpu-smoke >smoke/gpu-smoke
    chmod +x smoke/gpu-smoke
fi
smoke/gpu-smoke --require-gpu --expect smoke/expect --junit reports/gpu-smoke-host.xml

# Nothing is mounted: whatever the image's user may read and write, this works.
status=0
# shellcheck disable=SC2016
ci/run-image.sh --gpu "$IMAGE" sh -c '
    echo "$1" >/tmp/expect
    status=0
    gpu-smoke --require-gpu --expect /tmp/expect --junit /tmp/junit.xml >&2 || status=$?
    cat /tmp/junit.xml
    exit "$status"' sh "$(cat smoke/expect)" >reports/gpu-smoke-image.xml || status=$?
[ -s reports/gpu-smoke-image.xml ] || rm reports/gpu-smoke-image.xml
exit "$status"
