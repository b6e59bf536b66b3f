"""A cold `tmplgen matrix resolve` beside `uv pip compile` of the same requirement."""

import subprocess

from contender import TMPLGEN, TOOLS, TOP, Contender, goal, prose, table, take_turns

TITLE = "Resolving a stack"
ABOUT = """
One request (`pytorch==2.13.0`, Python 3.12, driver 570, an A100) against the whole shipped matrix,
from a cold start. `uv pip compile` solves for torch and the Python packages that it requires, and
knows nothing of drivers, GPUs and images: another question of the same user.
"""
REQUEST = ["--framework", "pytorch==2.13.0", "--python", "3.12", "--driver", "570", "--gpu", "A100"]
UNIT = TOP / "build" / "unit" / "test_matrix_shipped"
REQUESTS = 1000


def many():
    """1,000 random requests in one process, in milliseconds."""
    said = subprocess.run(
        [UNIT, "--bench", str(REQUESTS)], cwd=TOP, stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    return said.strip()


def rivals(work, env):
    """uv, where it is there and reaches a package index from here."""
    wanted = work / "requirements.in"
    wanted.write_text("torch==2.13.0\n")
    command = [TOOLS / "uv", "pip", "compile", "-q", "--python-version", "3.12", str(wanted)]
    null = subprocess.DEVNULL
    try:
        done = subprocess.run(
            command,
            cwd=work,
            env=env,
            stdin=null,
            stdout=null,
            stderr=null,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [Contender("uv pip compile, cached", command)] if done.returncode == 0 else []


def run(rounds, work, env):
    others = rivals(work, env)
    field = [Contender("tmplgen matrix resolve", [TMPLGEN, "matrix", "resolve", *REQUEST]), *others]
    take_turns(field, rounds, work, env)
    own = field[0]
    return [
        *prose(ABOUT if others else f"{ABOUT} It reaches no index from here: not compared."),
        "",
        *table(field),
        "",
        goal("under 4 ms", own.fastest * 1000, 4, "ms", more_is_better=False),
        goal("under 8 MiB", own.megabytes, 8, "MiB", more_is_better=False),
        f"- 1,000 random requests in one process, all frameworks, under 1 s: {many()}",
    ]
