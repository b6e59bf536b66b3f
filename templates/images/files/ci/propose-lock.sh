#!/bin/sh
# Asks the registry whether our images still stand on what base-images.lock.yml says. Where they
# do not, or some are not in it yet, pushes a branch with a new lock, and nothing but it, for people
# to look at.
# Usage: ci/propose-lock.sh github|gitlab|branch   as a pull request, a merge request, or neither
# Environment: PUSH_USER and PUSH_TOKEN to push with, else as git is set up; GH_TOKEN for github;
# PUSH_URL (origin)
# Ends with 0 when all is well or the new lock is proposed, with 6 when no lock can help, or not with
# all: what it helps with is proposed. The work tree stays as it is.
set -eu
cd "$(dirname "$0")/.."
. ci/project.sh

how=${1-}
case $how in
    github | gitlab | branch) ;;
    *) echo "usage: ci/propose-lock.sh github|gitlab|branch" >&2; exit 2 ;;
esac
if [ -n "$(git status --porcelain -- "$LOCK")" ]; then
    echo "$LOCK has changes that are not committed" >&2
    exit 3
fi

scratch=$(mktemp -d)
# shellcheck disable=SC2317  # the trap calls it
tidy() {
    unset GIT_INDEX_FILE
    case $(git status --porcelain -- "$LOCK") in
        '') ;;
        '??'*) rm -f -- "$LOCK" ;;
        *) git checkout --quiet HEAD -- "$LOCK" || : ;;
    esac
    rm -rf "$scratch"
}
trap tidy EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
status=0
ci/tmplgen.sh image verify >"$scratch/found" || status=$?
cat "$scratch/found"
end=0
case $status in
    # What holds stays as it is, what is missing comes to it; 2: nothing is locked yet.
    0 | 2) ci/tmplgen.sh image lock || end=$? ;;
    6) ci/tmplgen.sh image lock --update || end=$? ;;
    *) exit "$status" ;;
esac
# 1: some could not be locked, and the others are.
[ "$end" -le 1 ] || exit "$end"
[ "$end" = 0 ] || [ "$status" != 6 ] || end=6
if [ -z "$(git status --porcelain -- "$LOCK")" ]; then
    [ "$status" = 6 ] || exit "$end"
    echo "a new lock would be the same: it takes a change of images.yml, or a newer tmplgen" >&2
    exit 6
fi

# The commit is made beside the work tree: whatever else is there stays out of it.
lock=$(git hash-object -w -- "$LOCK")
branch=base-images-lock/$(printf '%s' "$lock" | cut -c 1-12)
title="Pin the base images to what the registry has now"
GIT_INDEX_FILE=$scratch/index
export GIT_INDEX_FILE
git read-tree HEAD
git update-index --add --cacheinfo "100644,$lock,$LOCK"
tree=$(git write-tree)
unset GIT_INDEX_FILE
{
    printf '%s\n\n' "$title"
    echo "What ci/propose-lock.sh found of those that were pinned:"
    echo
    sed 's/^/    /' "$scratch/found"
} >"$scratch/message"
name=$(git config user.name || echo base-images)
mail=$(git config user.email || echo base-images@localhost)
commit=$(git -c user.name="$name" -c user.email="$mail" \
    commit-tree "$tree" -p HEAD -F "$scratch/message")

# The token stays in the environment: it is no part of an address or of a command's words.
# shellcheck disable=SC2016
helper='!f() { echo "username=$PUSH_USER"; echo "password=$PUSH_TOKEN"; }; f'
remote() {
    if [ -n "${PUSH_TOKEN-}" ]; then
        git -c credential.helper= -c credential.helper="$helper" "$@"
    else
        git "$@"
    fi
}

cannot_push() {
    echo "the new lock cannot be pushed: README.md, \"CI\", says what it takes" >&2
    exit 1
}

url=${PUSH_URL:-origin}
known=$(remote ls-remote "$url" "refs/heads/$branch") || cannot_push
if [ -n "$known" ]; then
    echo "$branch is there already: this lock was proposed before"
else
    set --
    if [ "$how" = gitlab ]; then
        set -- -o merge_request.create -o "merge_request.target=$CI_DEFAULT_BRANCH" \
            -o "merge_request.title=$title" -o merge_request.remove_source_branch
    fi
    remote push "$@" "$url" "$commit:refs/heads/$branch" || cannot_push
fi
case $how in
    github)
        requests=$(gh pr list --head "$branch" --state all --json number --jq '.[].number')
        if [ -z "$requests" ]; then
            sed 1,2d "$scratch/message" >"$scratch/body"
            gh pr create --head "$branch" --title "$title" --body-file "$scratch/body"
        fi
        ;;
    branch) echo "open a change from the branch $branch to have the new lock" ;;
esac
if [ "$end" != 0 ]; then
    echo "some base images could not be locked: it takes a change of images.yml, or another try" >&2
fi
exit "$end"
