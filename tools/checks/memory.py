"""Memory comes from arenas and buffers, which count themselves for the run (base/account.h).
What takes it by another way stands here, with what bounds it.
"""

import re

TAKERS = re.compile(
    r"\b(x?(?:malloc|realloc|strdup)|calloc|reallocarray|strndup|xgrow|v?asprintf|getline|getdelim"
    r"|open_memstream|aligned_alloc|mmap)\s*\("
)

BOUNDED = {
    "src/base/memory/arena.c": "counts itself",
    "src/base/memory/buf.c": "counts itself; one long line of a format besides, for a moment",
    "src/base/err.c": "one error",
    "src/io/net/http.c": "a handle for each exchange under way",
    "src/data/json.c": "jansson's memory, counted",
    "src/base/text/unicode.c": "one text, for a moment",
    "src/data/yaml/yaml.c": "a pointer for each node of a document; messages",
    "src/package_index/evidence/zip.c": "one member, up to its limit",
    "src/catalog/source/remote_source.c": "the addresses that were asked in this run",
    "src/catalog/revision/trust.c": "what the user listed or named, for as long as the process",
    "src/cmd/machine/cmd_doctor.c": "what the smoke test says of this machine",
    "src/git/write/git_index.c": "a user's own index",
    "src/git/read/libgit2.c": "messages and names",
    "src/git/odb/odb.c": "objects that are looked ahead at: up to AHEAD_BYTES",
    "src/git/read/oid_map.c": "a place for each of those",
    "src/git/read/store.c": "a handle",
    "src/image/build/build.c": "one name",
}


def findings(root, paths):
    """One line for each call that takes memory past the budget in a file that is not listed."""
    found, used = [], set()
    for path in paths:
        if not path.startswith("src/") or path.startswith("src/smoke/"):
            continue
        text = re.sub(
            r'//.*|/\*.*?\*/|"(?:\\.|[^"\\])*"', _blank, (root / path).read_text(), flags=re.S
        )
        for match in TAKERS.finditer(text):
            used.add(path)
            if path.endswith(".h") or path in BOUNDED:
                continue
            line = text.count("\n", 0, match.start()) + 1
            found.append(
                f"{path}:{line}: {match[1]} takes memory that no budget counts: use an arena"
            )
    if "src/base/memory/arena.c" in paths:
        found += [f"tools/checks/memory.py: {path} takes none" for path in BOUNDED.keys() - used]
    return found


def _blank(match):
    return re.sub(r"[^\n]", " ", match[0])
