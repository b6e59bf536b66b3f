"""
Ways to take a child through the versions of its template, behind one face. Each gets the same
versions and the same edits (histories.py); a conflict is resolved by one rule for all: what the
child had there stays. What was seen around each update is kept for the judge (oracle.py).
"""

import json
import re
import subprocess
from dataclasses import dataclass, field

import yaml

from ..common.program import BINARY
from ..update.evolution import VERSIONS
from ..update.world import put
from .drive import seen
from .histories import do
from .judge import said, told_paths
from .tools import BIN, LIMIT, Run

MARKS = re.compile(rb"^(<<<<<<<|\|\|\|\|\|\|\||=======|>>>>>>>)(?= |\r?$)", re.M)
STOPS = 60  # of one update: more is no progress


@dataclass
class Step:
    """What one update did."""

    version: int  # its place in VERSIONS
    code: int = 0
    told: list = field(default_factory=list)  # paths in conflict
    stops: int = 0
    before: dict = field(default_factory=dict)
    after: dict = field(default_factory=dict)  # as the update left it, markers and all
    stages: dict = field(default_factory=dict)
    out: str = ""


def childs_hunks(data, side):
    """The text with, in each conflict, only the child's lines: the first section or the last."""
    kept, section = [], None
    for line in data.splitlines(keepends=True):
        mark = MARKS.match(line)
        if mark and mark[1] == b"<<<<<<<" and section is None:
            section = "first"
        elif mark and section:
            ends = {b"|||||||": "base", b"=======": "last", b">>>>>>>": None}
            section = ends.get(mark[1], section)
        elif section in (None, side):
            kept.append(line)
    return b"".join(kept)


class Rival:
    name = ""
    how = ""
    side = "first"  # of the markers that is the child's
    stage = "2"

    def __init__(self, world, history):
        self.world, self.history = world, history
        self.child = world.folder / "child"
        self.template = world.folder / "template"
        # Tools that clone and render do so a hundred times: where the child lies, not on a disk.
        self.env = {**world.env, "NO_COLOR": "1", "COLUMNS": "200", "TMPDIR": str(world.folder)}

    def git(self, *args, check=True):
        return self.world.git(*args, cwd=self.child, check=check)

    def run(self, *args, cwd=None):
        done = subprocess.run(
            [str(arg) for arg in args],
            cwd=cwd or self.child,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=LIMIT,
            check=False,
        )
        return Run(done.returncode, done.stdout.decode(errors="replace"))

    # ------------------------------------------------------------ the template

    def make_template(self):
        """A repository with a tag for each version, of what the child's template renders."""
        self.template.mkdir()
        self.world.git("init", "-q", cwd=self.template)
        for at, version in enumerate(VERSIONS):
            self.world.git("rm", "-r", "-q", "-f", "--ignore-unmatch", ".", cwd=self.template)
            self.write(at, self.history.trees[at])
            self.world.git("add", "-A", "-f", cwd=self.template)
            self.world.git("commit", "-q", "--allow-empty", "-m", version, cwd=self.template)
            self.world.git("tag", f"v{version}", cwd=self.template)
        self.world.git("gc", "-q", cwd=self.template)

    def write(self, at, files):
        raise NotImplementedError

    def make(self):
        """The child at the first version, committed."""
        raise NotImplementedError

    def update(self, version):
        raise NotImplementedError

    # ------------------------------------------------------------ one after the other

    def edit(self, at):
        for edit in self.history.edits[at]:
            if do(self.child, edit):
                self.world.commit(edit.what, cwd=self.child)

    def go(self):
        """A Step for each version; fewer where an update was refused."""
        self.make()
        steps = []
        for at in range(1, len(VERSIONS)):
            self.edit(at - 1)
            step = self.one(at)
            steps.append(step)
            if step.out:
                break
        return steps

    def one(self, at):
        before = seen(self.world, self.child)
        step = Step(at, before=before.files)
        run = self.update(VERSIONS[at])
        while True:
            after = seen(self.world, self.child)
            told = self.told(run, before, after)
            step.code = max(step.code, run.code)
            step.told = sorted({*step.told, *told})
            step.after, step.stages = after.files, after.stages
            if run.code and not told:
                step.out = run.out[-2000:]
                return step
            step.stops += bool(told)
            self.settle(after, told)
            run = self.go_on(run)
            if run is None or step.stops >= STOPS:
                return step

    def told(self, run, before, after):
        """Paths of which the child's owner is asked what shall be."""
        return told_paths(run, before, after)

    def settle(self, after, told):
        """What the child had stays; git then sees the conflict as resolved."""
        for path in told:
            self.settle_path(path, after.stages.get(path), after.files.get(path))
        for path in list(after.files):
            if path.endswith((".rej", ".orig")) and path.rsplit(".", 1)[0] in told:
                (self.child / path).unlink(missing_ok=True)
        self.git("add", "-A")

    def settle_path(self, path, stages, now):
        target = self.child / path
        if stages is not None and self.stage not in stages:
            target.unlink(missing_ok=True)
        elif now and now[0] != "l" and MARKS.search(now[1]):
            target.write_bytes(childs_hunks(now[1], self.side))
        elif stages is not None:
            put(self.child, {path: stages[self.stage]})

    def go_on(self, _run):
        """Once all is resolved: the next stop, or None."""
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", "update")


