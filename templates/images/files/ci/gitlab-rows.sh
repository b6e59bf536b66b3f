#!/bin/sh
# Prints GitLab's child pipeline that builds images.yml: one job a row.
# Usage: ci/gitlab-rows.sh [--push]
# Environment: TMPLGEN_IMAGE, with tmplgen and buildah, which needs neither a daemon nor privileges
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

rows=$(ci/rows.sh)
interruptible=true
[ "${1-}" != --push ] || interruptible=false
cat <<END
workflow:
  rules:
    - when: always

default:
  image:
    name: $TMPLGEN_IMAGE
    entrypoint: [""]
    docker:
      user: root
  interruptible: $interruptible
END
for row in $rows; do
    cat <<END

"$row":
  rules:
    - when: on_success
  timeout: 2 hours
  variables:
    ENGINE: buildah
    BUILDAH_FORMAT: docker
    BUILDAH_ISOLATION: chroot
    STORAGE_DRIVER: vfs
  script:
    - ci/build.sh ${1:+$1 }$row
END
done
