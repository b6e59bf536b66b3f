"""
Random pairs of a child and a new render, against what git makes of the same three trees.

The pairs have no renames. `git merge-tree` says which paths conflict, with which stages and modes;
`git merge-file` what becomes of a text that both changed, markers included (merge-tree takes the
histogram diff for those, which cannot be turned off; libgit2 and merge-file take Myers'). Where
tmplgen is meant to differ (docs/update.md, "Differences from git") git's result is changed by that
rule, and by nothing else: a side that differs from the base in line endings alone is handed to git
as if it did not, and texts are merged by `git merge-file` with the endings that the rule says.
"""

import random
import re
import shutil
import subprocess
from pathlib import Path

from .faults import FIRST, sizes, told_of
from .world import RECORD, World, files_on_disk, put

COMMON = ["", "", "}", "    return", "# ----"]
LABELS = ["-L", "your project", "-L", "template 1.0.0", "-L", "template 1.1.0"]
TEXT, EXECUTABLE = "100644", "100755"


# ---------------------------------------------------------------- line endings


def plain(text):
    return text.replace(b"\r\n", b"\n")


def ended(text, crlf):
    return plain(text).replace(b"\n", b"\r\n") if crlf else plain(text)


def ends_of(text):
    crlf = text.count(b"\r\n")
    if b"\0" in text or text.count(b"\r") != crlf:
        return "other"
    both = crlf and text.count(b"\n") != crlf
    return "mixed" if both else "crlf" if crlf else "lf" if b"\n" in text else "none"


def mostly_crlf(text):
    return 2 * text.count(b"\r\n") > text.count(b"\n")


def alike(one, other):
    return plain(one) == plain(other) and "other" not in (ends_of(one), ends_of(other))


def matter(texts):
    """Whether line endings matter to a merge of these."""
    kinds = {ends_of(text) for text in texts}
    return "other" not in kinds and ("mixed" in kinds or {"lf", "crlf"} <= kinds)


def follow(world, text, like, crlf):
    """`text`, each line ended as in `like`, or else as what it replaces or stands behind."""
    names = [world.folder / "like", world.folder / "text"]
    for name, content in zip(names, (like, text), strict=True):
        whole = plain(content)
        name.write_bytes(whole if whole.endswith(b"\n") or not whole else whole + b"\n")
    words = ["diff", "--no-index", "-U0", "--text", "--no-indent-heuristic", *names]
    hunks = re.findall(
        rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@",
        world.git("-c", "diff.algorithm=myers", *words, check=False).stdout,
        re.MULTILINE,
    )
    old = [None if not e.endswith(b"\n") else e.endswith(b"\r\n") for e in cut(like)]
    new = []
    at = 0
    for start, count, _, added in ([int(n or 1) if n != b"0" else 0 for n in h] for h in hunks):
        start -= 1 if count else 0
        new += old[at:start]
        at = start + count
        for i in range(added):
            end = old[start + i] if i < count else new[-1] if new else None
            new.append(crlf if end is None else end)
    new += old[at:]
    lines = cut(text)
    assert len(new) == len(lines), (text, like, hunks)
    return b"".join(
        ended(line, crlf if end is None else end) for line, end in zip(lines, new, strict=True)
    )


def cut(text):
    """Lines with their ends; a CR alone ends none."""
    return re.findall(rb"[^\n]*\n|[^\n]+", text)


