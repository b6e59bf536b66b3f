#!/bin/sh
# Publishes what is in dist/. In CI for a tag `v` and the version, by trusted publishing where there is
# any; by a person with TWINE_USERNAME and TWINE_PASSWORD (`__token__` and the index's token).
# Environment: TWINE_REPOSITORY_URL (an index of your own), PYTHON (found by .python-version)
set -eu
cd "$(dirname "$0")/.."

tag=${GITHUB_REF_NAME:-${CI_COMMIT_TAG:-${TAG_NAME:-}}}
for wheel in dist/*.whl; do
    version=$(basename "$wheel" | cut -d- -f2)
    if [ -n "$tag" ] && [ "$tag" != "v$version" ]; then
        echo "the tag is $tag, but dist/ holds version $version: not published" >&2
        exit 1
    fi
done
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$(ci/python.sh)" -m venv "$scratch/venv"
"$scratch/venv/bin/python" -m pip --disable-pip-version-check install --quiet \
    --requirement requirements/dist.txt
"$scratch/venv/bin/twine" upload --non-interactive dist/*
