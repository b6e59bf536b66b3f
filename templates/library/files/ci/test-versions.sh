#!/bin/sh
# The tests with other versions than the pinned ones, each in an environment of its own: with the oldest
# packages that pyproject.toml allows, or with the newest on every Python that it names.
# Usage: ci/test-versions.sh oldest|newest [PYTHON VERSION...]
# Environment: VENV (.venv), whose uv fetches a Python that is not installed
set -eu
cd "$(dirname "$0")/.."

which=${1-}
case $which in
    oldest) pythons=$(cut -d. -f1,2 .python-version) ;;
    newest) pythons=$(sed -n 's/.*"Programming Language :: Python :: \(3\.[0-9]*\)".*/\1/p' pyproject.toml) ;;
    *) echo "usage: ci/test-versions.sh oldest|newest [PYTHON VERSION...]" >&2; exit 2 ;;
esac
shift
if [ $# = 0 ]; then
    # shellcheck disable=SC2086 # several words
    set -- $pythons
fi
PATH=$PATH:$(cd "${VENV:-.venv}/bin" && pwd)
mkdir -p build
constraints=build/constraints-$which.txt
cp requirements/dev.txt "$constraints"
# Each lower bound as a pin. Not by uv's `--resolution lowest-direct`: uv does not know the indexes that
# pip is set to.
pin='s/^ *"\([^][>;"]*\)\(\[[^]]*]\)*>=\([^,;"]*\)[^;"]*\(.*\)",*$/\1==\3\4/p'
[ "$which" = newest ] || sed -n "/^dependencies/,/^]/$pin" pyproject.toml >>"$constraints"

for version; do
    venv=build/test-$which-$version
    python=$(ci/python.sh "$version")
    "$python" -m venv --clear "$venv"
    "$venv/bin/python" -m pip --disable-pip-version-check install --quiet --constraint "$constraints" \
        array-api-strict pytest .
    echo "Python $version with the $which packages:"
    "$venv/bin/python" -m pip --disable-pip-version-check list
    "$venv/bin/python" -m pytest
done
