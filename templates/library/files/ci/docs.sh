#!/bin/sh
# Builds the documentation into site/; a warning is an error.
set -eu
cd "$(dirname "$0")/.."
venv=${VENV:-.venv}

"$venv/bin/python" -m pip --disable-pip-version-check install --quiet \
    --constraint requirements/constraints.txt --requirement requirements/docs.txt
rm -rf site
"$venv/bin/python" -m sphinx --fail-on-warning --fresh-env --builder html docs site
echo "site/index.html"