class Pair:
    """Three trees: path to (mode, bytes)."""

    def __init__(self, seed: int):
        self.rng = random.Random(seed)
        self.words = 0
        self.base = {path: self.fresh() for path in self.names("f", 6, 14)}
        self.child = dict(self.base)
        self.new = dict(self.base)
        for path in sorted(self.base):
            self.change(self.child, path, self.new)
            self.change(self.new, path, self.child)
        for side, prefix in ((self.child, "mine"), (self.new, "theirs")):
            for path in self.names(prefix, 0, 2):
                side[path] = self.fresh()
        for path in self.names("both", 0, 2):
            self.child[path] = self.fresh()
            mode, content = self.child[path]
            same = self.rng.random()
            self.new[path] = (
                self.fresh() if same < 0.5 else (mode if same < 0.8 else self.mode(), content)
            )
        self.rng = random.Random(f"endings {seed}")
        for side, often in ((self.child, 0.15), (self.new, 0.05)):
            for path in sorted(side):
                if self.rng.random() < often:
                    side[path] = (side[path][0], self.turned(side[path][1]))

    def names(self, prefix, least, most):
        folders = ["", "d/", "d/e/", "z/"]
        count = self.rng.randint(least, most)
        return [f"{self.rng.choice(folders)}{prefix}{i}" for i in range(count)]

    def mode(self):
        return self.rng.choice([TEXT, TEXT, EXECUTABLE])

    def line(self):
        return self.rng.choice(COMMON) if self.rng.random() < 0.15 else self.unique()

    def unique(self):
        self.words += 1
        return f"{self.rng.choice('abcdefgh')} {self.rng.getrandbits(40):x} {self.words}"

    def fresh(self):
        """Content that no other file has: git would take it for a renamed one."""
        kind = self.rng.random()
        if kind < 0.12:
            return self.mode(), self.rng.randbytes(self.rng.randint(1, 300)) + b"\0"
        lines = [self.line() for _ in range(self.rng.choice([0, 1, 2, 5, 12, 30, 60]))]
        if lines:
            lines[0] = self.unique()
        end = "\r\n" if kind < 0.2 else "\n"
        text = "".join(line + end for line in lines)
        if kind > 0.9:
            text = text[: -len(end)] if text else text
        return self.mode(), text.encode() + (b"caf\xe9\n" if lines and kind > 0.95 else b"")

    def edited(self, content):
        """Some lines of it replaced, removed, added or swapped."""
        if b"\0" in content:
            return self.rng.randbytes(self.rng.randint(1, 300)) + b"\0"
        lines = content.splitlines(keepends=True)
        end = b"\r\n" if content.endswith(b"\r\n") else b"\n"
        for _ in range(self.rng.choice([1, 1, 2, 3, 6])):
            at = self.rng.randint(0, len(lines))
            kind = self.rng.random()
            some = [self.line().encode() + end for _ in range(self.rng.choice([1, 1, 2, 4]))]
            if kind < 0.45 and at < len(lines):
                lines[at : at + len(some)] = some
            elif kind < 0.6:
                del lines[at : at + self.rng.choice([1, 2, 5])]
            elif kind < 0.9:
                lines[at:at] = some
            else:
                lines[at:] = lines[at:][::-1]
        text = b"".join(lines)
        return text[:-1] if self.rng.random() < 0.05 else text

    def turned(self, content):
        """With other line endings, in all of it or in a part."""
        if ends_of(content) == "other":
            return content
        lines = plain(content).splitlines(keepends=True)
        first, last = 0, len(lines)
        if self.rng.random() < 0.3:
            first, last = sorted(self.rng.randint(0, last) for _ in range(2))
        crlf = ends_of(content) != "crlf"
        return b"".join(ended(line, (first <= at < last) == crlf) for at, line in enumerate(lines))

    def change(self, side, path, other):
        kind = self.rng.random()
        mode, content = self.base[path]
        if kind < 0.42:
            side[path] = (mode, self.edited(content))
        elif kind < 0.52:
            del side[path]
        elif kind < 0.6:
            side[path] = (EXECUTABLE if mode == TEXT else TEXT, content)
        elif kind < 0.65:
            side[path] = (self.mode(), self.edited(content))
        elif kind < 0.68:
            side[path] = self.fresh()
        elif kind < 0.7:
            side[path] = (mode, b"")
        elif kind < 0.75 and path in other and path in side:
            side[path] = other[path]
        elif kind < 0.79:
            del side[path]
            for name in range(self.rng.randint(1, 2)):
                side[f"{path}/{name}"] = self.fresh()


def as_files(tree):
    return {p: ("x", c) if m == EXECUTABLE else c for p, (m, c) in sorted(tree.items())}


def make(world, pair):
    world.release("1.0.0", as_files(pair.base))
    world.new()
    world.git("rm", "-q", "-r", *sorted(pair.base))
    world.edit(as_files(pair.child))
    world.release("1.1.0", as_files(pair.new))


def entries(text):
    """Stage entries of git by path: {path: {stage: (mode, blob)}}."""
    found = {}
    for line in filter(None, text.split("\0")):
        meta, path = line.split("\t", 1)
        mode, blob, stage = meta.split(" ")
        found.setdefault(path, {})[int(stage)] = (mode, blob)
    return found


def commit_without_record(world, tree, *parents, instead=None):
    index = {"GIT_INDEX_FILE": str(world.folder / "index")}
    world.git("read-tree", tree, env=index)
    world.git("update-index", "--force-remove", RECORD, env=index)
    for path, (mode, content) in (instead or {}).items():
        blob = world.git("hash-object", "-w", "--stdin", stdin=content)
        world.git("update-index", "--cacheinfo", f"{mode},{blob},{path}", env=index)
    return commit_index(world, index, *parents)


