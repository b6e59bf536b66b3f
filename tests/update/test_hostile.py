"""
Children and catalogs that somebody made to harm: whatever lies in their objects, index, refs and
record, tmplgen ends soon, with a message and an exit code of its own, and changes nothing.
"""

import hashlib
import os
import re
import resource
import shutil
import struct
import subprocess
import zlib

import pytest

from ..common.program import BINARY, INSTRUMENTED
from .packs import NAMES, OFS_DELTA, REF_DELTA, TREE, Pack, copy, delta
from .scenarios import LONG, lines
from .world import World, files_on_disk, put

SECONDS = 10
MEMORY = 1 << 30


@pytest.fixture(scope="module")
def pristine(tmp_path_factory):
    """A child with an update that waits, and its catalog."""
    world = World(tmp_path_factory.mktemp("hostile") / "w")
    world.release("1.0.0", {"a": LONG, "d/b": LONG})
    world.new()
    world.release("1.1.0", {"a": lines(20, {15: "theirs"}), "d/b": LONG})
    return world


@pytest.fixture
def world(pristine):
    """The same for each test; what it did to it is gone afterwards."""
    for name in ("child", "catalog"):
        shutil.copytree(pristine.folder / name, pristine.folder / f"{name}.kept", symlinks=True)
    yield pristine
    for name in ("child", "catalog"):
        shutil.rmtree(pristine.folder / name)
        os.rename(pristine.folder / f"{name}.kept", pristine.folder / name)


def limit():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def ends_well(world, *args):
    """It ended by itself, and where it failed it says why."""
    done = subprocess.run(
        [str(BINARY), *map(str, args), "--json"],
        cwd=world.folder,
        env=world.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        preexec_fn=None if INSTRUMENTED else limit,
        check=False,
    )
    err = done.stderr.decode(errors="replace")
    assert done.returncode in (0, 1, 2, 3, 6), (args, done.returncode, err)
    if done.returncode in (1, 2, 3):
        assert b'"error": {' in done.stdout, (args, done.stdout)
    return done.returncode


def look_at_child(world):
    """Every command that reads a child; the files of the user stay what they are."""
    before = files_on_disk(world.child)
    for args in (("status",), ("diff",), ("update", "--check"), ("update", "--dry-run")):
        ends_well(world, args[0], world.child, *args[1:])
    assert files_on_disk(world.child) == before


def look_at_catalog(world):
    made = world.folder / "made"
    ends_well(world, "new", made, "--type", "app", "--catalog", world.catalog)
    shutil.rmtree(made, ignore_errors=True)
    ends_well(world, "update", world.child, "--check")


# ---------------------------------------------------------------- packs


def objects_of(world, repository):
    found = world.objects(child=repository)
    return {oid: (NAMES[kind], body) for oid, (kind, body) in found.items()}


OTHER = "22" * 20


def same(body):
    return delta(len(body), len(body), copy(0, len(body)))


def names_itself(pack, oid, kind, body):
    pack.add(oid, REF_DELTA, same(body), base=oid)


def runs_in_a_circle(pack, oid, kind, body):
    pack.add(oid, REF_DELTA, same(body), base=OTHER)
    pack.add(OTHER, REF_DELTA, same(body), base=oid)


def long_chain(count):
    def write(pack, oid, kind, body):
        last = pack.add(OTHER, kind, body)
        for number in range(count):
            own = oid if number == count - 1 else hashlib.sha1(b"%d" % number).hexdigest()
            last = pack.add(own, OFS_DELTA, same(body), base=last)

    return write


def claims(size):
    def write(pack, oid, kind, body):
        pack.add(oid, kind, body, size=size(len(body)))

    return write


def is_delta(make, **more):
    """The victim as a delta of what it was; `make` takes the size of that."""

    def write(pack, oid, kind, body):
        base = pack.add(OTHER, kind, body)
        pack.add(oid, OFS_DELTA, make(len(body)), base=base, **more)

    return write


def lies_back(distance):
    def write(pack, oid, kind, body):
        pack.add(oid, OFS_DELTA, same(body), base=(distance,))

    return write


def is_of_kind(number):
    def write(pack, oid, kind, body):
        pack.add(oid, number, body)

    return write


def holds(make):
    def write(pack, oid, kind, body):
        pack.add(oid, kind, body, raw=make(zlib.compress(body)))

    return write