class Tmplgen(Rival):
    strategy = ""

    def make_template(self):
        """The catalog itself."""

    def make(self):
        source = f"{self.history.catalog}@v{VERSIONS[0]}"
        words = ["--type", self.history.kind, "--catalog", source, *self.history.choices]
        done = self.run(BINARY, "new", self.child, *words, cwd=self.world.folder)
        if done.code:
            raise RuntimeError(done.out)

    def update(self, version):
        words = ["--to", f"v{version}", "--strategy", self.strategy]
        return self.run(BINARY, "update", self.child, *words)

    def go_on(self, run):
        return self.run(BINARY, "update", self.child, "--continue") if run.code == 5 else None


class Pick(Tmplgen):
    name, strategy = "tmplgen pick", "pick"
    how = "`tmplgen update`, then `--continue`"


class Merge(Tmplgen):
    name, strategy = "tmplgen merge", "merge"
    how = "`tmplgen update --strategy merge`, then `--continue`"


class Rebase(Tmplgen):
    name, strategy = "tmplgen rebase", "rebase"
    how = "`tmplgen update --strategy rebase`, then `--continue` until its end"
    stage = "3"  # as in a rebase of git, though the markers have the child first


class Git(Rival):
    name = "git merge"
    how = "the versions are commits of a branch; `git merge --no-edit VERSION`, then `git commit`"

    def write(self, at, files):
        put(self.template, files)

    def make(self):
        self.make_template()
        self.world.git("clone", "-q", self.template, self.child, cwd=self.world.folder)
        self.git("checkout", "-q", "-B", "project", f"v{VERSIONS[0]}")

    def update(self, version):
        return self.run("git", "merge", "-q", "--no-edit", f"v{version}")

    def go_on(self, run):
        if run.code:
            super().go_on(run)


class Copier(Rival):
    name = "copier"
    how = (
        "`copier update --defaults --trust` (conflicts inline, its default), then `git commit`; "
        "its template has our seeds as `_skip_if_exists`, the rename as a migration with `git mv`"
    )

    def write(self, at, files):
        settings = {
            "_subdirectory": "template",
            "_templates_suffix": ".rendered-by-copier",
            "_skip_if_exists": self.history.seeds[at],
            "_migrations": [self.migration(n) for n in range(at + 1) if self.history.renames[n]],
        }
        answers = "template/{{ _copier_conf.answers_file }}.rendered-by-copier"
        put(
            self.template,
            {
                "copier.yml": yaml.safe_dump(settings, sort_keys=False),
                answers: "{{ _copier_answers|to_nice_yaml }}",
            },
        )
        put(self.template / "template", files)

    def migration(self, at):
        moves = [
            f"if [ -e '{old}' ]; then mkdir -p \"$(dirname '{new}')\"; git mv '{old}' '{new}'; fi"
            for old, new in self.history.renames[at].items()
        ]
        command = "set -e\n" + "\n".join(moves)
        version = f"v{VERSIONS[at]}"
        return {"version": version, "when": "{{ _stage == 'before' }}", "command": command}

    def make(self):
        self.make_template()
        words = ["copy", "--defaults", "--trust", "--quiet", f"--vcs-ref=v{VERSIONS[0]}"]
        done = self.run(BIN / "copier", *words, self.template, self.child, cwd=self.world.folder)
        if done.code:
            raise RuntimeError(done.out)
        self.git("init", "-q")
        self.world.commit("Create child", cwd=self.child)

    def update(self, version):
        words = ["--defaults", "--trust", f"--vcs-ref=v{version}"]
        return self.run(BIN / "copier", "update", *words)


class Cruft(Rival):
    name = "cruft"
    how = "`cruft update -y`, then `git commit`; its template's versions have our seeds as `skip`"

    def write(self, at, files):
        settings = {"name": "child", "_copy_without_render": ["*", ".*"]}
        put(self.template, {"cookiecutter.json": json.dumps(settings)})
        put(self.template / "{{cookiecutter.name}}", files)

    def make(self):
        self.make_template()
        words = ["create", "-y", "--checkout", f"v{VERSIONS[0]}"]
        words += [word for one in self.history.seeds[0] for word in ("--skip", one)]
        done = self.run(BIN / "cruft", *words, self.template, cwd=self.world.folder)
        if done.code:
            raise RuntimeError(done.out)
        self.git("init", "-q")
        self.world.commit("Create child", cwd=self.child)

    def update(self, version):
        return self.run(BIN / "cruft", "update", "-y", "--checkout", f"v{version}")

    def told(self, run, before, after):
        """A patch that does not apply as a whole leaves nothing but a line of output."""
        return super().told(run, before, after) | {p for p in before.files if said(run, p)}


RIVALS = (Pick, Merge, Rebase, Git, Copier, Cruft)


def known_strategies(folder):
    """Of this binary: another is left out, with a word."""
    found = []
    for kind in (Pick, Merge, Rebase):
        done = subprocess.run(
            [BINARY, "update", "--strategy", kind.strategy],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if "there is no strategy" not in done.stderr:
            found.append(kind)
    return found
