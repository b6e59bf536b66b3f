#!/bin/sh
# What only a machine with a GPU can prove, in the images that ci/image.sh or ci/bring-image.sh
# brought here: the smoke test, the service, the GPU tests. Status 77: there is no GPU.
# Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

ci/run-image.sh --gpu "$IMAGE" gpu-smoke
ci/check-image.sh cuda
ci/run-image.sh --gpu "$IMAGE-test" python -m pytest -p no:cacheprovider -m gpu
