"""How `tmplgen update` and `status` grow with the child, beside `git merge` and `git status`."""

import shutil

from contender import TMPLGEN, Contender, prose, take_turns
from part_update import FLOOR, copy_of, make_floor, make_tmplgen

TITLE = "Larger children"
ABOUT = """
The same update in children of more files of their own; the fastest of the rounds.
"""
TOTALS = (2000, 20000, 100000)


def row(total, rounds, work, env):
    child = make_tmplgen(work, env, total)
    field = [
        Contender("tmplgen update", [TMPLGEN, "update"], copy_of(child)),
        Contender("git merge", ["sh", "-c", FLOOR], copy_of(make_floor(work, child))),
        Contender("tmplgen status", [TMPLGEN, "status"], where=child),
        Contender("git status", ["git", "status", "--short"], where=child),
    ]
    folder = work / f"rounds-{total}"
    folder.mkdir()
    take_turns(field, rounds, folder, env)
    shutil.rmtree(folder)
    times = " | ".join(f"{one.fastest * 1000:.1f} ms" for one in field)
    return f"| {total:,} | {times} | {field[0].megabytes:.1f} MiB |"


def run(rounds, work, env):
    return [
        *prose(ABOUT),
        "",
        "| files | tmplgen update | git merge | tmplgen status | git status | peak of update |",
        "| --- | --- | --- | --- | --- | --- |",
        *(row(total, rounds, work, env) for total in TOTALS),
    ]
