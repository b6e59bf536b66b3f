"""
Fifty projects made from our own templates, and what their owners do to them through twelve versions
of the catalog. All of it is decided before any tool runs: each gets the same versions and the same
edits.
"""

import io
import random
import tarfile
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import yaml

from ..update.evolution import VERSIONS

SEED = 20261121
CHILDREN = 50
RECORD = ".tmplgen.yml"
TEXTS = (".py", ".sh", ".md", ".txt", ".toml", ".yml", "Makefile", "Dockerfile", "Jenkinsfile")


@dataclass
class Edit:
    """One commit of the owner's, at the first of `paths` that there is."""

    what: str
    paths: list
    anchor: str = ""  # the template's line at which it is done
    text: str = ""


@dataclass
class History:
    """What all tools have to do with one child."""

    number: int
    catalog: Path
    kind: str
    choices: list
    trees: list = field(default_factory=list)  # for each version {path: (mode, bytes)}
    renames: list = field(default_factory=list)  # for each version {old: new} of the template's
    seeds: list = field(default_factory=list)  # for each version globs
    edits: list = field(default_factory=list)  # for each version what follows it
    places: list = field(default_factory=list)  # for each version {template's path: child's}


def from_catalog(world, path, version):
    return yaml.safe_load(world.git("show", f"v{version}:{path}", cwd=world.catalog)) or {}


@cache
def seeds_of(world, kind, version):
    """Of the type, and of all layers: few name the same files."""
    names = world.git("ls-tree", "-r", "--name-only", f"v{version}", cwd=world.catalog).split()
    manifests = [n for n in names if n == f"templates/{kind}/template.yml" or "/layer.yml" in n]
    rules = [row for one in manifests for row in from_catalog(world, one, version).get("files", [])]
    return [row["match"] for row in rules if row.get("policy") == "seed"]


def tree_of(world, tree, child):
    """{path: (mode, bytes)} of a tree; the mode is "x" or empty."""
    packed = world.git("archive", "--format=tar", tree, cwd=child, check=False).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        return {
            one.name: ("x" if one.mode & 0o100 else "", files.extractfile(one).read())
            for one in sorted(files, key=lambda one: one.name)
            if one.isfile()
        }


def trees_of(world, history):
    """What each version renders for this child: trees that the record of an untouched one names."""
    child = world.folder / f"untouched{history.number}"
    source = f"{world.catalog}@v{VERSIONS[0]}"
    made = ["new", child, "--type", history.kind, "--catalog", source, *history.choices]
    for version in VERSIONS:
        run = made if version == VERSIONS[0] else ["update", child, "--to", f"v{version}"]
        done = world.tmplgen(*run)
        assert done.code == 0, done.err
        record = yaml.safe_load((child / RECORD).read_text())
        tree = record["render"]["tree"].split(":")[-1]
        history.trees.append(tree_of(world, tree, child))


def renames_between(old, new):
    """Files of the template that moved as they were."""
    gone = {data: path for path, (_, data) in old.items() if path not in new and data}
    return {gone[data]: p for p, (_, data) in new.items() if p not in old and data in gone}


