"""`tmplgen update`, `status` and `--check` beside copier, cruft and `git merge`."""

import shutil
import subprocess
import sys

import world
from contender import TMPLGEN, TOOLS, Contender, goal, prose, table, take_turns
from world import git

TITLE = "An update"
ABOUT = f"""
A template of {world.FILES} files, a child of 2,000, {world.CHANGED} files changed by the template,
{world.EDITED} by the user, {world.CHANGED} by both, at different places. All end with the same
files, which is checked. tmplgen commits the result, copier and cruft leave it uncommitted; the
floor is `git -c core.fsync=all merge` of the same three trees.
"""
FLOOR = "git -c core.fsync=all merge -q -m update template"


def run_in(folder, env, *command):
    done = subprocess.run(
        command,
        cwd=folder,
        env=env,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{command} failed:\n{done.stdout}")
    return done.stdout


def make_tmplgen(work, env, total):
    catalog, child = work / "catalog", work / f"tmplgen-{total}"
    if not catalog.exists():
        world.make_template(catalog, world.write_tmplgen)
    source = f"{catalog}@v1.0.0"
    run_in(
        work, env, TMPLGEN, "new", child, "--type", "plain", "--catalog", source, "--name", "bench"
    )
    world.grow(child, total)
    return child


def make_floor(work, child):
    """The same three trees: what the template was, what the child is, what the template is."""
    floor = work / f"git-{child.name}"
    shutil.copytree(child, floor, symlinks=True)
    root = git(floor, "rev-list", "--max-parents=0", "main").strip()
    git(floor, "checkout", "-q", "-b", "template", root)
    for number in range(world.FILES):
        world.write(floor / world.path_of(number), world.template_lines(number, 2, "bench"))
    git(floor, "commit", "-q", "-a", "-m", "version 2")
    git(floor, "checkout", "-q", "main")
    return floor


def make_copier(work, env):
    template, child = work / "copier-template", work / "copier-child"
    world.make_template(template, world.write_copier)
    run_in(
        work, env, TOOLS / "copier", "copy", "--defaults", "--quiet", "--vcs-ref", "v1.0.0",
        template, child,
    )  # fmt: skip
    git(child, "init", "-q")
    world.grow(child, 2000)
    return child


def make_cruft(work, env):
    template = work / "cruft-template"
    world.make_template(template, world.write_cookiecutter)
    run_in(work, env, TOOLS / "cruft", "create", "--no-input", "--checkout", "v1.0.0", template)
    child = work / "bench"
    git(child, "init", "-q")
    world.grow(child, 2000)
    return child


def copy_of(child):
    """A copy with an index that agrees with its files."""

    def prepare(folder):
        subprocess.run(["cp", "-a", f"{child}/.", folder], check=True)
        git(folder, "update-index", "-q", "--refresh")

    return prepare


def check_same(contender, folder):
    """All have to end with the template's changes and the user's."""
    for number in range(world.FILES):
        lines = world.template_lines(number, 2, "bench")
        if number % (world.FILES // world.EDITED) == 0:
            lines = lines.replace(f"line {world.LINES - 3} of", "the user's line")
        if (folder / world.path_of(number)).read_text() != lines:
            sys.exit(f"{contender.name} leaves another {world.path_of(number)}")


def against_others(rounds, work, env):
    child = make_tmplgen(work, env, 2000)
    field = [
        Contender("tmplgen update", [TMPLGEN, "update"], copy_of(child)),
        Contender("git merge", ["sh", "-c", FLOOR], copy_of(make_floor(work, child))),
        Contender(
            "cruft update",
            [TOOLS / "cruft", "update", "-y", "--checkout", "v2.0.0"],
            copy_of(make_cruft(work, env)),
        ),
        Contender(
            "copier update",
            [TOOLS / "copier", "update", "--defaults", "--quiet"],
            copy_of(make_copier(work, env)),
        ),
    ]
    take_turns(field, rounds, work, env, check_same)
    own, floor, _, copier = field
    return [
        *prose(ABOUT),
        "",
        *table(field),
        "",
        goal("80 times faster than copier", copier.fastest / own.fastest, 80, "x"),
        goal("at most 1.2 times git", own.fastest / floor.fastest, 1.2, "x", more_is_better=False),
        goal("under 32 MiB at its peak", own.megabytes, 32, "MiB", more_is_better=False),
    ], child


def looking(rounds, work, env, child):
    field = [
        Contender("tmplgen status", [TMPLGEN, "status"], where=child),
        Contender("tmplgen update --check", [TMPLGEN, "update", "--check"], where=child, code=6),
        Contender("git status", ["git", "status", "--short"], where=child),
    ]
    take_turns(field, rounds, work / "looking", env)
    return [
        "Looking only, in the same child:",
        "",
        *table(field),
        "",
        goal(
            "status at most 2.5 times git status",
            field[0].fastest / field[2].fastest,
            2.5,
            "x",
            more_is_better=False,
        ),
        goal("status under 20 ms", field[0].fastest * 1000, 20, "ms", more_is_better=False),
        goal("--check under 20 ms", field[1].fastest * 1000, 20, "ms", more_is_better=False),
    ]


def run(rounds, work, env):
    (work / "looking").mkdir()
    others, child = against_others(rounds, work, env)
    return [*others, "", *looking(rounds, work, env, child)]
