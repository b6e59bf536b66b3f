#!/bin/sh
# Proposes the newest version of this project's template: a branch, and one pull or merge request, which is
# made anew as long as nobody else has committed to it. Conflicts are handed over on the branch: your content
# stays, the template's lies beside it as NAME.tmplgen-theirs.
# Usage: ci/template-update.sh [github|gitlab|branch]   whose request it is; branch: only a branch
# Environment:
#   TMPLGEN                the program; else the one on PATH, else what TMPLGEN_URL has, the one file of a
#                          release whose sha256 must be TMPLGEN_SHA256, else what pip installs for TMPLGEN_PIP
#                          (tmplgen==VERSION), else that of the image TMPLGEN_IMAGE
#   TEMPLATE_UPDATE_TOKEN  pushes and opens the request. On GitHub it must be allowed to write contents,
#                          pull requests and workflows; without it the job's own token (GITHUB_TOKEN) is taken,
#                          which may not push workflows
#   github: GITHUB_REPOSITORY, GITHUB_API_URL; gitlab: CI_API_V4_URL, CI_PROJECT_ID; both: PUSH_URL (origin),
#   DEFAULT_BRANCH (that of HEAD)
# Works in a work tree of its own: yours and the branch that you are on stay as they are.
# Ends with 0 where there is nothing to do, something was proposed, somebody is at work on the branch, or nothing
# of this is set;
# with 1 where it could not be proposed: where the branch was made, reports/template-update.bundle then holds it.
set -eu
cd "$(dirname "$0")/.."

# In a folder of a repository, its own branch: other projects may lie beside it.
folder=$(git rev-parse --show-prefix)
branch=tmplgen/update${folder:+-$(printf %s "${folder%/}" | tr -c 'A-Za-z0-9_/-' -)}
how=${1-branch}
case $how in
    github | gitlab | branch) ;;
    *) echo "usage: ci/template-update.sh [github|gitlab|branch]" >&2; exit 2 ;;
esac
url=${PUSH_URL:-origin}
token=${TEMPLATE_UPDATE_TOKEN:-${GITHUB_TOKEN-}}
export token
summary=reports/template-update.md
bundle=reports/template-update.bundle
mkdir -p reports
rm -f "$summary" "$bundle"
scratch=$(mktemp -d)
cleanup() {
    [ ! -e "$scratch/tree" ] || git worktree remove --force "$scratch/tree" || :
    rm -rf "$scratch"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# ---- tmplgen

from_image() {
    engine=$(ci/engine.sh) || return 1
    case $engine in
        *buildah*)
            container=$("$engine" from "$TMPLGEN_IMAGE") || return 1
            taken=0
            "$engine" run "$container" -- cat /usr/local/bin/tmplgen >"$scratch/tmplgen" || taken=1
            "$engine" rm "$container" >/dev/null || :
            return "$taken"
            ;;
    esac
    container=$("$engine" create --entrypoint "" "$TMPLGEN_IMAGE" tmplgen) || return 1
    taken=0
    "$engine" cp "$container:/usr/local/bin/tmplgen" "$scratch/tmplgen" || taken=1
    "$engine" rm "$container" >/dev/null || :
    return "$taken"
}

# What they run is not ours to trust with the token.
without_token() {
    env -u token -u TEMPLATE_UPDATE_TOKEN -u GITHUB_TOKEN "$@"
}

from_url() {
    : "${TMPLGEN_SHA256:?says which program TMPLGEN_URL has to have}"
    without_token python3 -c 'import shutil, sys, urllib.request as web
try:
    shutil.copyfileobj(web.urlopen(sys.argv[1], timeout=60), open(sys.argv[2], "wb"))
except (OSError, ValueError) as why:
    sys.exit(f"cannot fetch {sys.argv[1]}: {why}")' "$TMPLGEN_URL" "$scratch/tmplgen" || exit 1
    echo "$TMPLGEN_SHA256 *$scratch/tmplgen" | sha256sum --check --status
}

from_pip() {
    without_token python3 -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps \
        --target "$scratch/pip" "$TMPLGEN_PIP" && cp "$scratch/pip/bin/tmplgen" "$scratch/tmplgen"
}

if [ -n "${TMPLGEN-}" ]; then
    tmplgen=$(realpath "$(command -v "$TMPLGEN")")
elif command -v tmplgen >/dev/null; then
    tmplgen=tmplgen
else
    tmplgen=$scratch/tmplgen
    if [ -n "${TMPLGEN_URL-}" ]; then
        from_url || { echo "$TMPLGEN_URL is not the tmplgen whose sha256 is $TMPLGEN_SHA256" >&2; exit 1; }
    elif [ -n "${TMPLGEN_PIP-}" ]; then
        from_pip || { echo "pip has no $TMPLGEN_PIP" >&2; exit 1; }
    elif [ -n "${TMPLGEN_IMAGE-}" ]; then
        from_image || { echo "there is no tmplgen in the image $TMPLGEN_IMAGE" >&2; exit 1; }
    else
        mark=
        [ "$how" != github ] || mark='::notice title=template-update::'
        echo "${mark}not set up: TMPLGEN_PIP, TMPLGEN_URL and TMPLGEN_SHA256, or TMPLGEN_IMAGE say where tmplgen" \
            "comes from (README.md, \"Versions and updates\")"
        exit
    fi
    chmod +x "$tmplgen"
fi

# ---- the branch

# The token stays in the environment: it is no part of an address or of a command's words.
# shellcheck disable=SC2016
helper='!f() { echo "username=x-access-token"; echo "password=$token"; }; f'
remote() {
    if [ -n "$token" ]; then
        git -c credential.helper= -c credential.helper="$helper" "$@"
    else
        git "$@"
    fi
}

