#!/bin/sh
# Builds the wheel and the source archive into dist/, each as a user would get it: the wheel is made
# from the archive. Environment: PYTHON (found by .python-version)
set -eu
cd "$(dirname "$0")/.."
tools=build/dist-venv

if [ ! -e "$tools/made" ] || ! cmp -s requirements/dist.txt "$tools/made"; then
    "$(ci/python.sh)" -m venv --clear "$tools"
    "$tools/bin/python" -m pip --disable-pip-version-check install --requirement requirements/dist.txt
    cp requirements/dist.txt "$tools/made"
fi
rm -rf dist
"$tools/bin/python" -m build --outdir dist .
"$tools/bin/twine" check --strict dist/*
