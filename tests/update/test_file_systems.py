"""
`new` and `update` where the file system lacks something: no flags of rename, no hard links, no
chmod. The promises are the same: killed anywhere, failing anywhere.
"""

import ctypes
import errno
import mmap
import os
from dataclasses import dataclass
from functools import partial

import pytest

from .cases import CASES, Case, again, in_cases, run
from .faults import calls_of, fault, shim, sizes
from .mounts import LACKS, LIBC, Remounted, mounted
from .places import KINDS, Place, fail_new, kill_new
from .scenarios import lines
from .sweeps import (
    ENDINGS,
    RECOVERIES,
    Reference,
    args_of,
    assert_fsck,
    assert_users_files,
    count_commits,
    fail_ending,
    fail_everywhere,
    fill_disk_everywhere,
    is_pending,
    kill_ending,
    kill_everywhere,
    kill_twice,
    solve,
)
from .world import put

# Where an update is refused before it touches anything, and what it says.
REFUSED = {"neither": "neither hard links nor a rename that overwrites nothing"}
POOR = [kind for kind in LACKS if kind != "plain" and kind not in REFUSED]


# ---------------------------------------------------------------- the fake itself

EXCHANGE, NOREPLACE = 2, 1
AT_FDCWD = -100


def call(function, *args):
    """0, or the name of the error."""
    rc = function(*[os.fsencode(a) if isinstance(a, os.PathLike) else a for a in args])
    return errno.errorcode[ctypes.get_errno()] if rc < 0 else 0


def sync_folder(folder):
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        return call(LIBC.fsync, fd)
    finally:
        os.close(fd)


def answers(folder):
    """What each of the calls that may be lacking says."""
    a, b, c, d, x = (folder / name for name in "abcdx")
    for path in (a, b, x):
        path.write_text(path.name)
    found = {
        "exchange": call(LIBC.renameat2, AT_FDCWD, a, AT_FDCWD, b, EXCHANGE),
        "noreplace": call(LIBC.renameat2, AT_FDCWD, a, AT_FDCWD, c, NOREPLACE),
        "over": call(LIBC.renameat2, AT_FDCWD, x, AT_FDCWD, b, NOREPLACE),
        "link": call(LIBC.link, b, d),
        "fsync of a folder": sync_folder(folder),
        "chmod": call(LIBC.chmod, b, 0o600),
        "times": call(LIBC.utimensat, AT_FDCWD, b, None, 0),
    }
    assert (a.exists(), c.exists()) == ((False, True) if not found["noreplace"] else (True, False))
    assert b.read_text() == ("b" if found["exchange"] else "a")
    assert x.read_text() == "x"
    assert (b.stat().st_mode & 0o666 == 0o600) == (not found["chmod"])
    try:
        found["other case"] = (folder / "B").read_text()
    except FileNotFoundError:
        found["other case"] = None
    return {**found, "one inode": d.stat().st_ino == b.stat().st_ino if d.exists() else None}


def work_as_usual(folder):
    """All that no file system lacks."""
    folder.mkdir()
    (folder / "first").write_text("0123456789")
    with (folder / "first").open("ab") as file:
        file.write(b"tail")
        os.fsync(file.fileno())
    with (folder / "first").open("r+b") as file:
        file.truncate(4)
        file.seek(0, os.SEEK_END)
        file.write(b"tail")
    (folder / "second").write_text("second")
    os.rename(folder / "first", folder / "second")
    (folder / "link").symlink_to("second")
    (folder / "run").touch(mode=0o755)
    (folder / "sub/deep").mkdir(parents=True)
    os.rename(folder / "second", folder / "sub/deep/third")
    os.rename(folder / "sub/deep", folder / "deep")
    (folder / "sub").rmdir()
    with pytest.raises(FileExistsError):
        os.open(folder / "run", os.O_CREAT | os.O_EXCL | os.O_WRONLY)
    with (folder / "deep/third").open("rb") as file:
        os.unlink(folder / "link")
        with mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ) as mapped:
            assert mapped[:] == b"0123tail"
    assert sorted(os.listdir(folder)) == ["deep", "run"]
    assert (folder / "run").stat().st_mode & 0o700 == 0o700


