"""Whether a test notices: the nearest tests of a program with a fault inside, until one fails."""

import ctypes
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time
from collections import Counter

from .make import TOP

PYTHON = TOP / "build" / "venv" / "bin" / "python"
QUICK = ("-m", "not full and not soak")
FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.M)
MOST = 12  # tests that caught others, run first
FOLDERS = ("tests/update", "tests/command")
# The cases of one turn, as CI has them: all of them take ten times as long.
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "TURNS": os.environ.get("TURNS") or "1"}
LIMIT, LIMIT_ALL = 900, 7200  # seconds, of the first stage and of each other
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1
FILE_MAX = 1 << 30
MEMORY_MAX = 8 << 30

# The unit programs that use a source, and the tests of update that stand nearest to it: both by a
# pattern of its path. The others of update come last, whatever the source.
UNIT = {
    r"apply/journal": ("test_journal",),
    r"git/odb/": ("test_odb",),
    r"git/read/tree|git/write/git_index": ("test_tree",),
    r"git/worktree/convert": ("test_convert",),
    r"plan/merge/slots": ("test_slots",),
    r"plan/": ("test_plan",),
    r"io/io": ("test_io",),
    r"git/worktree/disk_entry": ("test_disk",),
    r"git/write/ref": ("test_ref",),
}
NEAR = {
    r"apply/preflight": ("test_preflight.py",),
    r"apply/journal": ("test_order.py", "test_hostile.py"),
    r"apply/steps/(file|worktree)_swap|git/worktree/disk_entry": (
        "test_pauses.py",
        "test_order.py",
    ),
    r"apply/(recheck|apply|work_folder)|git/write/ref": ("test_between.py", "test_order.py"),
    r"apply/|git/write/ref|git/worktree/disk_entry": ("test_unreadable.py",),
    r"apply/steps/(git_state|prepare)|io/io": ("test_order.py", "test_pauses.py"),
    r"update/resume/(recover|stopped_update)": ("test_stopped.py", "test_between.py"),
    r"cmd/project/cmd_update": ("test_versions.py",),
    r"plan/": ("test_scenarios.py",),
    r"git/odb/": ("test_hostile.py",),
}
# What notices most of how an update is applied, the quick ones first.
ALL = (
    "test_stopped.py",
    "test_shapes.py",
    "test_preflight.py",
    "test_identity.py",
    "test_order.py",
    "test_pauses.py",
    "test_file_systems.py",
    "test_between.py",
    "test_unreadable.py",
    "test_faults.py",
    "test_scenarios.py",
)
LAST = {r"io/io|git/write/new_repo": ("tests/command",), r"cmd/": ("tests/command",)}
# A short look at everything, where nothing is known yet.
FIRST = (
    "tests/update/test_scenarios.py::test_scenario[S-07]",
    "tests/update/test_scenarios.py::test_scenario[S-54]",
    "tests/update/test_scenarios.py::test_scenario[S-02]",
    "tests/update/test_shapes.py::test_no_commit_leaves_it_staged",
    "tests/update/test_preflight.py::test_branch_is_made_at_head_and_updated_there",
    "tests/update/test_preflight.py::test_untracked_file_in_the_way_is_refused",
    "tests/update/test_stopped.py::test_continue_after_git_reset_is_refused",
)


def matching(table, file):
    return [name for pattern, names in table.items() if re.search(pattern, file) for name in names]


def limits():
    """A program that is wrong may write, or take, without end; and nothing outlives this one."""
    os.setsid()
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE_MAX, FILE_MAX))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MAX, MEMORY_MAX))


MEMORY = "/dev/shm"  # in a namespace of its own: gone with the run


def can_guard():
    return os.geteuid() == 0 and shutil.which("unshare")


def guarded(command):
    """With this tree read-only where the machine lets us: a mutant may remove what it likes."""
    if not can_guard():
        return command
    script = (
        'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && '
        f"mount -t tmpfs none {MEMORY} && "
        'cd "$0" && exec "$@"'
    )
    return ["unshare", "--mount", "sh", "-c", script, str(TOP), *command]


