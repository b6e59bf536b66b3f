"""Which files the checkers look at."""

import os
import re
import subprocess

# Neither is source: what builds and tests make, and the history.
SKIPPED_FOLDERS = {".git", "node_modules", "__pycache__", "shared"}

# In the first line of what a script of ours writes.
GENERATED = re.compile(r"^/\* (Made|Generated) by \S+\.py ")


def listed(root):
    """Paths of the source files, sorted: git's view where there is one, else a walk."""
    if (root / ".git").exists():
        done = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=root,
            stdout=subprocess.PIPE,
            check=False,
        )
        if done.returncode == 0:
            names = done.stdout.decode(errors="replace").split("\0")
            return sorted({n for n in names if n and (root / n).is_file()})
    return sorted(_walked(root))


def _walked(root):
    for folder, subfolders, names in os.walk(root):
        relative = os.path.relpath(folder, root)
        subfolders[:] = [
            s
            for s in subfolders
            if s not in SKIPPED_FOLDERS and not (relative == "." and s.startswith("build"))
        ]
        for name in names:
            yield os.path.normpath(os.path.join(relative, name))


def first_line(path):
    with open(path, encoding="utf-8", errors="replace") as handle:
        return handle.readline()


def is_generated(path):
    return GENERATED.match(first_line(path)) is not None