git config user.name >/dev/null || git config user.name tmplgen
git config user.email >/dev/null || git config user.email tmplgen@localhost

status=0
"$tmplgen" update --check --trust || status=$?
case $status in
    0) exit 0 ;;
    6) ;;
    *) exit 1 ;;
esac
base=$(git rev-parse HEAD)
# As it is there now, so that work of others on it is seen: --refresh looks at it, and at the branch here.
there=refs/remotes/origin/$branch
known=$(remote ls-remote "$url" "refs/heads/$branch" 2>/dev/null | cut -f1) || :
if [ -n "$known" ]; then
    remote fetch --quiet "$url" "+refs/heads/$branch:$there"
    known=$(git rev-parse "$there")
else
    git update-ref -d "$there"
fi
git -c core.hooksPath=/dev/null worktree add --quiet --detach "$scratch/tree" "$base"

update() (
    reports=$PWD
    cd "$scratch/tree/$folder"
    "$tmplgen" update --trust --branch "$branch" --refresh --on-conflict commit --summary "$reports/$summary" "$@"
)
status=0
update || status=$?
conflicts=
case $status in
    0) ;;
    5) conflicts=yes ;;
    3)
        # Many things are refused; only this one means that a person is at work.
        update --json >"$scratch/refused" || :
        grep -q '"code": "foreign-commit"' "$scratch/refused" || exit 1
        echo "$branch is left alone: merge it, or delete it to have it made anew" >&2
        exit 0
        ;;
    *) exit 1 ;;
esac
tip=$(git rev-parse "refs/heads/$branch")

# ---- pushed

cannot() {
    git bundle create --quiet "$bundle" "$base..refs/heads/$branch"
    echo "$1" >&2
    cat >&2 <<END_OF_WORDS
The update is in $bundle, which the job keeps, and what it does in $summary. By hand:
    git fetch $bundle $branch && git push origin FETCH_HEAD:refs/heads/$branch
END_OF_WORDS
    exit 1
}

workflows=$(git diff --name-only "$base" "$tip" -- .github/workflows)
right="it changes workflows ($(echo "$workflows" | tr '\n' ' ')), which the job's own token may not push. Needed: a secret
TEMPLATE_UPDATE_TOKEN, of a GitHub App or a fine-grained token, with these rights on this repository: contents,
pull requests and workflows, each to write."
if [ "$how" = github ] && [ -n "$workflows" ] && [ -z "${TEMPLATE_UPDATE_TOKEN-}" ]; then
    cannot "$right"
fi
if [ "$tip" != "$known" ]; then
    if ! remote push --force-with-lease="refs/heads/$branch:$known" "$url" \
        "$tip:refs/heads/$branch" 2>"$scratch/said"; then
        cat "$scratch/said" >&2
        if grep -qi workflow "$scratch/said"; then
            cannot "$right"
        fi
        cannot "$branch cannot be pushed: TEMPLATE_UPDATE_TOKEN must be allowed to write the repository's contents."
    fi
fi
[ "$how" != branch ] || { echo "open a change from the branch $branch, with the text of $summary"; exit 0; }

# ---- one request

target=${DEFAULT_BRANCH:-$(git rev-parse --abbrev-ref origin/HEAD 2>/dev/null | sed 's|^origin/||')}
FORGE=$how BRANCH=$branch TARGET=${target:-main} CONFLICTS=$conflicts SUMMARY=$summary python3 - <<'END_OF_PROGRAM' ||
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request

it = os.environ
title, _, body = open(it["SUMMARY"], encoding="utf-8").read().partition("\n")
title = title.lstrip("# ").replace("`", "")
conflicts = bool(it["CONFLICTS"])
if it["FORGE"] == "github":
    api = f"{it.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{it['GITHUB_REPOSITORY']}/pulls"
    head = it["GITHUB_REPOSITORY"].partition("/")[0] + ":" + it["BRANCH"]
    query = {"state": "open", "head": head, "base": it["TARGET"]}
    headers = {"Authorization": "Bearer " + it["token"], "Accept": "application/vnd.github+json"}
    new = {"head": it["BRANCH"], "base": it["TARGET"], "draft": conflicts}
    text, number, page, again = "body", "number", "html_url", "PATCH"
else:
    api = f"{it['CI_API_V4_URL']}/projects/{it['CI_PROJECT_ID']}/merge_requests"
    query = {"state": "opened", "source_branch": it["BRANCH"], "target_branch": it["TARGET"]}
    headers = {"PRIVATE-TOKEN": it["token"]}
    new = {"source_branch": it["BRANCH"], "target_branch": it["TARGET"], "remove_source_branch": True}
    title = ("Draft: " if conflicts else "") + title
    text, number, page, again = "description", "iid", "web_url", "PUT"


def ask(method, address, data=None):
    """The forge's answer; what it says against it goes to the log."""
    request = urllib.request.Request(address, method=method, headers=headers)
    if data is not None:
        request.data = json.dumps(data).encode()
        request.add_header("Content-Type", "application/json")
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        sys.exit(f"{method} {address}: {error.code} {error.read(2000).decode(errors='replace')}")
    except OSError as error:
        sys.exit(f"{method} {address}: {error}")


said = {"title": title, text: body.strip()}
there = ask("GET", f"{api}?{urllib.parse.urlencode(query)}")
if there:
    done = ask(again, f"{api}/{there[0][number]}", said)
else:
    done = ask("POST", api, new | said)
print("renewed" if there else "opened", done[page])
END_OF_PROGRAM
    cannot "no request could be opened: TEMPLATE_UPDATE_TOKEN must be allowed to write pull requests (GitLab: scope api)."
