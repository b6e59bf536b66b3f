#!/bin/sh
# Pushes what ci/build.sh built here.
# Environment: ENGINE; REGISTRY_USER and REGISTRY_PASSWORD to log in
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

[ -z "${REGISTRY_PASSWORD-}" ] || ci/login.sh
exec ci/tmplgen.sh image push ${ENGINE:+--engine "$ENGINE"} "$@"
