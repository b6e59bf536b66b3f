#!/bin/sh
# The GPU smoke test where a GPU is promised, as CI does it where GPU_RUNNER is set: on this machine,
# then in the image. No GPU, or one that does not work, is a failure there: the status is that of the
# first broken layer, 10 to 19. What is promised: smoke/expect-host, smoke/expect.
# Reports: reports/gpu-smoke-host.xml, reports/gpu-smoke-image.xml. Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

compile() {
    command -v cc >/dev/null && cc -std=gnu11 -O2 -o smoke/gpu-smoke smoke/gpu_smoke.c -ldl
}

# The container is never started: an engine may refuse to where the driver is broken.
take_from_image() {
    engine=$(ci/engine.sh) || return 1
    case $engine in
        *buildah*)
            ci/run-image.sh "$IMAGE" cat /usr/local/bin/gpu-smoke >smoke/gpu-smoke &&
                chmod +x smoke/gpu-smoke
            ;;
        *)
            container=$("$engine" create --entrypoint "" "$IMAGE" gpu-smoke) || return 1
            taken=0
            "$engine" cp "$container:/usr/local/bin/gpu-smoke" smoke/gpu-smoke || taken=1
            "$engine" rm "$container" >/dev/null || :
            return "$taken"
            ;;
    esac
}

mkdir -p reports
rm -rf reports/gpu-smoke-* smoke/gpu-smoke

if ! compile; then
    echo "gpu-smoke cannot be compiled here: taking it out of $IMAGE" >&2
    if ! take_from_image; then
        echo "missing: a C compiler (packages gcc and libc6-dev), or the image $IMAGE" >&2
        exit 1
    fi
fi
echo "the GPU of this machine:" >&2
smoke/gpu-smoke --require-gpu --expect smoke/expect-host --junit reports/gpu-smoke-host.xml

echo "the GPU in $IMAGE:" >&2
folder=reports/gpu-smoke-image
mkdir "$folder"
chmod 777 "$folder" # the image's user is none of this machine
cp smoke/expect "$folder"
status=0
ci/run-image.sh --gpu --volume "$PWD/$folder:/mnt:z" "$IMAGE" \
    gpu-smoke --require-gpu --expect /mnt/expect --junit /mnt/report.xml || status=$?
if [ -s "$folder/report.xml" ]; then
    cp "$folder/report.xml" reports/gpu-smoke-image.xml
else
    [ "$status" != 0 ] || status=1
    says="status $status and no report: the container did not start, or gpu-smoke not in it; see the log"
    cat >reports/gpu-smoke-image.xml <<END
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="gpu-smoke" tests="1" failures="1" errors="0" skipped="0">
 <testcase classname="gpu-smoke" name="container"><failure message="$says"/></testcase>
</testsuite>
END
    echo "gpu-smoke in $IMAGE: $says" >&2
fi
rm -rf "$folder"
[ "$status" != 77 ] || status=10 # "no GPU, nothing to test" elsewhere
exit "$status"