DAMAGED = {
    "chain-of-5000": long_chain(5000),
    "longer-than-it-is": claims(lambda n: n + 100),
    "shorter-than-it-is": claims(lambda n: max(n - 20, 0)),
    "40-gigabytes": claims(lambda n: 40 << 30),
    "2-to-the-62": claims(lambda n: 1 << 62),
    "2-to-the-64": claims(lambda n: (1 << 64) - 1),
    "delta-makes-less": is_delta(lambda n: delta(n, n + 1000, copy(0, n))),
    "delta-makes-more": is_delta(lambda n: delta(n, 3, copy(0, n))),
    "delta-of-40-gigabytes": is_delta(lambda n: delta(n, 40 << 30, copy(0, n))),
    "delta-copies-from-outside": is_delta(lambda n: delta(n, n, copy(0xFFFFFFF0, 0xFFFFFF))),
    "delta-of-another-base": is_delta(lambda n: delta(n + 5, n, copy(0, n))),
    "delta-that-is-empty": is_delta(lambda n: b""),
    "delta-with-unknown-step": is_delta(lambda n: delta(n, n, b"\0\0")),
    "delta-cut-in-a-step": is_delta(lambda n: delta(n, n, b"\xff\0")),
    "delta-longer-than-it-is": is_delta(lambda n: delta(n, n, copy(0, n)), size=10**9),
    "delta-shorter-than-it-is": is_delta(lambda n: delta(n, n, copy(0, n)), size=1),
    "base-before-the-pack": lies_back(1 << 40),
    "base-at-no-distance": lies_back(0),
    "base-in-the-middle": lies_back(3),
    "kind-0": is_of_kind(0),
    "kind-5": is_of_kind(5),
    "compressed-data-cut": holds(lambda data: data[:-6]),
    "compressed-data-is-none": holds(lambda data: b"\xff" * 50),
}
WRONG = {
    "offset-beyond-the-end": {"offset": 0x7FFFFFF0},
    "large-offset-that-is-not-there": {"offset": 0x80000001},
    "offset-in-the-header": {"offset": 0},
    "fan-falls": {"fan": list(range(256, 0, -1))},
    "fan-of-billions": {"fan": [0xFFFFFFFF] * 256},
    "pack-cut": {"cut": 100},
    "pack-empty": {"cut": 0},
    "index-cut": {"idx_cut": 1100},
    "index-empty": {"idx_cut": 0},
    "index-of-version-3": {"version": 3},
}


def repack(world, repository, victim=None, damage=None, **wrong):
    """All objects of a repository in one pack by hand, one of them damaged."""
    pack = Pack()
    for oid, (kind, body) in objects_of(world, repository).items():
        if oid == victim:
            damage(pack, oid, kind, body)
        else:
            pack.add(oid, kind, body)
    for folder in (repository / ".git/objects").iterdir():
        if len(folder.name) == 2:
            shutil.rmtree(folder)
    pack.write(repository / ".git", **wrong)


def victims(world, repository, blob):
    return [world.git("rev-parse", f"HEAD{end}", cwd=repository) for end in ("", "^{tree}", blob)]


def test_packs_by_hand_are_right_where_nothing_is_wrong(world):
    repack(world, world.child)
    assert world.git("fsck", "--strict") == ""
    repack(world, world.catalog)
    assert ends_well(world, "update", world.child, "--check") == 6
    assert world.update().code == 0


# libgit2 follows them until its process is ended, which takes its time for each object.
CIRCLES = {"delta-of-itself": names_itself, "deltas-in-a-circle": runs_in_a_circle}


@pytest.mark.full
@pytest.mark.parametrize("damage", CIRCLES.values(), ids=CIRCLES)
def test_deltas_in_a_circle(world, damage):
    commit, tree, blob = victims(world, world.child, ":a")
    for victim in (commit, tree, blob):
        shutil.rmtree(world.child)
        shutil.copytree(world.folder / "child.kept", world.child, symlinks=True)
        repack(world, world.child, victim, damage)
        # The base is rendered: what the child has unchanged of it nobody has to read there.
        assert ends_well(world, "update", world.child, "--dry-run") == (0 if victim == blob else 1)


@pytest.mark.turns(5)
@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_damaged_object_in_a_childs_pack(world, damage):
    for victim in victims(world, world.child, ":a"):
        shutil.rmtree(world.child)
        shutil.copytree(world.folder / "child.kept", world.child, symlinks=True)
        repack(world, world.child, victim, damage)
        look_at_child(world)


@pytest.mark.turns(5)
@pytest.mark.full
@pytest.mark.parametrize("damage", DAMAGED.values(), ids=DAMAGED)
def test_damaged_object_in_a_catalogs_pack(world, damage):
    for victim in victims(world, world.catalog, ":templates/app/files/a"):
        shutil.rmtree(world.catalog)
        shutil.copytree(world.folder / "catalog.kept", world.catalog, symlinks=True)
        repack(world, world.catalog, victim, damage)
        look_at_catalog(world)


