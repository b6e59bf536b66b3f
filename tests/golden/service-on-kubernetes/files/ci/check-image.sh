#!/bin/sh
# Starts the image as it will run, asks it, and stops it: status 0 when all of that went well.
# Usage: ci/check-image.sh [cpu|cuda]
# Environment: IMAGE, ENGINE, PORT (with buildah: where the service listens, 18080)
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh
. ci/framework.sh

device=${1:-cpu}
engine=$(ci/engine.sh)
gpu=
if [ "$device" != cpu ]; then
    gpu=$(ci/gpu-args.sh "$engine")
    device=$GPU_DEVICE
fi

# The arguments for GPUs are several words.
# shellcheck disable=SC2086
start() {
    case $engine in
        *buildah*)
            # buildah neither runs in the background nor knows the image's own command.
            container=$("$engine" from "$IMAGE")
            address=127.0.0.1:${PORT:-18080}
            command=$("$engine" inspect --format '{{range .OCIv1.Config.Cmd}}{{.}} {{end}}' "$container")
            # It kills what it runs where it should pass SIGTERM on: that is sent from inside.
            # shellcheck disable=SC2016
            script='"$@" & while kill -0 $! && ! [ -e /tmp/stop ]; do sleep 1; done; kill $!; wait $!'
            "$engine" run --env SERVE_DEVICE="$device" --env SERVE_HOST=127.0.0.1 \
                --env SERVE_PORT="${address#*:}" $gpu "$container" -- \
                sh -c "$script" sh $command >"$log" 2>&1 &
            ;;
        *)
            container=$("$engine" run --detach --read-only --tmpfs /tmp \
                --publish 127.0.0.1::8080 $gpu --env SERVE_DEVICE="$device" "$IMAGE")
            address=$("$engine" port "$container" 8080/tcp | head -n 1)
            ;;
    esac
}

# Runs a command beside the service.
inside() {
    case $engine in
        *buildah*) "$engine" run "$container" -- "$@" ;;
        *) "$engine" exec "$container" "$@" ;;
    esac
}

# Sets status to the one that the service ends with.
stop() {
    case $engine in
        *buildah*)
            status=0
            "$engine" run "$container" -- touch /tmp/stop
            wait "$!" || status=$?
            ;;
        *)
            "$engine" stop --time 60 "$container" >/dev/null
            status=$("$engine" inspect --format '{{.State.ExitCode}}' "$container")
            ;;
    esac
}

clean_up() {
    [ -s "$log" ] || "$engine" logs "$container" >"$log" 2>&1 || :
    cat "$log" >&2
    rm -f "$log"
    case $engine in
        *buildah*)
            kill "$!" 2>/dev/null || :
            "$engine" rm "$container" >/dev/null
            ;;
        *) "$engine" rm --force "$container" >/dev/null ;;
    esac
}

log=$(mktemp)
container=
start
trap clean_up EXIT
tries=0
until curl --fail --silent --show-error "http://$address/readyz"; do
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || { echo "not ready after two minutes" >&2; exit 1; }
    sleep 2
done
answer=$(curl --fail --silent --show-error --header 'Content-Type: application/json' \
    --data "$(inside python -m it example)" "http://$address/v1/predict")
echo "$answer"
echo "$answer" | grep --quiet '"predictions":\[.'
curl --fail --silent "http://$address/metrics" | grep '^inference_http_requests_total.*predict'

stop
[ "$status" = 0 ] || { echo "SIGTERM ended the service with status $status" >&2; exit 1; }
