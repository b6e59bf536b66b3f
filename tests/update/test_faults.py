"""
Killed at any point, out of space, failing anywhere: the branch is old or new, the user's files are
byte for byte what they were, and a later run or `--abort` finishes the job.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .cases import again, build, each_case, in_cases, run
from .faults import calls_of, count_calls, fault, sample, sizes
from .sweeps import (
    Reference,
    assert_fsck,
    assert_users_files,
    check_error,
    each_ending,
    fail_ending,
    fail_everywhere,
    fill_disk_everywhere,
    kill_ending,
    kill_everywhere,
    kill_points,
    kill_twice,
)

ERRORS = ["EIO", "ENOSPC", "EACCES", "EMFILE", "EINTR", "short"]


@sizes(few=(5, 7), sample=(30, 8))
@each_case
def test_killed_anywhere(case, size):
    kill_everywhere(case, size)


@sizes()
@each_case
def test_killed_after_any_call(case, size):
    kill_everywhere(case, size, after=True)


@sizes(few=(4, 3), sample=(20, 6), every=2000)
@each_case
def test_killed_again_in_recovery(case, size):
    kill_twice(case, size)


# ---------------------------------------------------------------- errors


@sizes(few=(8, 6), sample=(22, 12))
@pytest.mark.parametrize("kind", ERRORS)
@each_case
def test_error_anywhere(case, size, kind):
    fail_everywhere(case, size, kind)


@in_cases("branch-conflict", "merge-conflict", "rebase-conflict")
def test_error_at_what_is_prepared(case):
    """Texts of refs, the index, the message: without one of them nothing begins."""
    reference, texts = Reference(case), {}
    for call in calls_of(lambda env: run(case, env)):
        path = Path(call.paths[0])
        if path.parent.name == "work" and not path.name.startswith("pack-"):
            texts.setdefault(path.name, []).append(call.number)
    head = {"head.new", "head.old"}
    known = {"merge": {"mode"}, "pick": {*head, "tip.new"}, "rebase": head}
    assert {"pick", "message", *known[case.strategy]} <= set(texts)
    for numbers in texts.values():
        check_error(case, reference, run(case, fault(sample(numbers, 1)[0], "EIO")))


@sizes(sample=(22, 6), every=100)
@pytest.mark.parametrize("kind", ["EIO", "EROFS"])
@each_case
def test_error_that_stays(case, size, kind):
    """Going back fails, too: then the journal stays, and `--abort` goes back later."""
    fail_everywhere(case, size, kind, FAILN_FROM="1")


@in_cases("clean")
def test_short_writes_change_nothing(case):
    reference = Reference(case)
    for at in kill_points(case, 5):
        assert run(case, fault(at, "short", FAILN_FROM="1")).code == 0
        reference.assert_new()


@sizes(few=(6, 3), sample=(40, 6))
@each_case
def test_full_disk(case, size):
    fill_disk_everywhere(case, size)


@in_cases("conflict", "staged", "branch-conflict", "merge-conflict", "merge-staged")
def test_abort_needs_no_disk_space(case):
    reference = Reference(case)
    run(case)
    done = again(case, fault(1, "full", FAILN_FROM="1"), "--abort")
    assert done.code == 0, done.out
    reference.assert_old()


# ---------------------------------------------------------------- continue and abort


@sizes(few=(3, 6), sample=(22, 6))
@each_ending
def test_ending_killed(case, ending, prepare, size):
    kill_ending(case, size, ending, prepare)


@sizes(few=(8, 4), sample=(30, 5))
@pytest.mark.parametrize("kind", ERRORS)
@each_ending
def test_ending_with_error(case, ending, prepare, size, kind):
    fail_ending(case, size, ending, prepare, kind)


# ---------------------------------------------------------------- the proof itself

CHANGING = {
    *("rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "mkdir"),
    *("mkdirat", "rmdir", "fsync", "fdatasync", "ftruncate", "truncate", "fchmod", "chmod"),
    *("fchmodat", "fchown", "fchownat", "symlink", "symlinkat", "creat", "pwrite64", "writev"),
    *("pwritev", "fallocate", "utimensat", "utimes", "mknodat", "copy_file_range", "setxattr"),
    *("fsetxattr", "sync", "syncfs", "io_uring_setup"),
}
WRITING = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")


def changes_something(line: str) -> bool:
    found = re.match(r"(?:\d+ +)?(\w+)\((.*)", line)
    if not found:
        return False
    call, rest = found.groups()
    if call in ("open", "openat", "openat2"):
        return bool(WRITING.search(rest)) and "/dev/null" not in rest
    if call == "write":
        return int(rest.split(",")[0]) > 2
    if call == "mmap":
        return "MAP_SHARED" in rest and "PROT_WRITE" in rest
    return call in CHANGING


@pytest.mark.turns(3)
@pytest.mark.full
@pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
@each_case
def test_no_call_that_changes_a_file_escapes_the_shim(case):
    """What the kernel sees of the process is what is counted, call by call."""
    total = count_calls(lambda env: run(case, env))
    case.fresh()
    log = case.world.folder / "trace"
    names = ",".join(sorted(CHANGING | {"open", "openat", "openat2", "write", "mmap"}))
    prefix = ("strace", "-f", "-o", log, "-e", f"trace={names}")
    case.world.tmplgen(*case.command(case.args), prefix=prefix)
    seen = [line for line in log.read_text().splitlines() if changes_something(line)]
    assert len(seen) == total, seen


# ---------------------------------------------------------------- a real disk


def fill(path):
    """Until there is no space at all."""
    with open(path, "ab", buffering=0) as file:
        try:
            while file.write(b"\0" * 4096):
                pass
        except OSError:
            return


@pytest.mark.full
@pytest.mark.parametrize("conflict", [False, True], ids=["clean", "conflict"])
def test_update_on_a_real_disk_without_space(tmp_path, conflict):
    """A file system of 2 MiB with less and less left: done, or all as it was; --abort works."""
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("needs to mount a file system")
    try:
        case = build(disk, conflict)
        reference, codes = Reference(case), set()
        for left in (0, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256):
            case.fresh()
            filler = disk / "filler"
            free = shutil.disk_usage(disk).free
            filler.write_bytes(b"\0" * max(free - left * 1024, 0))
            done = again(case, None)
            codes.add(done.code)
            assert_users_files(case)
            if done.code == 1:
                reference.assert_old()
            else:
                reference.assert_new()
                if conflict:
                    fill(filler)
                    assert again(case, None, "--abort").code == 0
                    reference.assert_old()
            filler.unlink()
            assert_fsck(case)
        assert codes == {1, 5 if conflict else 0}
    finally:
        subprocess.run(["umount", disk], check=True)