def commit_index(world, index, *parents):
    words = [word for parent in parents for word in ("-p", parent)]
    return world.git("commit-tree", world.git("write-tree", env=index), *words, "-m", "x")


def turned_alone(pair, side):
    """What differs from the base in its line endings alone, as it were without that."""
    return {
        path: (mode, pair.base[path][1])
        for path, (mode, content) in side.items()
        if path in pair.base and mode == pair.base[path][0] and alike(content, pair.base[path][1])
    }


def commit_new(world, pair, base):
    """What the new version renders to, made without tmplgen."""
    folder = world.folder / "new"
    folder.mkdir()
    attributes = world.git("show", f"{base}:.gitattributes") + "\n"
    new = {**pair.new, **turned_alone(pair, pair.new)}
    put(folder, {**as_files(new), ".gitattributes": attributes})
    index = {"GIT_INDEX_FILE": str(world.folder / "new.index"), "GIT_WORK_TREE": str(folder)}
    world.git("add", "-A", "-f", env={**index, "GIT_DIR": str(world.child / ".git")}, cwd=folder)
    return commit_index(world, index, base)


class Merged:
    """What git makes of it: stages by path, and blobs and modes on disk."""

    def __init__(self, world, pair, ours, theirs):
        world.git("branch", "-f", "ours", ours)
        world.git("branch", "-f", "theirs", theirs)
        done = world.git(
            *("merge-tree", "--write-tree", "-z", "--no-messages", "ours", "theirs"),
            check=False,
        )
        assert done.returncode in (0, 1), done.stderr
        tree, _, rest = done.stdout.decode().partition("\0")
        self.disk = self.files(world, tree)
        self.stages = {path: {0: entry} for path, entry in self.disk.items()}
        for path, stages in entries(rest).items():
            self.stages[path] = stages
        self.trees = [self.files(world, rev) for rev in (f"{ours}^", ours, theirs)]
        for tree, side in zip(self.trees, (pair.base, pair.child, pair.new), strict=True):
            self.turn_back(world, tree, side)
        self.merge_texts(world)
        world.git("branch", "-D", "-q", "ours", "theirs")

    @staticmethod
    def files(world, rev):
        return {path: (mode, blob) for path, (mode, blob) in world.listing(rev).items()}

    def turn_back(self, world, tree, side):
        """The line endings that git was not shown."""
        for path, (mode, content) in side.items():
            blob = world.git("hash-object", "-w", "--stdin", stdin=content)
            seen, tree[path] = tree[path], (mode, blob)
            for stage, (old_mode, old) in self.stages.get(path, {}).items():
                if seen[1] != blob and old == seen[1] and stage != 1:
                    self.stages[path][stage] = (old_mode, blob)
            if seen[1] != blob and self.disk.get(path, ("", ""))[1] == seen[1]:
                self.disk[path] = (self.disk[path][0], blob)

    def merge_texts(self, world):
        """What all three have and both changed, if it is text: as `git merge-file` has it."""
        base, ours, theirs = self.trees
        for path in base.keys() & ours.keys() & theirs.keys():
            sides = [tree[path] for tree in self.trees]
            blobs = [blob for _, blob in sides]
            texts = [world.blob(blob) for blob in blobs]
            if len(set(blobs)) < 3:
                continue
            if alike(texts[2], texts[0]) or alike(texts[2], texts[1]):
                self.take(path, blobs[1])
            elif alike(texts[0], texts[1]) and ends_of(texts[2]) == "other":
                self.take(path, blobs[2])
            elif not any(b"\0" in text for text in texts):
                self.merge_text(world, path, sides, texts)

    def take(self, path, blob):
        self.disk[path] = (self.disk[path][0], blob)
        self.stages[path] = {0: self.disk[path]}

    def merge_text(self, world, path, sides, texts):
        merged, clean = self.merge_endings(world, *texts)
        blob = world.git("hash-object", "-w", "--stdin", stdin=merged)
        self.disk[path] = (self.disk[path][0], blob)
        self.stages[path] = {0: self.disk[path]} if clean else dict(enumerate(sides, 1))

    def merge_endings(self, world, base, ours, theirs):
        if not matter((base, ours, theirs)):
            return self.merge_file(world, base, ours, theirs)
        kind = ends_of(ours)
        if kind != "mixed":
            crlf = kind == "crlf" or (kind == "none" and mostly_crlf(theirs))
            merged, clean = self.merge_file(world, plain(base), plain(ours), plain(theirs))
            return ended(merged, crlf), clean
        merged, clean = self.merge_file(world, base, ours, theirs)
        if clean:
            return merged, clean
        base = follow(world, base, ours, mostly_crlf(ours))
        return self.merge_file(world, base, ours, follow(world, theirs, base, mostly_crlf(ours)))

    @staticmethod
    def merge_file(world, *texts):
        names = [str(world.folder / name) for name in ("base", "ours", "theirs")]
        for name, text in zip(names, texts, strict=True):
            Path(name).write_bytes(text)
        base, ours, theirs = names
        command = ["git", "merge-file", "-p", "--diff3", *LABELS, ours, base, theirs]
        done = subprocess.run(command, env=world.env, capture_output=True, check=False)
        assert done.returncode >= 0 and not done.stderr, done
        return done.stdout, done.returncode == 0

    def differ_as_documented(self, world):
        for path, stages in sorted(self.stages.items()):
            if set(stages) == {1, 3}:
                self.keep_deleted(path)
            elif path.endswith("~theirs"):
                self.stage_alone(path)
            elif path.endswith("~ours"):
                self.name_head(path)
        base, ours, theirs = self.trees
        for path in (ours.keys() & theirs.keys()) - base.keys():
            self.both_added(world, path, ours[path], theirs[path])

    def keep_deleted(self, path):
        """What the child deleted stays deleted."""
        del self.stages[path], self.disk[path]

    def stage_alone(self, path):
        """Where the child has a folder, the template's file is at stage 3 alone."""
        del self.disk[path]
        self.stages[path.removesuffix("~theirs")] = self.stages.pop(path)

    def name_head(self, path):
        name = path.removesuffix("~ours") + "~HEAD"
        self.disk[name] = self.disk.pop(path)
        self.stages[name] = self.stages.pop(path)

    def both_added(self, world, path, ours, theirs):
        """The child's is on disk; other text conflicts, another mode or line ending does not."""
        same = ours[1] == theirs[1] or alike(world.blob(ours[1]), world.blob(theirs[1]))
        self.disk[path] = ours
        self.stages[path] = {0: ours} if same else {2: ours, 3: theirs}


