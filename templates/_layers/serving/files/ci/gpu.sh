#!/bin/sh
# What only a machine with a GPU can prove, in the images that ci/image.sh or ci/bring-image.sh
# brought here: the smoke test of machine and image, the service, the GPU tests. A GPU is promised here:
# having none is a failure, never status 77. Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

# 77 is "no GPU, nothing to test" elsewhere.
trap '[ $? != 77 ] || exit 10' EXIT
ci/gpu-smoke.sh
ci/check-image.sh cuda
ci/run-image.sh --gpu "$IMAGE-test" python -m pytest -p no:cacheprovider -m gpu
