#!/bin/sh
# Takes a version of the template into the work tree, for a bot that commits by itself: Renovate, in whose
# configuration it is the command after an upgrade. Conflicts are kept as ci/template-update.sh hands them over.
# Usage: ci/take-template.sh REF
# Environment: TMPLGEN (tmplgen)
set -eu
cd "$(dirname "$0")/.."

[ $# = 1 ] || { echo "usage: ci/take-template.sh REF" >&2; exit 2; }
before=$(git rev-parse HEAD)
# The bot has put the new version into it; tmplgen writes all of it, and only if it is as it was.
git checkout --quiet HEAD -- .tmplgen.yml
status=0
"${TMPLGEN:-tmplgen}" update --trust --to "$1" --on-conflict commit || status=$?
# In the work tree alone: Renovate does not commit new files that are in the index already.
case $status in
    0 | 5) git reset --quiet "$before" ;;
    *) exit "$status" ;;
esac
