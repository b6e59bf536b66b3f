"""Shows what an update does to the disk, call by call, and leaves one that was killed at a call.

    build/venv/bin/python -m tests.update.points CASE         the calls of a run, numbered
    build/venv/bin/python -m tests.update.points CASE N       killed at call N: says where it lies
    build/venv/bin/python -m tests.update.points CASE N EIO   the same with an error at call N

CASE is one of those of cases.py: clean, conflict, staged, branch, folder, linked, ...
"""

import os
import shlex
import shutil
import sys

from ..common.program import BINARY
from .cases import CASES, build, run
from .faults import calls_of, fast_folder, fault


def show(case):
    for call in calls_of(lambda env: run(case, env)):
        paths = [os.path.relpath(path, case.top) for path in call.paths]
        print(f"{call.number:4} {call.name:10} {'  ->  '.join(paths)}")


def stop(case, at, kind):
    """The child stays as the run left it."""
    env = fault(at, kind)
    done = run(case, env)
    command = [BINARY, *case.command(case.args)]
    print(f"{kind} at call {at}: exit code {done.code}\n{done.out}{done.err}", end="")
    print(f"child:      {case.child}\njournal:    {case.git_dir}/tmplgen/journal")
    print(f"unharmed:   {case.pristine}")
    print(f"resume:     HOME={case.world.home} {shlex.join(map(str, command))}")
    settings = " ".join(f"{name}={shlex.quote(value)}" for name, value in env.items())
    print(
        f"once more:  rm -r {case.world.folder}/run; cp -a {case.pristine} {case.world.folder}/run"
    )
    print(f"            HOME={case.world.home} {settings} {shlex.join(map(str, command))}")
    print(f"at the end: rm -r {case.world.folder.parent}")


def main():
    if len(sys.argv) not in (2, 3, 4) or sys.argv[1] not in CASES:
        sys.exit(f"usage: points CASE [CALL [KIND]]; the cases are {', '.join(CASES)}")
    folder = fast_folder()
    case = build(folder, **CASES[sys.argv[1]])
    if len(sys.argv) == 2:
        show(case)
        shutil.rmtree(folder)
    else:
        stop(case, int(sys.argv[2]), sys.argv[3] if len(sys.argv) == 4 else "kill")


if __name__ == "__main__":
    main()
