"""
Whether a clean merge is a right one, from what was there before it and after it alone: lines are
counted, nothing is merged again. Where a path is in conflict its owner looks at it, and only a loss
counts.
"""

from collections import Counter

from .histories import is_seed
from .judge import RECORDS, lines_of
from .rivals import MARKS

WORD = b"mine-"


def counted(data):
    """Lines that say something; line endings are no content."""
    return Counter(line for line in (ln.rstrip(b"\r") for ln in data.splitlines()) if line.strip())


def text_of(entry):
    return entry[1] if entry else b""


class Update:
    """One step of one child, by the paths of the template's that it is about."""

    def __init__(self, history, step):
        self.history, self.step = history, step
        at = step.version
        self.old, self.new = history.trees[at - 1], history.trees[at]
        self.renames = history.renames[at]
        self.names = {**history.places[at - 1]}
        self.before = {p: f for p, f in step.before.items() if p not in RECORDS}
        self.after = {p: f for p, f in step.after.items() if p not in RECORDS}

    def mine(self, path):
        """Where the child has a file of the template's, or None."""
        names = self.names.get(path, [path])
        return next((name for name in names if name in self.before), None)

    def canonical(self, path):
        """A conflict has one name, however many a tool lists for it."""
        for old, new in self.renames.items():
            if path in (new, self.mine(old)):
                return old
        for old in self.old:
            if path == self.mine(old):
                return old
        return path.split("~")[0]

    def conflicts(self):
        return sorted({self.canonical(path) for path in self.step.told})

    # ------------------------------------------------------------ what is not right

    def lost_words(self):
        """(Path, line) of the child's own lines: each has a word that is nowhere else."""
        now = b"\n".join([f[1] for f in self.after.values()])
        now += b"\n".join(data for stages in self.step.stages.values() for data in stages.values())
        now += "\n".join(self.after).encode()
        for path, (_, data) in self.before.items():
            lines = [*lines_of(data), path.encode()]
            yield from ((path, ln.decode()) for ln in lines if WORD in ln and ln not in now)

    def wrong(self):
        found = []
        in_question = {*self.conflicts(), *self.step.told}
        paths = [p for p in {**self.old, **self.new} if p not in self.renames.values()]
        for path in sorted(paths):
            new = self.renames.get(path, path)
            if {path, new, self.mine(path)} & in_question:
                continue
            if not any(is_seed(self.history, self.step.version, p) for p in (path, new)):
                found += self.wrong_at(path, new)
        found += self.changed_own()
        return found

    def wrong_at(self, path, new):
        mine, base, theirs = self.mine(path), self.old.get(path), self.new.get(new)
        now = next((self.after[p] for p in (mine, new, path) if p in self.after), None)
        if base is None:
            right = mine or (now and counted(now[1]) == counted(theirs[1]))
            return [] if right else [f"{path}: not added"]
        if mine is None:
            return [f"{path}: is back"] if now else []
        if theirs is None:
            same = counted(self.before[mine][1]) == counted(base[1])
            return [f"{path}: not removed"] if same and mine == path and now else []
        if now is None:
            return [f"{path}: gone"]
        sides = [counted(text_of(one)) for one in (base, self.before[mine], theirs, now)]
        return [f"{path}: {what}" for what in wrong_lines(*sides)]

    def changed_own(self):
        """Files that the template knows nothing of."""
        known = {*self.old, *self.new}
        moved = {name for names in self.names.values() for name in names}
        for path, (_, data) in self.before.items():
            if path not in known | moved and path not in self.step.told:
                if text_of(self.after.get(path)) != data:
                    yield f"{path}: not as it was"


def wrong_lines(base, mine, theirs, now):
    """Of lines that only one side touched; those that occur more than once prove nothing."""
    for line in {**base, **mine, **theirs, **now}:
        counts = (base[line], mine[line], theirs[line])
        wanted = {(0, 0, 1): 1, (0, 1, 0): 1, (1, 0, 1): 0, (1, 1, 0): 0, (1, 1, 1): 1}.get(counts)
        if wanted is not None and now[line] != wanted and not MARKS.match(line):
            yield f"{'lacks' if wanted else 'still has'} {line.decode(errors='replace')[:60]!r}"
