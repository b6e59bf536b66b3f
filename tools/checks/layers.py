"""Includes between the folders of src/ point one way, and foreign headers stay in few files.

The headers at the top of a folder are what other folders may include; those in its rooms are its
own. A file name stands once in src/, and no folder holds too many.

Prints what it finds when run by itself: tools/checks/layers.py [ROOT].
"""

import re
import sys
from collections import Counter
from pathlib import Path

# A folder may include itself and what stands after it.
ORDER = [
    "cmd",
    "author",
    "update",
    "image",
    "child",
    "apply",
    "plan",
    "catalog",
    "package_index",
    "resolver",
    "matrix",
    "registry",
    "git",
    "jinja",
    "io",
    "data",
    "base",
]
# Free of everything else: its headers are for the commands only.
ALONE = ["smoke"]
# What children get and the program has built in.
FOR_CHILDREN = "templates/"
# A folder with more sources, or more headers, wants rooms.
MOST_FILES = 25
# Headers at the top of a folder that generated sources include.
FOR_GENERATED = {"src/catalog/builtin_data.h"}

# Who may include a foreign library's header: sources only, and only these.
OWNERS = {
    "git2.h": [
        "src/git/.*",
        "src/cmd/common/cmd_version",
        "src/catalog/.*/(git_source|git_files|remote_source|render|signature)",
        "src/child/.*",
        "src/(apply|plan|update)/.*",
    ],
    "yaml.h": ["src/data/yaml/yaml", "src/cmd/common/cmd_version"],
    "jansson.h": ["src/data/json", "src/cmd/common/cmd_version"],
    "curl/curl.h": ["src/io/net/http", "src/io/net/libcurl"],
    "regex.h": [],  # libc's has no limits: base/pattern.h
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def _line(text, offset):
    return text.count("\n", 0, offset) + 1


def _folder(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else None


def _foreign(name):
    return "git2.h" if name.startswith("git2/") else name if name in OWNERS else None


def _owns(path, header):
    return any(re.fullmatch(f"{owner}\\.c", path) for owner in OWNERS[header])


def _ours(where, folder, name):
    target = name.split("/")[0] if "/" in name else None
    if target not in ORDER + ALONE:
        if target is None and folder is not None and name != "tmplgen.h":
            return f'{where}: include it as "FOLDER/{name}"'
        return None
    if target in ALONE and folder != target and (folder != "cmd" or not name.endswith(".h")):
        return f"{where}: only src/cmd/ may include headers of src/{target}/"
    if folder in ALONE and folder != target:
        return f"{where}: src/{folder}/ stands alone"
    if target in ALONE:
        return None
    if folder in ORDER and ORDER.index(target) < ORDER.index(folder):
        return f"{where}: src/{folder}/ may not include src/{target}/: arrows point down"
    if folder != target and name.count("/") > 1:
        return f"{where}: {name} is src/{target}/'s own: it lies in a room"
    return None


def _is_code(path):
    return path.startswith("src/") and path.endswith((".c", ".h"))


def _doors(root, paths):
    """Headers at the top of a folder that no other folder includes: they belong in a room."""
    used = set(FOR_GENERATED)
    for path in filter(_is_code, paths):
        for _, name in INCLUDE.findall((root / path).read_text(errors="replace")):
            if name.split("/")[0] != _folder(path):
                used.add(f"src/{name}")
    tops = [p for p in paths if p.startswith("src/") and p.endswith(".h") and p.count("/") == 2]
    unused = [p for p in tops if p not in used]
    return [f"{p}: no other folder includes it: it belongs in a room" for p in unused]


def _rooms(paths):
    """Names that stand twice, and folders that hold too much."""
    found, seen, sizes = [], {}, Counter()
    for path in filter(_is_code, sorted(paths)):
        folder, name = path.rsplit("/", 1)
        if name in seen:
            found.append(f"{path}: {seen[name]} has the same name")
        seen.setdefault(name, path)
        sizes[folder, name[-2:]] += 1
    return found + [
        f"{folder}: {size} files of *{ending}, and {MOST_FILES} is the most: it wants rooms"
        for (folder, ending), size in sorted(sizes.items())
        if size > MOST_FILES
    ]


def findings(root, paths):
    """One line for each include or file that breaks a rule."""
    found = _rooms(paths) + _doors(root, paths)
    for path in paths:
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        for match in INCLUDE.finditer(text):
            where, name = f"{path}:{_line(text, match.start())}", match[2]
            foreign = _foreign(name) if match[1] == "<" else None
            if foreign and path.endswith(".h"):
                found.append(f"{where}: <{name}> in a header")
            elif foreign and path.startswith("src/") and not _owns(path, foreign):
                found.append(f"{where}: <{name}> is not for this file")
            elif match[1] == '"' and path.startswith(FOR_CHILDREN):
                found.append(f"{where}: a file of {FOR_CHILDREN} stands alone")
            elif match[1] == '"' and path.startswith("src/"):
                found.append(_ours(where, _folder(path), name))
    return [line for line in found if line]


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    paths = sorted(str(p.relative_to(root)) for p in (root / "src").rglob("*.[ch]"))
    found = findings(root, paths)
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