@pytest.mark.turns(4)
@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_damaged_pack_or_index_of_it(world, wrong):
    repack(world, world.child, **wrong)
    look_at_child(world)
    assert ends_well(world, "status", world.child) == 1
    repack(world, world.catalog, **wrong)
    look_at_catalog(world)


def test_tag_that_cannot_be_read_is_no_sign_that_nothing_is_new(world):
    tip = world.git("rev-parse", "v1.1.0^{commit}", cwd=world.catalog)
    repack(world, world.catalog, tip, DAMAGED["kind-5"])
    assert ends_well(world, "update", world.child, "--check") == 1


# ---------------------------------------------------------------- trees and loose objects


def loose(world, kind, body, size=None):
    """A loose object that may lie about its size."""
    oid = hashlib.sha1(f"{kind} {len(body)}\0".encode() + body).hexdigest()
    path = world.child / ".git/objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    path.write_bytes(zlib.compress(f"{kind} {size or len(body)}\0".encode() + body, 1))
    return oid


def tree(*entries):
    return b"".join(
        mode.encode() + b" " + name + b"\0" + bytes.fromhex(oid) for mode, name, oid in entries
    )


def commit(world, tree_id):
    who = "a <a@b> 1700000000 +0000"
    text = f"tree {tree_id}\nauthor {who}\ncommitter {who}\n\nhostile\n"
    (world.child / ".git/refs/heads/main").write_text(loose(world, "commit", text.encode()) + "\n")


def record_entry(world):
    return ("100644", b".tmplgen.yml", world.git("rev-parse", "HEAD:.tmplgen.yml"))


def test_a_billion_files_in_ten_trees(world):
    record, blob = record_entry(world), world.git("rev-parse", "HEAD:a")
    oid = loose(world, "tree", tree(*(("100644", b"f%d" % i, blob) for i in range(10))))
    for _ in range(9):
        oid = loose(world, "tree", tree(*(("40000", b"d%d" % i, oid) for i in range(10))))
    commit(world, loose(world, "tree", tree(record, ("40000", b"d", oid))))
    look_at_child(world)
    assert ends_well(world, "status", world.child) == 1


def test_thousands_of_folders_in_each_other(world):
    record, blob = record_entry(world), world.git("rev-parse", "HEAD:a")
    pack, oid = Pack(), loose(world, "tree", tree(("100644", b"f", blob)))
    for _ in range(5000):
        body = tree(("40000", b"d", oid))
        oid = hashlib.sha1(b"tree %d\0" % len(body) + body).hexdigest()
        pack.add(oid, TREE, body)
    kept = objects_of(world, world.child)
    for name, (kind, body) in kept.items():
        pack.add(name, kind, body)
    pack.write(world.child / ".git")
    commit(world, loose(world, "tree", tree(record, ("40000", b"d", oid))))
    look_at_child(world)
    assert ends_well(world, "status", world.child) == 1


@pytest.mark.turns(5)
@pytest.mark.parametrize(
    "name", [b"..", b".git", b"../../x", b"/etc/x", b"", b"a\nb\x1b[31m", b"\xff\xfe", b"a" * 5000]
)
@pytest.mark.parametrize("mode", ["100644", "40000", "120000", "160000", "777777777777"])
def test_names_that_no_file_can_have(world, name, mode):
    blob = world.git("rev-parse", "HEAD:d" if mode == "40000" else "HEAD:a")
    commit(world, loose(world, "tree", tree(record_entry(world), (mode, name, blob))))
    look_at_child(world)


def zeros(world, size):
    """A blob of so many zeros, of which a thousandth lies on disk."""
    head = f"blob {size}\0".encode()
    digest, packer = hashlib.sha1(head), zlib.compressobj(1)
    data, piece = [packer.compress(head)], b"\0" * (1 << 24)
    for _ in range(size >> 24):
        digest.update(piece)
        data.append(packer.compress(piece))
    oid = digest.hexdigest()
    path = world.child / ".git/objects" / oid[:2] / oid[2:]
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"".join([*data, packer.flush()]))
    return oid


@pytest.mark.full
def test_a_blob_of_two_gigabytes_of_zeros(world):
    blob = zeros(world, 2 << 30)
    commit(world, loose(world, "tree", tree(record_entry(world), ("100644", b"a", blob))))
    look_at_child(world)


# ---------------------------------------------------------------- index


