-6
+# The image's name, and the registry. Read by the scripts beside this file.
+# shellcheck shell=sh disable=SC2034
+REGISTRY=
+# GitHub, GitLab and Jenkins say which commit this is; elsewhere it is the latest.
+TAG=${TAG:-${GITHUB_SHA:-${CI_COMMIT_SHA:-${GIT_COMMIT:-latest}}}}
+IMAGE=${IMAGE:-pytorch-batch:$TAG}
