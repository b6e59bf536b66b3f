"""
What a disk may hold after a power cut: states made from the record of a run (mounts.py).

A record is a list of changes, in order. Of a prefix of them a state keeps

- all that was synced: a file's bytes, size and mode by the sync of that file; a name (made, taken,
  moved, linked) by the sync of the folder that it is in, for a move of either folder;
- any of the rest. Names come in the order of their own changes; a folder goes only after what was
  done in it, and moves only after what was taken out of it; a move is done or not, never half.
  Bytes that were not synced are there, or not, or in part, or are zeros, or rubbish, whether or not
  their file has its name.

That is more than ext4, xfs or btrfs would do, which keep most of the order.
"""

import hashlib
import os
import random
import shutil
import stat
from collections import defaultdict
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from .mounts import mounted

EXCHANGE = 2
NAMES = {"create", "mkdir", "mknod", "symlink", "link", "unlink", "rmdir", "rename"}
CONTENT = {"write", "truncate", "chmod"}
SYNCS = {"fsync", "fsyncdir"}


@dataclass
class Inode:
    kind: str  # file, folder, link, other
    mode: int = 0
    data: bytes = b""


FILE = Inode("file")


@dataclass
class Change:
    """One record: what it does to names, as (folder, name) -> inode or None, or to an inode."""

    kind: str
    where: str  # its paths, for people
    inode: int = 0
    sets: dict = field(default_factory=dict)
    number: int = 0  # offset, size or mode
    data: bytes = b""
    needs: list = field(default_factory=list)  # the numbers of earlier changes

    @property
    def folders(self):
        return {folder for folder, _ in self.sets}

    @property
    def left(self):
        """The folders in which there is a name less now."""
        return {folder for (folder, _), inode in self.sets.items() if inode is None}

    def __str__(self):
        return f"{self.kind} {self.where}"


def inode_at(path):
    info = os.lstat(path)
    mode = stat.S_IMODE(info.st_mode)
    if stat.S_ISDIR(info.st_mode):
        return Inode("folder", mode)
    if stat.S_ISLNK(info.st_mode):
        return Inode("link", mode, os.fsencode(os.readlink(path)))
    if stat.S_ISREG(info.st_mode):
        return Inode("file", mode, Path(path).read_bytes())
    return Inode("other", mode)


def records(log: Path):
    """Words and bytes of each record."""
    text, at = log.read_bytes(), 0
    while at < len(text):
        end = text.index(b"\n", at)
        kind, *words = text[at:end].decode().split("\t")
        at = end + 1
        size = int(words[-1]) if kind in ("write", "symlink") else 0
        yield kind, words, text[at : at + size]
        at += size


class Record:
    """A folder as it was, and what became of it, change by change."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.root = os.lstat(folder).st_ino
        self.inodes, self.names, self.changes = {}, {}, []
        self.paths = {self.root: ""}  # of folders and files, as they were last
        for here, folders, files in os.walk(folder):
            above = os.lstat(here).st_ino
            for name in folders + files:
                path = os.path.join(here, name)
                number = os.lstat(path).st_ino
                self.inodes.setdefault(number, inode_at(path))
                self.names[above, name] = number
                self.paths[number] = os.path.relpath(path, folder)

    def run(self, function):
        """Calls it while everything in the folder is written down."""
        log = self.folder.parent / f"{self.folder.name}.log"
        try:
            with mounted(self.folder, log=log):
                done = function()
            self.read(log)
        finally:
            log.unlink(missing_ok=True)
        return done

    # ------------------------------------------------------------ reading

    def read(self, log):
        now, last = dict(self.names), {}
        for kind, words, data in records(log):
            change = getattr(self, f"_{kind}", self._make)(now, kind, words, data)
            self._order(change, last)
            now.update(change.sets)
            self.changes.append(change)

    def _path(self, folder, name):
        return os.path.join(self.paths.get(folder, f"<{folder}>"), name)

    def _make(self, now, kind, words, data):
        folder, name, inode = int(words[0]), words[1], int(words[2])
        assert inode not in self.inodes, "an inode number that was there before"
        mode = 0o777 if kind == "symlink" else int(words[3], 8)
        what = {"create": "file", "mkdir": "folder", "symlink": "link"}.get(kind, "other")
        self.inodes[inode] = Inode(what, mode, data)
        self.paths[inode] = self._path(folder, name)
        return Change(kind, self.paths[inode], inode, {(folder, name): inode})

    def _link(self, now, kind, words, data):
        folder, name, inode = int(words[0]), words[1], int(words[2])
        where = f"{self.paths[inode]} -> {self._path(folder, name)}"
        return Change(kind, where, inode, {(folder, name): inode})

    def _unlink(self, now, kind, words, data):
        folder, name = int(words[0]), words[1]
        inode = now[folder, name]
        return Change(kind, self._path(folder, name), inode, {(folder, name): None})

    _rmdir = _unlink

    def _rename(self, now, kind, words, data):
        before, after = (int(words[0]), words[1]), (int(words[2]), words[3])
        moved, other = now[before], now.get(after)
        where = f"{self._path(*before)} -> {self._path(*after)}"
        if int(words[4]) & EXCHANGE:
            self.paths[other] = self._path(*before)
            self.paths[moved] = self._path(*after)
            return Change("exchange", where, moved, {before: other, after: moved})
        self.paths[moved] = self._path(*after)
        if moved == other:  # two names of one file: nothing happens
            return Change(kind, where, moved, {})
        return Change(kind, where, moved, {before: None, after: moved})

    def _content(self, now, kind, words, data):
        inode = int(words[0])
        number = int(words[1], 8 if kind == "chmod" else 10)
        return Change(kind, self.paths[inode], inode, number=number, data=data)

    _write = _truncate = _chmod = _content

    def _sync(self, now, kind, words, data):
        inode = int(words[0])
        return Change(kind, self.paths.get(inode) or ".", inode)

    _fsync = _fsyncdir = _sync

    def _order(self, change, last):
        """A name's changes come in order; a folder goes or moves after what was moved out of it."""
        number = len(self.changes)
        for name in change.sets:
            if name in last:
                change.needs.append(last[name])
            last[name] = number
        if self.inodes.get(change.inode, FILE).kind != "folder":
            return
        for i, earlier in enumerate(self.changes):
            if change.kind == "rmdir" and change.inode in earlier.folders:
                change.needs.append(i)
            if change.kind == "rename" and change.inode in earlier.left:
                change.needs.append(i)

    # ------------------------------------------------------------ states

    def cut(self, at):
        return Cut(self, at)

    @cached_property
    def count(self):
        return len(self.changes)


