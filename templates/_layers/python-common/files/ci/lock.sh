#!/bin/sh
# Writes the exact versions of what is installed now to requirements/constraints.txt, so that every
# later install is the same. Not what the other files of requirements/ pin, and without local labels
# such as +cpu: the file holds for every device, and an update of those pins does not clash with it.
set -eu
cd "$(dirname "$0")/.."

file=requirements/constraints.txt
installed=$("${VENV:-.venv}/bin/python" -m pip --disable-pip-version-check freeze --exclude-editable)
# A pattern for each name that is pinned elsewhere.
pinned=$(find requirements -name '*.txt' ! -path "$file" \
    -exec sed -n 's/^\([A-Za-z0-9._-]*\)\(\[[^]]*]\)*==.*/^\1==/p' {} + | tr 'A-Z_' 'a-z-')
{
    echo "# Exact versions of all other packages, as \`make lock\` saw them. Every install reads this file."
    echo "$installed" | sed 's/+.*//' | tr 'A-Z_' 'a-z-' | grep -v -e "$pinned"
} >"$file.new"
mv "$file.new" "$file"
echo "wrote $file"
