#!/bin/sh
# Builds the wheel and the source archive into dist/, each as a user would get it: the wheel is made
# from the archive. The version is git's newest tag `v` and the version; in CI for a tag that tag, which
# a checkout may lack. Environment: PYTHON (found by .python-version)
set -eu
cd "$(dirname "$0")/.."
tools=build/dist-venv

if [ ! -e "$tools/made" ] || ! cmp -s requirements/dist.txt "$tools/made"; then
    "$(ci/python.sh)" -m venv --clear "$tools"
    "$tools/bin/python" -m pip --disable-pip-version-check install --requirement requirements/dist.txt
    cp requirements/dist.txt "$tools/made"
fi
tag=${CI_COMMIT_TAG:-${TAG_NAME:-}}
[ "${GITHUB_REF_TYPE-}" != tag ] || tag=$GITHUB_REF_NAME
[ -z "$tag" ] || export SETUPTOOLS_SCM_PRETEND_VERSION="${tag#v}"
rm -rf dist
"$tools/bin/python" -m build --outdir dist .
"$tools/bin/twine" check --strict dist/*