def apply_content(inode: Inode, changes) -> Inode:
    data, mode = bytearray(inode.data), inode.mode
    for change in changes:
        if change.kind == "chmod":
            mode = change.number
            continue
        size = change.number
        if len(data) < size:
            data.extend(bytes(size - len(data)))
        if change.kind == "truncate":
            del data[size:]
        else:
            data[size : size + len(change.data)] = change.data
    return Inode(inode.kind, mode, bytes(data))


# What may be there of the bytes that were not synced.
HOW = ("all", "none", "short", "zeros", "rubbish")


def torn(before: Inode, changes, how, chance) -> Inode:
    """Of the writes the last is there by half, or all are, with other bytes than those written."""
    if how == "none":
        return before
    if how == "short":
        *changes, last = changes
        return apply_content(
            before, [*changes, replace(last, data=last.data[: len(last.data) // 2])]
        )
    if how == "zeros":
        changes = [replace(change, data=bytes(len(change.data))) for change in changes]
    if how == "rubbish":
        changes = [replace(change, data=chance.randbytes(len(change.data))) for change in changes]
    return apply_content(before, changes)


class Cut:
    """The power goes after the first `at` changes."""

    def __init__(self, record: Record, at: int):
        self.record, self.at = record, at
        self.done = record.changes[:at]
        self.files = defaultdict(list)  # the changes of a file's content that were not synced
        self.synced_files = {}
        loose, self.synced = [], set()
        for number, change in enumerate(self.done):
            if change.kind in NAMES or change.kind == "exchange":
                loose.append(number)
            elif change.kind in CONTENT:
                self.files[change.inode].append(change)
            elif change.kind == "fsync":
                synced = self.synced_files.get(change.inode, record.inodes[change.inode])
                changes = self.files.pop(change.inode, [])
                self.synced_files[change.inode] = apply_content(synced, changes)
            else:
                stay = [n for n in loose if change.inode not in self.done[n].folders]
                self.synced.update(set(loose) - set(stay))
                loose = stay
        self.synced = self.close_down(self.synced)
        self.loose = [n for n in loose if n not in self.synced]

    def close_down(self, numbers):
        """With all that these need."""
        found, todo = set(), list(numbers)
        while todo:
            number = todo.pop()
            if number not in found:
                found.add(number)
                todo += self.done[number].needs
        return found

    def close_up(self, numbers):
        """Without what lacks something that it needs."""
        kept = set()
        for number in sorted(numbers):
            if kept.issuperset(self.done[number].needs):
                kept.add(number)
        return kept

    def state(self, names, hows, chance, title):
        """`names`: the changes of names that are there; `hows`: what of each unsynced file."""
        names = self.close_up(names | self.synced)
        inodes = {}
        for inode, changes in self.files.items():
            before = self.synced_files.get(inode, self.record.inodes[inode])
            inodes[inode] = torn(before, changes, hows(inode), chance)
        lost = [str(self.done[n]) for n in self.loose if n not in names]
        kept = [str(self.done[n]) for n in self.loose if n in names]
        files = [f"{self.record.paths[i]}: {hows(i)}" for i in inodes]
        return State(self, names, {**self.synced_files, **inodes}, title, kept, lost, files)

    def systematic(self):
        """Each single change that is lost or alone is there, and the extremes."""
        chance = random.Random(self.at)
        everything = self.synced.union(self.loose)

        def of(names, how, title):
            return self.state(set(names), lambda inode: how, chance, title)

        yield of(self.synced, "none", "only what was synced")
        yield of(everything, "all", "everything")
        if self.files:
            for how in HOW[1:]:
                yield of(everything, how, f"every name, of unsynced bytes: {how}")
        for number in self.loose:
            one = self.done[number]
            yield of(everything - {number}, "all", f"all but: {one}")
            yield of(
                self.synced | self.close_down({number}), "all", f"of what was loose only: {one}"
            )

    def random(self, seed):
        """Any of what was not synced."""
        chance = random.Random(f"{seed} {self.at}")
        likely = chance.choice((0.2, 0.5, 0.8))
        names = {number for number in self.loose if chance.random() < likely}
        hows = {inode: chance.choice(HOW) for inode in self.files}
        return self.state(names | self.synced, hows.get, chance, f"random {seed}")


@dataclass
class State:
    """What lies on disk after a cut."""

    cut: Cut
    names: set  # of the changes
    inodes: dict  # those that are not as they were at first
    title: str
    kept: list
    lost: list
    files: list

    def __str__(self):
        cut = self.cut
        last = cut.done[cut.at - 1] if cut.at else "the start"
        parts = [f"cut after change {cut.at} ({last}): {self.title}"]
        for word, list_ in (("kept", self.kept), ("lost", self.lost), ("bytes", self.files)):
            if list_:
                parts.append(f"  {word}: " + "; ".join(list_))
        return "\n".join(parts)

    @cached_property
    def tree(self):
        """Inode by path, folders before what is in them."""
        record, below = self.cut.record, defaultdict(dict)
        now = dict(record.names)
        for number in sorted(self.names):
            now.update(self.cut.done[number].sets)
        for (folder, name), inode in now.items():
            if inode is not None:
                below[folder][name] = inode
        found, todo = {}, [("", record.root)]
        while todo:
            path, folder = todo.pop()
            for name, inode in sorted(below[folder].items()):
                place = os.path.join(path, name)
                found[place] = inode
                if record.inodes[inode].kind == "folder":
                    todo.append((place, inode))
        return found

    def inode(self, number) -> Inode:
        return self.inodes.get(number) or self.cut.record.inodes[number]

    @cached_property
    def digest(self):
        total = hashlib.sha256()
        for path, number in sorted(self.tree.items()):
            inode = self.inode(number)
            total.update(f"{path}\0{inode.kind}\0{inode.mode}\0{len(inode.data)}\0".encode())
            total.update(inode.data)
        return total.digest()

    def build(self, folder: Path):
        """In the place of whatever lies there."""
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        placed, modes = {}, []
        for path, number in self.tree.items():
            inode, place = self.inode(number), folder / path
            if inode.kind == "folder":
                place.mkdir()
            elif number in placed:
                os.link(placed[number], place)
                continue
            elif inode.kind == "link":
                os.symlink(inode.data, place)
                continue
            elif inode.kind == "file":
                place.write_bytes(inode.data)
            else:
                continue
            placed[number] = place
            modes.append((place, inode.mode))
        for place, mode in reversed(modes):
            place.chmod(mode)


def cuts(record: Record) -> list:
    """From the end; without those that have nothing that the cut after the next change lacks."""
    ends = (0, record.count)
    numbers = range(record.count, -1, -1)
    return [n for n in numbers if n in ends or record.changes[n - 1].kind not in SYNCS]


def states_after(record, at, seed, rounds):
    """Of one cut: the systematic ones, and so many random ones."""
    cut = record.cut(at)
    return *cut.systematic(), *(cut.random(f"{seed}.{i}") for i in range(rounds))


def states(record: Record, seed, rounds=0):
    """Each state of every cut once."""
    seen = set()
    for at in cuts(record):
        for state in states_after(record, at, seed, rounds):
            if state.digest not in seen:
                seen.add(state.digest)
                yield state


def some_states(record: Record, seed, size, rounds=0):
    """So many, each of a cut that is drawn, for little more than they cost themselves."""
    chance = random.Random(seed)
    for at in sorted(chance.choices(cuts(record), k=size), reverse=True):
        yield chance.choice(states_after(record, at, seed, rounds))
