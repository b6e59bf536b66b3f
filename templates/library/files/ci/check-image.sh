#!/bin/sh
# Uses the library in the image: status 0 when that went well. Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

ci/run-image.sh "$IMAGE" python -c "$(cat tests/examples.py)"
