"""`tmplgen update --strategy rebase` and `merge` beside `git rebase --onto` and `git merge`."""

import subprocess
import sys

import world
from contender import TMPLGEN, Contender, goal, prose, table, take_turns
from part_update import FLOOR, check_same, copy_of, make_floor, make_tmplgen
from world import git

TITLE = "A rebase, and a merge"
COMMITS = 30
ABOUT = f"""
{COMMITS} commits of the user's over a template of {world.FILES} files, in a child of 2,000: the
first adds the user's own files and edits {world.EDITED} of the template's, each other one changes
two and two of them; {world.CHANGED} files are changed by the template, too, at other places. All
end with the same files and as many commits, which is checked. git replays the same commits from the
same first one, once as it is set up by default and once as durable as tmplgen.
"""
MERGE = """
The same template's new version, merged into a child of 2,000 files with one commit of the user's
(the child of the part above).
"""
MISSING = "Not measured: this tmplgen has no strategy `{}`."


def has_strategy(work, name):
    done = subprocess.run(
        [TMPLGEN, "update", work, "--strategy", name], capture_output=True, text=True, check=False
    )
    return "there is no strategy" not in done.stderr


def work_on(child):
    """The commits that are replayed, after the one with all the user's own files."""
    for number in range(1, COMMITS):
        for path in (world.path_of(number * 5), world.path_of(number * 5 + 1)):
            lines = (child / path).read_text().splitlines()
            lines[-1] = f"the user's last line, of commit {number}"
            world.write(child / path, "\n".join(lines) + "\n")
        for own in (number, 900 + number):
            path = child / f"own{own // 100:04}" / f"own{own:06}.txt"
            world.write(path, path.read_text() + f"commit {number}\n")
        git(child, "commit", "-q", "-a", "-m", f"work {number}")
    git(child, "gc", "-q")


def rebase_of(child, *settings):
    root = git(child, "rev-list", "--max-parents=0", "main").strip()
    return ["git", *settings, "rebase", "-q", "--onto", "template", root, "main"]


def same_as(wanted):
    """Every contender has to end with the files of the first of all, and keep every commit."""

    def check(contender, folder):
        git(folder, "diff", "--quiet", "HEAD")
        names = git(folder, "ls-tree", "-r", "HEAD").splitlines()
        found = [line for line in names if not line.endswith("\t.tmplgen.yml")]
        if wanted.setdefault("files", found) != found:
            sys.exit(f"{contender.name} leaves other files")
        # git has the template's two versions below, tmplgen only the new one.
        own = git(folder, "log", "--format=%s", "--grep=^work ", "--grep=^the user's").splitlines()
        if len(own) != COMMITS:
            sys.exit(f"{contender.name} leaves {len(own)} of {COMMITS} commits")

    return check


def rebase(rounds, work, env):
    if not has_strategy(work, "rebase"):
        return [MISSING.format("rebase")]
    child = make_tmplgen(work, env, 2000)
    work_on(child)
    floor = make_floor(work, child)
    durable = ("-c", "core.fsync=all")
    field = [
        Contender(
            "tmplgen update --strategy rebase",
            [TMPLGEN, "update", "--strategy", "rebase"],
            copy_of(child),
        ),
        Contender("git rebase --onto", rebase_of(floor), copy_of(floor)),
        Contender("git rebase --onto, durable", rebase_of(floor, *durable), copy_of(floor)),
    ]
    take_turns(field, rounds, work, env, same_as({}))
    own, plain, _ = field
    return [
        *prose(ABOUT),
        "",
        *table(field),
        "",
        goal("6 times faster than git rebase --onto", plain.fastest / own.fastest, 6, "x"),
        goal("under 64 MiB at its peak", own.megabytes, 64, "MiB", more_is_better=False),
    ]


def merge(rounds, work, env):
    if not has_strategy(work, "merge"):
        return [MISSING.format("merge")]
    child = make_tmplgen(work, env, 2000)
    floor = make_floor(work, child)
    command = [TMPLGEN, "update", "--strategy", "merge"]
    field = [
        Contender("tmplgen update --strategy merge", command, copy_of(child)),
        Contender("git merge", ["sh", "-c", FLOOR], copy_of(floor)),
    ]
    take_turns(field, rounds, work, env, check_same)
    own, plain = field
    return [
        *prose(MERGE),
        "",
        *table(field),
        "",
        goal("at most 1.2 times git", own.fastest / plain.fastest, 1.2, "x", more_is_better=False),
        goal("under 32 MiB at its peak", own.megabytes, 32, "MiB", more_is_better=False),
    ]


def run(rounds, work, env):
    parts = [work / "rebase", work / "merge"]
    for part in parts:
        part.mkdir()
    return [*rebase(rounds, parts[0], env), "", *merge(rounds, parts[1], env)]