ORDINARY = {
    **dict.fromkeys(("exchange", "noreplace", "link", "fsync of a folder", "chmod", "times"), 0),
    "over": "EEXIST",  # the kernel says so before it asks
    "one inode": True,
    "other case": None,
}
LACKING = {
    "norename": {"exchange": "EINVAL", "noreplace": "EINVAL"},
    "noexchange": {"exchange": "EINVAL"},
    "nolink": {"link": "EPERM", "one inode": None},
    "nolink=95": {"link": "ENOTSUP", "one inode": None},
    "linkino": {"one inode": False},
    "nochmod": {"chmod": "EPERM"},
    "noutimens": {"times": "EPERM"},
    "nofsyncdir": {"fsync of a folder": "EINVAL"},
    "nocase": {"other case": "a"},
}


@pytest.mark.parametrize("kind", LACKS)
def test_the_file_system_lacks_what_it_says_and_nothing_else(kind, tmp_path):
    (tmp_path / "before").write_text("before\n")
    device = tmp_path.stat().st_dev
    expected = dict(ORDINARY)
    for switch in LACKS[kind]:
        expected |= LACKING[switch]
    with mounted(tmp_path, *LACKS[kind]):
        assert tmp_path.stat().st_dev != device
        assert (tmp_path / "before").read_text() == "before\n"
        assert answers(tmp_path) == expected
        work_as_usual(tmp_path / "work")
    assert tmp_path.stat().st_dev == device
    assert (tmp_path / "work/deep/third").read_text() == "0123tail"


# ---------------------------------------------------------------- update


@dataclass
class MountedCase(Case):
    """A case whose copies lie on a file system that lacks something."""

    mount: Remounted = None

    def fresh(self):
        self.mount.fill(super().fresh)


@pytest.fixture
def there(cases, kind, name):
    """A case whose copies lie on such a file system, and what it comes to on an ordinary one."""
    case = cases.get(name)
    reference, mount = Reference(case), Remounted(case.world.folder / "run", LACKS[kind])
    yield MountedCase(**vars(case), mount=mount), reference
    mount.close()
    case.clear()


def settle(case):
    """As solve() does, without chmod."""
    (case.child / "edited").write_text(lines(20, {15: "both"}))
    case.world.git("add", "edited", cwd=case.child)


def check_ways(case, reference):
    """Updated and, where it stops, gone back and gone on: to what it is on any file system."""
    reference.case = case
    done = run(case)
    assert done.code == (5 if case.conflict else 0), done.out + done.err
    reference.assert_new()
    assert_users_files(case)
    assert_fsck(case)
    locks = [path for path in case.leftovers() if path.endswith(".lock")]
    assert locks == []
    if not is_pending(case):
        assert case.leftovers() == []
        return
    done = again(case, None, "--abort")
    assert done.code == 0, done.out + done.err
    reference.assert_old()
    assert case.leftovers() == []
    run(case)
    settle(case)
    done = again(case, None, "--continue")
    assert done.code == 0, done.out + done.err
    assert case.world.git("status", "--porcelain", "-uno", cwd=case.top) == ""
    assert count_commits(case) == reference.commits() + 1
    assert_users_files(case)
    assert_fsck(case)
    assert case.leftovers() == []


@pytest.mark.turns(6)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["plain", *POOR])
def test_A4_update_comes_to_the_same_on_any_file_system(there):
    check_ways(*there)


@pytest.mark.parametrize("name", ["clean", "linked-conflict"])
@pytest.mark.parametrize("kind", REFUSED)
def test_A4_update_without_a_way_around_is_refused_and_touches_nothing(kind, there):
    case, reference = there
    done = run(case)
    assert done.code in (1, 3), done.out
    assert REFUSED[kind] in done.error["message"]
    reference.case = case
    reference.assert_old()
    assert case.leftovers() == []
    assert_users_files(case)
    assert_fsck(case)


