#!/bin/sh
# What only a machine with a GPU can prove, in the images that ci/image.sh or ci/bring-image.sh
# brought here: the smoke test of machine and image, the GPU tests. A GPU is promised here:
# having none is a failure, never status 77. Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh
. ci/framework.sh

# 77 is "no GPU, nothing to test" elsewhere.
trap '[ $? != 77 ] || exit 10' EXIT
ci/gpu-smoke.sh
ci/check-image.sh
require=--require-gpu
[ "$GPU_DEVICE" = cuda ] || require= # the framework of this stack computes on the CPU
# shellcheck disable=SC2086 # one word or none
ci/run-image.sh --gpu "$IMAGE-test" python -m pytest -p no:cacheprovider -m gpu $require