class Owner:
    """Decides what is done to a child, by what its template has and by chance."""

    def __init__(self, history):
        self.rng = random.Random(SEED + history.number)
        self.tree = {}
        self.names = {}  # of a template's path: those that it may have in the child, last first
        self.gone = set()

    def now_at(self, tree, renames):
        self.tree = tree
        for old, new in renames.items():
            known = self.names.pop(old, [old])
            moved = known[0] != old
            self.names[new] = known if moved else [new, *known]
            if old in self.gone:
                self.gone.add(new)

    def word(self):
        return f"mine-{self.rng.getrandbits(48):x}"

    def pick(self, *endings):
        """A text of the template's that is still there, else the README."""
        found = [
            path
            for path, (_, data) in sorted(self.tree.items())
            if path.endswith(endings) and path not in self.gone and len(data) > 64
            if b"\0" not in data and path != ".gitattributes"
        ]
        return self.rng.choice(found or ["README.md"])

    def at(self, what, path, places=None, text=""):
        lines = [line for line in self.tree[path][1].decode().splitlines() if line.strip()]
        index = self.rng.choice(places) if places else self.rng.randrange(len(lines))
        anchor = lines[max(-len(lines), min(index, len(lines) - 1))]
        return Edit(what, self.names.get(path, [path]), anchor, text or f"# {self.word()}")

    # ------------------------------------------------------------ the ways to work

    def source(self):
        return self.at("insert", self.pick(".py"))

    def line(self):
        return self.at("replace", self.pick(".py", ".sh", ".md", "Makefile", "Dockerfile"))

    def fewer_lines(self):
        return self.at("drop", self.pick(".py", ".sh", ".md", ".toml"))

    def readme(self):
        return self.at("insert", "README.md", [0, 2, -1])

    def makefile(self):
        return self.at("insert", "Makefile", [0, 1, -1])

    def more_pins(self):
        text = f"{self.word()}==1.0"
        path = self.pick("requirements/runtime.txt", "requirements/dev.txt")
        return self.at("insert", path, None, text)

    def other_pin(self):
        path = self.pick("requirements/runtime.txt", "requirements/dev.txt")
        pins = [ln for ln in self.tree[path][1].decode().splitlines() if "==" in ln]
        if not pins:
            return self.more_pins()
        anchor = self.rng.choice(pins)
        text = f"{anchor.split('==')[0]}==0.1  # {self.word()}"
        return Edit("replace", self.names.get(path, [path]), anchor, text)

    def ignore(self):
        return self.at("insert", ".gitignore", [-1])

    def scripts(self):
        return self.at("insert", self.pick(".yml", ".sh", "Jenkinsfile", "Dockerfile"))

    def own_file(self):
        return Edit("own", [f"src/own/{self.word()}.py"], "", f"VALUE = '{self.word()}'")

    def own_binary(self):
        return Edit("own", [f"data/own/{self.word()}.bin"], "", f"\0{self.word()}\0")

    def endings(self):
        return Edit("endings", self.names.get(path := self.pick(*TEXTS), [path]))

    def bit(self):
        return Edit("executable", self.names.get(path := self.pick(".py"), [path]))

    def moving(self):
        """A file that the template is about to rename or to drop; any other where it has."""
        known = [p for p in ("CHANGELOG.md", ".editorconfig") if p in self.tree]
        path = self.rng.choice([p for p in known if p not in self.gone] or ["README.md"])
        return self.at("insert", path, [-1])

    def delete(self):
        path = self.pick(".py", ".sh", ".md", ".txt", ".editorconfig")
        if path == "README.md":
            return self.readme()
        self.gone.add(path)
        return Edit("delete", self.names.get(path, [path]))

    def move(self):
        path = self.pick(".py", ".md")
        if path == "README.md":
            return self.readme()
        old = self.names.get(path, [path])
        new = f"elsewhere/{self.word()}-{path.rsplit('/', 1)[-1]}"
        self.names[path] = [new, *old]
        return Edit("move", old, "", new)

    def work(self, count):
        ways = [
            *(self.readme, self.makefile, self.source, self.source, self.line, self.fewer_lines),
            *(self.own_file, self.own_binary, self.more_pins, self.other_pin, self.ignore),
            *(self.scripts, self.moving, self.delete, self.move, self.endings, self.bit),
        ]
        return [self.rng.choice(ways)() for _ in range(count)]


def history(world, number):
    """All about one child."""
    rng = random.Random(SEED + number)
    kind = world.types[number % len(world.types)]
    known = from_catalog(world, f"templates/{kind}/template.yml", VERSIONS[0])
    choices = ["--framework", rng.choice(known["frameworks"])]
    if rng.random() < 0.5:
        choices += ["--ci", rng.choice(["none", "github", "github,gitlab"])]
    made = History(number, world.catalog, kind, [*choices, "--name", "child"])
    trees_of(world, made)
    owner = Owner(made)
    for at, (version, tree) in enumerate(zip(VERSIONS, made.trees, strict=True)):
        made.renames.append(renames_between(made.trees[at - 1], tree) if at else {})
        made.seeds.append(seeds_of(world, kind, version))
        owner.now_at(tree, made.renames[at])
        made.edits.append(owner.work(rng.randint(3, 8) if at == 0 else rng.choice([0, 1, 1, 2])))
        made.places.append({path: list(names) for path, names in owner.names.items()})
    return made


def is_seed(history, at, path):
    return any(fnmatch(path, glob) for one in history.seeds[at - 1 : at + 1] for glob in one)


def do(child, edit):
    """One edit, on disk; False where the file is not there, or the line at which it would be."""
    if edit.what == "own":
        target = child / edit.paths[0]
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(edit.text.encode() + b"\n")
        return True
    target = next((child / path for path in edit.paths if (child / path).is_file()), None)
    if not target:
        return False
    if edit.what == "delete":
        target.unlink()
    elif edit.what == "move":
        (child / edit.text).parent.mkdir(parents=True, exist_ok=True)
        target.rename(child / edit.text)
    elif edit.what == "executable":
        target.chmod(0o755)
    elif edit.what == "endings":
        target.write_bytes(target.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    else:
        return change_line(target, edit)
    return True


def change_line(target, edit):
    lines = target.read_bytes().splitlines(keepends=True)
    at = next((i for i, ln in enumerate(lines) if ln.rstrip() == edit.anchor.encode()), None)
    if at is None:
        return False
    end = b"\r\n" if lines[at].endswith(b"\r\n") else b"\n"
    text = edit.text.encode() + end
    if edit.what == "insert":
        lines[at : at + 1] = [lines[at].rstrip(b"\r\n") + end, text]
    else:
        lines[at : at + 1] = [text] if edit.what == "replace" else []
    target.write_bytes(b"".join(lines))
    return True
