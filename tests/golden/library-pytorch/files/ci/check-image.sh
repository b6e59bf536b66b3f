#!/bin/sh
# Uses the library in the image: status 0 when that went well.
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
# shellcheck disable=SC2086 # one word or none
ci/run-image.sh $gpu "$IMAGE" python -c '
import sys

import numpy as np

from pytorch_library import backend, topk_cosine

device = backend.pick_device(sys.argv[1])
rows = backend.asarray(np.eye(3, dtype=np.float32), device)
assert backend.to_numpy(topk_cosine(rows, rows, 1).indices).tolist() == [[0], [1], [2]]
print(backend.info(), "works on", backend.device_name(device))
' "$device"
