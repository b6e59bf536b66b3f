#!/bin/sh
# Renders every row into render/IMAGE/TAG, to be read and compared, and checks that none is missing.
set -eu
cd "$(dirname "$0")/.."

rows=$(ci/rows.sh)
rm -rf render
ci/tmplgen.sh image render --output render
missing=0
for row in $rows; do
    if [ ! -s "render/${row%%:*}/${row#*:}/Dockerfile" ]; then
        echo "$row: nothing was rendered" >&2
        missing=1
    fi
done
exit "$missing"