def index(entries, count=None, version=2, more=b"", cut=None):
    data = struct.pack(">4sII", b"DIRC", version, len(entries) if count is None else count)
    for path, oid in entries:
        flags = struct.pack(">H", min(len(path), 0xFFF))
        entry = struct.pack(">10I", *[0] * 6, 0o100644, 0, 0, 0) + bytes.fromhex(oid) + flags + path
        data += entry + b"\0" * (8 - len(entry) % 8)
    data += more
    return (data + hashlib.sha1(data).digest())[:cut]


def extension(name, size, data=b""):
    return name + struct.pack(">I", size) + data


INDEXES = {
    "four-billion-entries": {"count": 0xFFFFFFFF},
    "a-million-entries": {"count": 10**6},
    "cut": {"cut": 50},
    "empty": {"cut": 0},
    "version-4-with-version-2-data": {"version": 4},
    "version-9": {"version": 9},
    "extension-longer-than-the-file": {"more": extension(b"TREE", 0xFFFFFFF0)},
    "cache-tree-of-lies": {"more": extension(b"TREE", 18, b"\x00-1 99999999999\n\0\0")},
    "cache-tree-of-children": {"more": extension(b"TREE", 12, b"\x009999 9999\n\0")},
    "names-without-end": {"more": extension(b"NAME", 3, b"abc")},
    "undo-of-lies": {"more": extension(b"REUC", 9, b"a\x00777777\0")},
    "unknown-and-needed": {"more": extension(b"zzzz", 0)},
}


@pytest.mark.turns(5)
@pytest.mark.parametrize("wrong", INDEXES.values(), ids=INDEXES)
def test_index_of_lies(world, wrong):
    blob = world.git("rev-parse", "HEAD:a")
    data = index([(b".tmplgen.yml", blob), (b"a", blob)], **wrong)
    (world.child / ".git/index").write_bytes(data)
    look_at_child(world)
    assert ends_well(world, "update", world.child) in (1, 3)


@pytest.mark.parametrize("path", [b"..", b"../x", b"/x", b".git/config", b"a" * 100000])
def test_index_with_a_path_that_no_file_can_have(world, path):
    (world.child / ".git/index").write_bytes(index([(path, world.git("rev-parse", "HEAD:a"))]))
    look_at_child(world)
    assert ends_well(world, "update", world.child) in (1, 3)


# ---------------------------------------------------------------- the folder of git


def remove(path):
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    path.parent.mkdir(parents=True, exist_ok=True)


PIPES = [
    ".git/config",
    ".git/config.worktree",
    ".git/HEAD",
    ".git/index",
    ".git/packed-refs",
    ".git/refs/heads/main",
    ".git/commondir",
    ".git/info/attributes",
    ".git/objects/info/alternates",
    ".git/objects/pack/pack-1.idx",
    ".git/shallow",
    ".git/MERGE_HEAD",
    ".git/logs/refs/heads/main",
    ".git/tmplgen/journal",
    ".git/tmplgen/lock",
    ".git",
    ".tmplgen.yml",
    ".tmplgen-matrix.yml",
    ".gitattributes",
    ".gitignore",
    "a",
]


@pytest.mark.turns(5)
@pytest.mark.parametrize("path", PIPES)
def test_pipe_that_nobody_writes_to(world, path):
    """Whoever opens it without care waits for ever."""
    remove(world.child / path)
    os.mkfifo(world.child / path)
    look_at_child(world)


LINKS = [
    "index",
    "HEAD",
    "config",
    "packed-refs",
    "refs",
    "refs/heads",
    "refs/heads/main",
    "refs/tmplgen",
    "logs",
    "logs/refs/heads",
    "objects",
    "objects/pack",
    "tmplgen",
    "tmplgen/lock",
    "tmplgen/journal",
    "tmplgen/work",
    "tmplgen/stage",
    "tmplgen/trash",
]


@pytest.mark.turns(5)
@pytest.mark.parametrize("target", ["file", "folder", "nothing"])
@pytest.mark.parametrize("path", LINKS)
def test_link_in_gits_folder_leads_nowhere_outside(world, path, target):
    """Above all it is no way to write somewhere else."""
    outside = world.folder / "outside"
    put(outside, {"file": "precious\n", "folder/file": "precious\n"})
    before = files_on_disk(outside)
    link = world.child / ".git" / path
    remove(link)
    link.symlink_to(outside / target)
    try:
        look_at_child(world)
        ends_well(world, "update", world.child)
        ends_well(world, "update", world.child, "--abort")
        after = files_on_disk(outside)
        assert {name: after[name] for name in before} == before
        if path.startswith("tmplgen"):
            assert after == before
    finally:
        shutil.rmtree(outside)