@pytest.mark.parametrize("way", ["forward", "backward"])
@pytest.mark.parametrize(("kind", "name"), [("noexchange", "clean")])
def test_A4_written_into_between_the_two_renames_of_an_exchange_goes_back_to_its_place(there, way):
    """The editor had the file open; the run was killed while the path was empty."""
    case, _ = there
    calls = calls_of(lambda env: run(case, env))
    first = next(c for c in calls if c.paths[0] == str(case.child / "edited"))
    run(case, fault(first.number + 1, "kill"))
    assert not (case.child / "edited").exists()
    with open(first.paths[1], "a") as file:
        file.write("saved just now\n")
    again(case, None, *args_of(case, way))
    assert (case.child / "edited").read_text().endswith("saved just now\n")
    assert_users_files(case)
    assert case.leftovers() == []


@pytest.mark.parametrize("way", RECOVERIES)
@pytest.mark.parametrize(("kind", "name"), [("noexchange", "clean")])
def test_A4_killed_between_the_renames_of_an_exchange(there, way):
    case, reference = there
    reference.case = case
    calls = calls_of(lambda env: run(case, env))
    first = next(c.number for c in calls if c.paths[0] == str(case.child / "edited"))
    for at in (first + 1, first + 2):
        run(case, fault(at, "kill"))
        RECOVERIES[way](case, reference)


def failing(call, number):
    return {"LD_PRELOAD": str(shim("failcall")), "FAILCALL": call, "FAILCALL_ERRNO": str(number)}


@pytest.mark.turns(4)
@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL])
@in_cases("clean", "conflict")
def test_A4_update_without_locks_is_refused_and_says_why(number, case):
    reference = Reference(case)
    done = run(case, failing("flock", number))
    assert (done.code, done.error["code"]) == (3, "file-system"), done.out
    assert "this file system has no locks" in done.error["message"]
    assert "another file system" in done.error["hint"]
    reference.assert_old()
    assert case.leftovers() == []


@pytest.mark.turns(3)
@pytest.mark.parametrize("number", [errno.EMLINK, errno.EPERM, errno.EOPNOTSUPP])
@in_cases("clean", "conflict")
def test_A4_update_where_a_file_can_have_no_more_links(number, case):
    reference = Reference(case)
    done = run(case, failing("linkat", number))
    assert done.code == (5 if case.conflict else 0), done.out
    reference.assert_new()
    assert_users_files(case)
    done = again(case, None, "--abort")
    assert done.code == (0 if case.conflict else 3), done.out
    if case.conflict:
        reference.assert_old()
    assert case.leftovers() == []


def kill_after(case, size):
    kill_everywhere(case, size, after=True)


FAULTS = {
    "killed": kill_everywhere,
    "killed-after": kill_after,
    "killed-again": kill_twice,
    "full": fill_disk_everywhere,
    **{error: partial(fail_everywhere, kind=error) for error in ("EIO", "ENOSPC", "EACCES")},
}


@sizes(few=(6, 1), sample=(6, 8), every=200)
@pytest.mark.parametrize("what", FAULTS)
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", POOR)
def test_fault_on_any_file_system(there, what, size):
    FAULTS[what](there[0], size)


@sizes(sample=(5, 4))
@pytest.mark.parametrize("fails", [False, True], ids=["killed", "EIO"])
@pytest.mark.parametrize(("name", "word", "prepare"), ENDINGS.values(), ids=ENDINGS)
@pytest.mark.parametrize("kind", POOR)
def test_ending_on_any_file_system(there, word, prepare, fails, size):
    prepare = settle if prepare is solve else prepare
    if fails:
        fail_ending(there[0], size, word, prepare, "EIO")
    else:
        kill_ending(there[0], size, word, prepare)


# ---------------------------------------------------------------- where modes say nothing

