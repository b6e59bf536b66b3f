#!/bin/sh
# Trains in the image for seconds and answers a file: status 0 when all of that went well, and when
# a run that is told to stop ends with status 75 and goes on.
# Usage: ci/check-image.sh [cpu|cuda]
# Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh
. ci/framework.sh

device=${1:-cpu}
gpu=
if [ "$device" != cpu ]; then
    gpu=--gpu
    device=$GPU_DEVICE
fi

# One container, so that no volume is needed: buildah has none that every user can write to.
# shellcheck disable=SC2016
script='
set -eu
cd /opt/app
job="python -m it"
export BATCH_DEVICE='$device' BATCH_OUT=/tmp/run
data="--config configs/base.toml --config configs/debug.toml --out /tmp/run"
status=0
$job train $data --max-minutes 0.0001 || status=$?
[ "$status" = 75 ] || { echo "told to stop, it ended with status $status, not 75" >&2; exit 1; }
$job train $data
$job eval $data --model /tmp/run/model
$job data --to /tmp/rows.jsonl --examples 3
$job predict --model /tmp/run/model --input /tmp/rows.jsonl --output /tmp/answers.jsonl
cat /tmp/answers.jsonl
'
# The argument for GPUs is none or one.
# shellcheck disable=SC2086
ci/run-image.sh $gpu "$IMAGE" sh -c "$script"