REFS = {
    "branch-that-names-nothing": ("refs/heads/main", "1" * 40 + "\n"),
    "branch-of-garbage": ("refs/heads/main", "garbage"),
    "branch-that-is-empty": ("refs/heads/main", ""),
    "branch-that-names-itself": ("refs/heads/main", "ref: refs/heads/main\n"),
    "head-that-names-nothing": ("HEAD", "ref: refs/heads/none\n"),
    "head-that-names-itself": ("HEAD", "ref: HEAD\n"),
    "head-outside": ("HEAD", "ref: ../../../etc/passwd\n"),
    "head-outside-of-refs": ("HEAD", "ref: refs/heads/../../../x\n"),
    "head-of-garbage": ("HEAD", "\1\2" * 1000),
    "head-of-a-megabyte": ("HEAD", "ref: refs/heads/" + "a" * (1 << 20)),
    "packed-refs-of-garbage": ("packed-refs", "\1garbage\n" * 100000),
    "packed-ref-outside": ("packed-refs", "1" * 40 + " refs/heads/../../../x\n"),
    "common-folder-elsewhere": ("commondir", "/etc\n"),
    "alternates-of-itself": ("objects/info/alternates", ".\n"),
    "alternates-without-end": ("objects/info/alternates", "../objects\n" * 2000),
    "alternates-elsewhere": ("objects/info/alternates", "/nonexistent\n"),
    "configuration-of-garbage": ("config", "\1[[[\n" * 1000),
    "configuration-that-includes-itself": ("config", "[include]\npath = config\n"),
    "format-of-the-far-future": ("config", "[core]\nrepositoryformatversion = 99999999999\n"),
    "journal-of-garbage": ("tmplgen/journal", "tmplgen journal 1\n" * 1000),
    "pending-of-garbage": ("tmplgen/pending", "x"),
    "abort-of-garbage": ("tmplgen/abort", "x"),
}


@pytest.mark.turns(5)
@pytest.mark.parametrize(("path", "text"), REFS.values(), ids=REFS)
def test_file_of_git_that_says_nonsense(world, path, text):
    put(world.child / ".git", {path: text})
    look_at_child(world)


def test_base_refs_that_name_nothing_do_no_harm(world):
    for path in (world.child / ".git/refs/tmplgen").rglob("*"):
        if path.is_file():
            path.write_text("1" * 40 + "\n")
    look_at_child(world)


# ---------------------------------------------------------------- the record

PWNED = "touch pwned"
RECORDS = {
    "source-that-runs-a-command": (r"source: .*", f"source: 'ext::sh -c {PWNED}'"),
    "source-that-is-an-option": (r"source: .*", f"source: '--upload-pack={PWNED}'"),
    "source-that-is-a-host-option": (r"source: .*", f"source: 'ssh://-oProxyCommand={PWNED}/x'"),
    "source-that-is-a-device": (r"source: .*", "source: /dev/zero"),
    "source-that-is-everything": (r"source: .*", "source: /"),
    "source-with-escapes": (r"source: .*", 'source: "\\e[31m\\a"'),
    "ref-that-is-an-option": (r"ref: .*", f"ref: '--output={PWNED}'"),
    "commit-of-nonsense": (r"commit: .*", "commit: 'zz'"),
    "template-elsewhere": (r"template: .*", "template: '../../..'"),
    "tree-of-nonsense": (r"tree: .*", "tree: 'x'"),
    "glob-of-many-stars": (r"yours: .*", "yours: ['" + "*a" * 120 + "b']"),
    "glob-of-many-folders": (r"yours: .*", "yours: ['" + "**/" * 100 + "zz']"),
    "anchors": (r"\Z", "x: &a [1]\ny: *a\n"),
    "deep": (r"\Z", "x: " + "[" * 5000 + "]" * 5000 + "\n"),
    "large": (r"\Z", "# " + "x" * (2 << 20)),
    "binary": (r"\A", "\1\2\3"),
    "nothing": (r"(?s).*", ""),
    "a-list": (r"(?s).*", "- a\n"),
}


@pytest.mark.turns(5)
@pytest.mark.parametrize(("pattern", "text"), RECORDS.values(), ids=RECORDS)
def test_record_of_lies(world, pattern, text):
    record = (world.child / ".tmplgen.yml").read_text()
    world.edit({".tmplgen.yml": re.sub(pattern, lambda _: text, record, count=1)})
    look_at_child(world)
    ends_well(world, "update", world.child)
    assert not list(world.folder.rglob("pwned*"))
