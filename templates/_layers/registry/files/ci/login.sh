#!/bin/sh
# Logs in to the registry. Environment: REGISTRY_USER, REGISTRY_PASSWORD
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

printf '%s' "$REGISTRY_PASSWORD" |
    "$(ci/engine.sh)" login --username "$REGISTRY_USER" --password-stdin "${REGISTRY%%/*}"