def on_disk(world, path):
    place = world.child / path
    mode = EXECUTABLE if place.stat().st_mode & 0o100 else TEXT
    return mode, place.read_bytes()


def assert_equal(world, done, merged):
    stages = entries(world.git("ls-files", "-s", "-z"))
    del stages[RECORD]
    conflicts = {path for path in merged.stages if set(merged.stages[path]) != {0}}
    merge = {p: s for p, s in merged.stages.items() if p in conflicts}
    assert {p: s for p, s in stages.items() if set(s) != {0}} == merge
    for path in conflicts:
        expected = merged.disk.get(path)
        if expected is None:
            assert not (world.child / path).is_file(), path
        else:
            found = (expected[0], world.blob(expected[1]))
            assert on_disk(world, path) == found, path
    clean = {p: s for p, s in merged.stages.items() if p not in conflicts}
    assert {p: s for p, s in stages.items() if set(s) == {0}} == clean
    assert (done.code == 5) == bool(conflicts)


def compare(world, seed):
    pair = Pair(seed)
    make(world, pair)
    head = world.git("rev-parse", "HEAD")
    root = world.git("rev-list", "--max-parents=0", "HEAD")
    before = (files_on_disk(world.child), world.git("ls-files", "-s"))
    done = world.update()
    assert done.code in (0, 5), (done.out, done.err)
    base = commit_without_record(world, root)
    ours = commit_without_record(world, head, base, instead=turned_alone(pair, pair.child))
    merged = Merged(world, pair, ours, commit_new(world, pair, base))
    merged.differ_as_documented(world)
    assert_equal(world, done, merged)
    if done.code == 0:
        assert world.update().json["result"] == "up-to-date"
    else:
        assert world.tmplgen("update", world.child, "--abort").code == 0
        assert (files_on_disk(world.child), world.git("ls-files", "-s")) == before


@sizes(few=(8, 1), sample=(20, 1), every=2000)
def test_update_agrees_with_git_on_random_pairs(fast, size):
    for seed in range(FIRST, FIRST + size):
        world = World(fast / str(seed))
        with told_of(f"pair {seed}: SEED={seed} begins with it"):
            compare(world, seed)
        shutil.rmtree(world.folder)
