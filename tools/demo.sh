#!/bin/sh
# Shows what tmplgen makes: a service on PyTorch, in a scratch folder.
#
#   tools/demo.sh TMPLGEN
set -eu
tmplgen=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
top=$(cd "$(dirname "$0")/.." && pwd)

bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR-}" ]; then
    bold=$(printf '\033[1m') dim=$(printf '\033[2m') plain=$(printf '\033[0m')
fi
title() {
    printf '\n%s%s%s\n' "$bold" "$1" "$plain"
}
command_line() {
    printf '%s$ %s%s\n' "$dim" "$*" "$plain"
}

scratch=$(mktemp -d "${TMPDIR:-/tmp}/tmplgen-demo-XXXXXX")
cd "$scratch"

said=$scratch/said
title 'A repository from a template, and the stack that it runs on'
command_line 'tmplgen new --type service --framework pytorch'
"$tmplgen" new --type service --framework pytorch </dev/null >"$said"
sed '/^Next:$/,$d' "$said"
cd pytorch-service

title 'Its files'
git ls-files | awk -F/ '
    {
        for (i = 1; i < NF; i++) {
            path = ""
            for (j = 1; j <= i; j++)
                path = path $j "/"
            if (!seen[path]++)
                printf "    %*s%s/\n", (i - 1) * 4, "", $i
        }
        printf "    %*s%s\n", (NF - 1) * 4, "", $NF
    }'

title 'Its history'
command_line 'git log'
git --no-pager log --shortstat

title 'Next'
sed "1,/^Next:\$/d; s|cd \(\./\)*pytorch-service|cd $scratch/pytorch-service|" "$said"

title 'To type tmplgen'
cat <<END
  export PATH="${tmplgen%/*}:\$PATH"
or install it, with its manual pages and completions:
  cd $top
  make install PREFIX="\$HOME/.local"        # or: sudo make install PREFIX=/usr/local
END