def call(command, env, seconds):
    """Exit code and output; 124 after its time, with all that it started ended."""
    with tempfile.TemporaryFile() as out:
        run = subprocess.Popen(
            guarded([str(word) for word in command]),
            cwd=TOP,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            preexec_fn=limits,
        )
        try:
            code = run.wait(seconds)
        except subprocess.TimeoutExpired:
            code = 124
        try:
            os.killpg(run.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        run.wait()
        out.seek(0)
        return code, out.read().decode(errors="replace")


class Trial:
    """
    The stages of one source: unit programs, tests that caught others, the nearest files, all. A
    test that fails without a fault, too, has noticed nothing, and is left out.
    """

    def __init__(self, compiler, killers=None, tests=()):
        self.compiler = compiler
        self.tests = set(tests)
        self.killers = killers if killers is not None else {}  # file to a Counter of tests
        self.sound, self.broken = set(), set()

    def stages(self, file):
        """Lists of words for pytest."""
        own = self.killers.get(file, Counter())
        best = [name for name, _ in own.most_common(MOST)]
        others = sum(self.killers.values(), Counter())
        best += [name for name, _ in others.most_common(MOST // 3) if name not in best]
        best += [name for name in FIRST if name not in best]
        yield [name for name in best[: 2 * MOST] if name in self.tests - self.broken]
        near = [f"tests/update/{name}" for name in matching(NEAR, file)]
        if near:
            yield [*near, *QUICK]
        rest = [f"tests/update/{name}" for name in ALL]
        yield [*(name for name in rest if name not in near), *QUICK]
        update = sorted(f"tests/update/{path.name}" for path in TOP.glob("tests/update/test_*.py"))
        yield [*(name for name in update if name not in near + rest), *QUICK]
        last = matching(LAST, file)
        if last:
            yield [*last, *QUICK]

    def pytest(self, words, program, folder, seconds):
        """The test that failed, or None. `folder` is for what the tests make."""
        command = [PYTHON, "-m", "pytest", "-q", "-x", "--no-header", "-rfE", "--tb=no"]
        command += [f"--deselect={name.removeprefix('tests/')}" for name in sorted(self.broken)]
        if not words:
            return None
        made = folder / "tmp"
        made.mkdir()
        place = MEMORY if can_guard() else made
        env = {**ENVIRONMENT, "TMPLGEN": str(program), "TMPDIR": str(place)}
        code, out = call([*command, f"--basetemp={place}/base", *words], env, seconds)
        subprocess.run(["chmod", "-R", "u+rwX", made], capture_output=True, check=False)
        shutil.rmtree(made, ignore_errors=True)
        if code == 124:
            return f"no end in {seconds} s"
        failed = FAILED.findall(out)
        if code == 1 and failed and "::" in failed[0]:
            return failed[0]
        if code not in (0, 5):  # 5: none was chosen
            raise RuntimeError(f"the tests do not run: {out[-500:]}")
        return None

    def is_sound(self, name, folder):
        """Whether a test that failed passes without the fault; looked at once."""
        if name in self.sound or "::" not in name:  # a unit program, no end
            return True
        if self.pytest([name], TOP / "build" / "tmplgen", folder, LIMIT):
            print(f"fails without a fault: {name}", flush=True)
            self.broken.add(name)
            return False
        self.sound.add(name)
        return True

    def unit(self, file, objects, folder, seconds=120):
        for name in matching(UNIT, file):
            program = self.compiler.link(f"build/unit/{name}", objects, folder)
            if program and call([program], {}, seconds)[0] != 0:
                return f"build/unit/{name}"
        return None

    def judge(self, file, objects, folder):
        """Who noticed, and after how long; (None, seconds) where nobody did."""
        start = time.monotonic()
        who = self.unit(file, objects, folder)
        if who is None:
            program = self.compiler.link("build/tmplgen", objects, folder)
            if program is None:
                return "link", 0
            for number, words in enumerate(self.stages(file)):
                limit = LIMIT_ALL if number else LIMIT
                who = self.pytest(words, program, folder, limit)
                while who and not self.is_sound(who, folder):
                    who = self.pytest(words, program, folder, limit)
                if who:
                    break
        if who:
            self.killers.setdefault(file, Counter())[who] += 1
        return who, round(time.monotonic() - start, 1)


def all_tests():
    """The names of the quick ones."""
    command = [PYTHON, "-m", "pytest", "-q", "--no-header", "--collect-only", *FOLDERS, *QUICK]
    code, out = call(command, ENVIRONMENT, 300)
    if code:
        raise RuntimeError(f"the tests cannot be collected: {out[-500:]}")
    names = [line for line in out.splitlines() if "::" in line]
    return [name if name.startswith("tests/") else f"tests/{name}" for name in names]