TOOLS = {"a": lines(20), "run.sh": ("x", "#!/bin/sh\n"), "b": lines(9), "old.sh": ("x", "old\n")}
NEWER = {
    "a": lines(20, {15: "theirs"}),
    "run.sh": ("x", "#!/bin/sh\nset -e\n"),
    "b": ("x", lines(9)),
    "new.sh": ("x", "new\n"),
    "new": "new\n",
}


def modes(world, child=None):
    listed = world.git("ls-files", "-s", cwd=child).splitlines()
    return {line.split("\t")[1]: line[:6] for line in listed}


def as_it_is(world):
    return modes(world), world.read("a"), world.git("rev-parse", "HEAD")


@pytest.mark.parametrize("mine", [{3: "mine"}, {15: "mine"}], ids=["clean", "conflict"])
def test_update_where_every_file_looks_executable(world, mine):
    """FAT, exFAT, what Windows shares: git is told that modes do not count (core.fileMode)."""
    world.child = world.folder / "disk" / "child"
    world.child.parent.mkdir()
    plain = world.folder / "plain"
    with mounted(world.child.parent, "anymode"):
        world.release("1.0.0", TOOLS)
        world.new()
        assert os.access(world.child / "a", os.X_OK)
        assert world.git("config", "core.fileMode") == "false"
        world.edit({"a": lines(20, mine)})
        world.git("clone", "-q", world.child, plain)
        world.release("1.1.0", NEWER)
        before = (
            modes(world),
            (world.child / "a").read_text(),
            world.git("rev-parse", "HEAD"),
        )
        there, here = world.update(), world.update(child=plain)
        assert (there.code, there.paths) == (here.code, here.paths)
        assert modes(world) == modes(world, plain)
        assert modes(world)["b"] == modes(world)["new.sh"] == "100755"
        assert modes(world)["new"] == modes(world)["a"] == "100644"
        if there.code == 0:
            assert world.git("status", "--porcelain") == ""
            return
        assert world.update("--abort").code == 0
        assert as_it_is(world) == before and world.git("status", "--porcelain") == ""
        world.update()
        put(world.child, {"a": "both\n"})
        world.git("add", "a")
        assert world.update("--continue").code == 0
        assert world.git("status", "--porcelain") == ""


# ---------------------------------------------------------------- new


class MountedPlace(Place):
    """Where a child is made, on a file system that lacks something; at first on an ordinary one."""

    def __init__(self, folder, name):
        self.mount = Remounted(folder / "w" / "place", None)
        super().__init__(folder, name)

    def prepare(self):
        self.mount.fill(super().prepare)


@pytest.fixture
def place(fast, kind, name):
    made = MountedPlace(fast, name)
    made.mount.switches = LACKS[kind]
    yield made
    made.mount.close()


each_name = pytest.mark.parametrize("name", KINDS)


@pytest.mark.turns(5)
@each_name
@pytest.mark.parametrize("kind", LACKS)
def test_A4_new_comes_to_the_same_on_any_file_system(place):
    done = place.run(None)
    assert done.code == 0, done.out + done.err
    assert place.state() == place.new
    assert place.staging() == []
    place.assert_sound()


@pytest.mark.parametrize(("kind", "name"), [("norename", "here")])
def test_A4_new_that_cannot_end_a_move_by_two_names_takes_it_back(place):
    calls = calls_of(place.run)
    moves = [c for c in calls if c.name == "unlinkat" and "/.git/" not in c.paths[0]]
    assert moves
    for move in moves:
        done = place.run(fault(move.number, "EACCES"))
        assert done.code == 1 and done.error["message"], done.out
        assert (place.state(), place.staging()) == (place.old, [])


@sizes(sample=(5, 3))
@each_name
@pytest.mark.parametrize("kind", LACKS)
def test_new_killed_on_any_file_system(place, size):
    kill_new(place, size)


@sizes(sample=(5, 3))
@pytest.mark.parametrize("error", ["EIO", "ENOSPC", "EACCES"])
@each_name
@pytest.mark.parametrize("kind", LACKS)
def test_new_failing_on_any_file_system(place, error, size):
    fail_new(place, size, error)
