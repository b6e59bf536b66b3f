"""
The three tools behind one face: how each writes a template, makes a child, updates it, and is told
that a conflict is solved. Each is run as its documentation says, by its command.
"""

import glob
import json
import re
import subprocess
import sys
from pathlib import Path

import yaml

from ..common.program import BINARY
from ..update.world import put
from .judge import Run

TOP = Path(__file__).resolve().parents[2]
BIN = TOP / "build" / "peers-venv" / "bin"
LIMIT = 120  # seconds for a run


class Tool:
    """`lacks` are the features of cases.py that the tool has no way to ask for."""

    name = ""
    record = ""
    lacks = frozenset()
    how = ""  # what was chosen, for the report

    def __init__(self, world, case):
        self.world = world
        self.case = case
        self.versions = []
        self.source = world.catalog
        self.child = world.child

    def run(self, *args, cwd=None):
        try:
            done = subprocess.run(
                [str(arg) for arg in args],
                cwd=cwd or self.child,
                env={**self.world.env, "NO_COLOR": "1", "COLUMNS": "200"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=LIMIT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return Run(124, f"no end after {LIMIT} s")
        return Run(done.returncode, done.stdout.decode(errors="replace"))

    # ------------------------------------------------------------ the template

    def release(self, version, files, manifest):
        """One version of the template, in its repository, with a tag."""
        self.source.mkdir(exist_ok=True)
        if not (self.source / ".git").exists():
            self.world.git("init", "-q", cwd=self.source)
        else:
            self.world.git("rm", "-r", "-q", "-f", "--ignore-unmatch", ".", cwd=self.source)
        self.write(version, files, manifest)
        self.world.git("add", "-A", "-f", cwd=self.source)
        self.world.git("commit", "-q", "--allow-empty", "-m", version, cwd=self.source)
        self.world.git("tag", f"v{version}", cwd=self.source)
        self.versions.append(version)

    def write(self, version, files, manifest):
        raise NotImplementedError

    # ------------------------------------------------------------ the child

    def make(self):
        """The child, committed."""
        self.child.parent.mkdir(parents=True, exist_ok=True)
        done = self.create()
        if done.code:
            raise RuntimeError(f"{self.name} made no child: {done.out}")
        top = self.world.git("rev-parse", "--show-toplevel", cwd=self.child, check=False)
        if top.returncode:
            self.world.git("init", "-q", cwd=self.child)
        self.world.commit("Create child", cwd=self.child)

    def create(self):
        raise NotImplementedError

    def update_command(self, options):
        """None where the tool cannot be asked for this."""
        raise NotImplementedError

    def update(self, options):
        command = self.update_command(options)
        if command is None:
            return Run(1, "there is no option for it", possible=False)
        done = self.run(*command)
        done.possible = not self.case.needs & self.lacks
        return done

    def keep(self, globs):
        """Paths that are the child's alone."""

    def settle(self):
        """What stands in the files is the solution."""
        self.world.git("add", "-A", cwd=self.child)
        self.world.git("commit", "-q", "--no-verify", "-m", "update", cwd=self.child, check=False)

    def abort(self):
        """As copier's documentation says; cruft's says nothing."""
        self.world.git("reset", "-q", "--hard", cwd=self.child)
        self.world.git("clean", "-q", "-f", "-d", cwd=self.child)
        return Run(0)


class Tmplgen(Tool):
    name = "tmplgen"
    record = ".tmplgen.yml"
    how = "`tmplgen update`"

    def write(self, version, files, manifest):
        put(
            self.source,
            {
                "catalog.yml": f"name: demo\nversion: {version}\n",
                "templates/app/template.yml": manifest,
            },
        )
        put(self.source / "templates/app/files", files)
        (self.source / "templates/app/files").mkdir(exist_ok=True)

    def create(self):
        given = [
            word for key, value in self.case.answers.items() for word in ("--set", f"{key}={value}")
        ]
        command = ["new", self.child, "--type", "app", "--catalog", self.source, *given]
        if self.child.parent != self.world.folder:
            command.append("--commit")
        return self.run(BINARY, *command, cwd=self.world.folder)

    def update_command(self, options):
        command = [BINARY, "update", "."]
        for key, value in options.get("set", {}).items():
            command += [
                "--set",
                f"{key}={str(value).lower() if isinstance(value, bool) else value}",
            ]
        if "to" in options:
            command += ["--to", f"v{options['to']}"]
        if "restore" in options:
            command += ["--restore", options["restore"]]
        if "branch" in options:
            command += ["--branch", options["branch"]]
        if "source" in options:
            command += ["--catalog", self.world.folder / options["source"]]
        return command

    def keep(self, globs):
        text = (self.child / self.record).read_text()
        listed = "yours:\n" + "".join(f'  - "{one}"\n' for one in globs)
        put(self.child, {self.record: text.replace("yours: []\n", listed)})

    def settle(self):
        self.world.git("add", "-A", cwd=self.child)
        self.run(BINARY, "update", "--continue")
        super().settle()

    def abort(self):
        return self.run(BINARY, "update", "--abort")


def named(path, manifest, prefix=""):
    """A file's name in the template: a condition of a row of `files` goes into it."""
    for row in manifest.get("files", []):
        if "when" in row and row["match"] == path:
            return "{% if " + prefix + row["when"] + " %}" + path + "{% endif %}"
    return path


class Copier(Tool):
    name = "copier"
    record = ".copier-answers.yml"
    lacks = frozenset(
        {"managed", "merge: lines", "restore", "a new source", "look at what was merged"}
    )
    how = (
        "`copier update --defaults --trust` (conflicts inline, its default); `seed` is "
        "`_skip_if_exists`, `yours:` is `--exclude`, a declared rename is a migration with "
        "`git mv` before the update, a renamed answer one with `sed`"
    )

    def write(self, version, files, manifest):
        manifest = yaml.safe_load(manifest)
        settings = {
            "_subdirectory": "template",
            "_templates_suffix": ".j2",
            "_envops": {"keep_trailing_newline": True},
            "name": {"type": "str", "default": "child"},
        }
        seeds = [r["match"] for r in manifest.get("files", []) if r.get("policy") == "seed"]
        if seeds:
            settings["_skip_if_exists"] = seeds
        if "migrations" in manifest:
            settings["_migrations"] = self.migrations(version, manifest)
        for question in manifest.get("questions", []):
            settings[question["name"]] = self.question(question)
        put(
            self.source,
            {
                "copier.yml": yaml.safe_dump(settings, sort_keys=False),
                "template/{{ _copier_conf.answers_file }}.j2": "{{ _copier_answers|to_nice_yaml }}",
            },
        )
        put(self.source / "template", {named(p, manifest): text for p, text in files.items()})

    @staticmethod
    def question(question):
        made = {"type": "str" if question["type"] == "choice" else question["type"]}
        made |= {key: question[key] for key in ("default", "choices") if key in question}
        if "when" in question:
            made["when"] = "{{ " + question["when"] + " }}"
        return made

    def migrations(self, version, manifest):
        made = []
        for one in manifest["migrations"]:
            words = [
                f"sed -i 's/^{old}:/{new}:/' {self.record}"
                for old, new in one.get("rename_answers", {}).items()
            ]
            files = one.get("rename_files", {})
            for number, old in enumerate(files):
                words.append(f"if [ -f '{old}' ]; then git mv '{old}' 'moving-{number}'; fi")
            for number, (old, new) in enumerate(files.items()):
                taken = f"[ -e '{new}' ] || ! mkdir -p \"$(dirname '{new}')\""
                words.append(
                    f"if [ -f 'moving-{number}' ]; then if {taken}; then git mv 'moving-{number}' "
                    f"'{old}'; else git mv 'moving-{number}' '{new}'; fi; fi"
                )
            below = re.search(r"[\d.]+", one["from"]).group()
            since = ".".join([*below.split("."), "0", "0"][:3])
            made.append(
                {
                    "version": f"v{since}",
                    "when": "{{ _stage == 'before' }}",
                    "command": "set -e\n" + "\n".join(words),
                }
            )
        return made

    def create(self):
        given = [f"--data={key}={value}" for key, value in self.case.answers.items()]
        command = ["copy", "--defaults", "--trust", "--quiet", *given]
        return self.run(BIN / "copier", *command, self.source, self.child, cwd=self.world.folder)

    def update_command(self, options):
        if {"restore", "source"} & set(options):
            return None
        command = [BIN / "copier", "update", "--defaults", "--trust"]
        command += [f"--data={key}={value}" for key, value in options.get("set", {}).items()]
        command += [f"--exclude={one}" for one in self.case.yours]
        if "to" in options:
            same = options["to"] == self.versions[-1]
            command.append("--vcs-ref=" + (":current:" if same else f"v{options['to']}"))
        return command


class Cruft(Tool):
    name = "cruft"
    record = ".cruft.json"
    lacks = frozenset(
        {
            "rename_files",
            "seeds of the template",
            "managed",
            "merge: lines",
            "restore",
            "a new source",
            "look at what was merged",
            "release tags",
            "questions without a default",
            "questions that depend on others",
            "types of answers",
            "rename_answers",
        }
    )
    how = (
        "`cruft update -y`, with `--allow-untracked-files` where an untracked file is to stay, "
        "`--not-strict` where an older version is asked for; seeds and `yours:` are its `skip`"
    )

    def write(self, version, files, manifest):
        manifest = yaml.safe_load(manifest)
        settings = {"name": "child"}
        for question in manifest.get("questions", []):
            default = question.get("default", "")
            choices = question.get("choices", [])
            rest = [one for one in choices if one != default]
            settings[question["name"]] = [default, *rest] if choices else default
        copied = [
            glob.escape(path)
            for path in files
            if not path.endswith(".j2") and named(path, manifest) == path
        ]
        settings["_copy_without_render"] = copied
        rendered = {}
        for path, text in files.items():
            if path.endswith(".j2"):
                path, text = self.spelled(path.removesuffix(".j2")), self.spelled(text)
            rendered[named(path, manifest, "cookiecutter.")] = text
        put(self.source, {"cookiecutter.json": json.dumps(settings, indent=2)})
        project = self.source / "{{cookiecutter.name}}"
        put(project, {".keep": ""} if not rendered else rendered)

    @staticmethod
    def spelled(text):
        return re.sub(r"{{ (\w+) }}", r"{{ cookiecutter.\1 }}", text)

    def create(self):
        manifest = yaml.safe_load(self.case.old_template)
        skipped = [r["match"] for r in manifest.get("files", []) if r.get("policy") == "seed"]
        skipped += self.case.yours
        command = [BIN / "cruft", "create", "-y", "--output-dir", self.child.parent]
        command += [word for one in skipped for word in ("--skip", one)]
        given = {"name": self.child.name, **self.case.answers}
        command += ["--extra-context", json.dumps(given), str(self.source)]
        return self.run(*command, cwd=self.world.folder)

    def update_command(self, options):
        if {"restore", "source", "newest"} & set(options):
            return None
        command = [BIN / "cruft", "update", "-y"]
        if "set" in options:
            command += ["--variables-to-update", json.dumps(options["set"])]
        if options.get("untracked"):
            command.append("--allow-untracked-files")
        if "to" in options:
            command += ["--checkout", f"v{options['to']}"]
            command += [] if options["to"] == self.versions[-1] else ["--not-strict"]
        return command


TOOLS = (Tmplgen, Copier, Cruft)


def versions():
    """What runs here, by name."""
    shown = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True)
    found = {"tmplgen": shown.stdout.split()[1]}
    script = (
        "import importlib.metadata as m\n"
        "for name in ('copier', 'cruft', 'cookiecutter'): print(name, m.version(name))"
    )
    listed = subprocess.run(
        [BIN / "python", "-c", script], capture_output=True, text=True, check=True
    ).stdout
    found |= dict(line.split() for line in listed.splitlines())
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True)
    found["git"] = git.stdout.split()[2]
    found["Python"] = sys.version.split()[0]
    return found
