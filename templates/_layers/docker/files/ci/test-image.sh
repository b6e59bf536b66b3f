#!/bin/sh
# The tests, inside the image that `ci/image.sh test` built: what is shipped is what was tested.
# Environment: IMAGE, ENGINE
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

ci/run-image.sh "$IMAGE-test" python -m pytest -p no:cacheprovider -m "not gpu"
