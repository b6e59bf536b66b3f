"""
Children of our own templates through twelve versions of them: step by step, by hops, and at once.

No line of the child's is lost, a conflict is only where git finds one, too, and where nothing
conflicts every way ends in the same tree.
"""

import os
import random
import shutil
import subprocess

import pytest
import yaml

from .evolution import VERSIONS, release_versions
from .faults import FIRST, fast_folder, sample, sizes
from .world import RECORD, World, assert_sound, put


@pytest.fixture(scope="module")
def evolved():
    """The catalog with all its versions."""
    place = fast_folder()
    world = World(place / "w")
    release_versions(world)
    yield world
    shutil.rmtree(place)


# ---------------------------------------------------------------- a child and its user


class User:
    """What a person does to a project. Every line of hers holds a word of its own."""

    def __init__(self, world, child, seed):
        self.world, self.child = world, child
        self.rng = random.Random(seed)
        self.words = set()

    def word(self):
        word = f"mine-{self.rng.getrandbits(48):x}"
        self.words.add(word)
        return word

    def files(self, *endings):
        listed = self.world.git("ls-files", "-z", cwd=self.child).split("\0")
        names = [n for n in listed if n.endswith(endings) and n not in (RECORD, ".gitattributes")]
        return [n for n in names if b"\0" not in (self.child / n).read_bytes()]

    def pick(self, *endings):
        return self.rng.choice(self.files(*endings))

    def edit(self, path, change):
        target = self.child / path
        lines = target.read_text().splitlines(keepends=True)
        target.write_text("".join(change(lines)))

    def insert(self, path, at=None):
        def change(lines):
            place = self.rng.randint(0, len(lines)) if at is None else min(at, len(lines))
            if place and not lines[place - 1].endswith("\n"):
                lines[place - 1] += "\n"
            return [*lines[:place], f"# {self.word()}\n", *lines[place:]]

        self.edit(path, change)

    def replace_line(self):
        def change(lines):
            if lines:
                lines[self.rng.randrange(len(lines))] = f"# {self.word()}\n"
            return lines

        self.edit(self.pick(".py", ".sh", ".md", "Makefile", "Dockerfile"), change)

    def write_own_file(self):
        put(self.child, {f"src/own/{self.word()}.py": f"VALUE = '{self.word()}'\n"})

    def write_own_binary(self):
        put(self.child, {f"data/{self.word()}.bin": self.rng.randbytes(500) + b"\0"})

    def edit_source(self):
        self.insert(self.pick(".py"))

    def edit_readme(self):
        self.insert("README.md", at=self.rng.choice([1, 3, 999]))

    def add_make_target(self):
        self.insert("Makefile", at=self.rng.choice([1, 2, 999]))

    def add_pin(self):
        self.insert(self.pick("requirements/runtime.txt", "requirements/dev.txt"))

    def change_pin(self):
        path = self.pick("requirements/runtime.txt", "requirements/dev.txt")

        def change(lines):
            pins = [i for i, line in enumerate(lines) if "==" in line]
            if pins:
                at = self.rng.choice(pins)
                lines[at] = lines[at].split("==")[0] + f"==0.1  # {self.word()}\n"
            return lines

        self.edit(path, change)

    def ignore_more(self):
        self.insert(".gitignore", at=999)

    def edit_ci(self):
        self.insert(self.pick(".yml", ".sh", "Jenkinsfile", "Dockerfile"))

    def edit_what_moves(self):
        path = self.rng.choice(["CHANGELOG.md", ".editorconfig"])
        if (self.child / path).exists():
            self.insert(path, at=999)

    def delete(self):
        path = self.pick(".py", ".sh", ".md", ".txt", ".editorconfig")
        if path != "README.md":
            (self.child / path).unlink()

    def move(self):
        path = self.pick(".py", ".md")
        put(self.child, {f"elsewhere/{self.word()}-{os.path.basename(path)}": {"from": path}})

    def make_executable(self):
        (self.child / self.pick(".py", ".sh")).chmod(0o755)

    def work(self):
        ways = [
            *(self.edit_readme, self.add_make_target, self.edit_source, self.edit_source),
            *(self.replace_line, self.write_own_file, self.write_own_binary, self.add_pin),
            *(self.change_pin, self.ignore_more, self.edit_ci, self.edit_what_moves),
            *(self.delete, self.move, self.make_executable),
        ]
        for _ in range(self.rng.randint(2, 8)):
            self.rng.choice(ways)()
            self.world.commit("work", cwd=self.child)


def make_child(world, number):
    """One of the fifty: a type, a framework and choices of its own, and its user's work."""
    rng = random.Random(FIRST + number)
    child = world.folder / f"child{number}"
    kind = world.types[number % len(world.types)]
    known = yaml.safe_load(world.read(f"templates/{kind}/template.yml", world.catalog))
    frameworks = [known["frameworks"][0], f"{known['frameworks'][0]}>=2.6", *known["frameworks"]]
    choices = ["--framework", rng.choice(frameworks)]
    if rng.random() < 0.5:
        choices += ["--ci", rng.choice(["none", "github", "github,gitlab"])]
    source = f"{world.catalog}@v{VERSIONS[0]}"
    done = world.tmplgen("new", child, "--type", kind, "--catalog", source, *choices)
    assert done.code == 0, done.err
    user = User(world, child, FIRST + number)
    user.work()
    words = {w for w in user.words if has_word(world, child, w)}
    return child, words


def has_word(world, child, word):
    """In a name or in a line of a file of HEAD."""
    names = world.git("ls-tree", "-r", "--name-only", "HEAD", cwd=child)
    found = world.git("grep", "-q", "-F", word, "HEAD", cwd=child, check=False)
    return word in names or found.returncode == 0


# ---------------------------------------------------------------- updates of it


def both_changed_the_same(world, child, path, stages):
    """A conflict that git sees, too: what is at the three stages does not merge."""
    if set(stages) != {1, 2, 3}:
        return len(stages) == 2 and len(set(stages.values())) == 2
    sides = [world.blob(stages[n], child) for n in (1, 2, 3)]
    if any(b"\0" in side for side in sides):
        return len(set(sides)) == 3
    names = [str(world.folder / f"side{n}") for n in (1, 2, 3)]
    for name, side in zip(names, sides, strict=True):
        with open(name, "wb") as out:
            out.write(side)
    command = ["git", "merge-file", "-p", names[1], names[0], names[2]]
    return subprocess.run(command, capture_output=True, check=False).returncode > 0


def stages_of(world, child):
    found = {}
    for line in filter(None, world.git("ls-files", "-u", "-z", cwd=child).split("\0")):
        meta, path = line.split("\t", 1)
        _, blob, stage = meta.split(" ")
        found.setdefault(path, {})[int(stage)] = blob
    return found


def resolve(world, child):
    """Both sides' lines, as someone in a hurry would; what one side deleted stays."""
    for path in stages_of(world, child):
        target = child / path
        marks = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
        lines = target.read_bytes().splitlines(keepends=True)
        target.write_bytes(b"".join(line for line in lines if not line.startswith(marks)))
        world.git("add", "--", path, cwd=child)


def update(world, child, version):
    """To a version; True where it conflicted."""
    done = world.update("--to", f"v{version}", child=child)
    assert done.code in (0, 5), (version, done.out + done.err)
    if done.code == 0:
        return False
    stages = stages_of(world, child)
    assert stages
    for path, found in stages.items():
        assert both_changed_the_same(world, child, path, found), (version, path)
    resolve(world, child)
    done = world.tmplgen("update", child, "--continue")
    assert done.code == 0, done.err
    return True


def go(world, source, name, versions, words):
    """A copy of the child through these versions: its tree, and whether it ever conflicted."""
    child = world.folder / name
    subprocess.run(["cp", "-a", source, child], check=True)
    world.git("update-index", "-q", "--refresh", cwd=child)
    conflicted = False
    for version in versions:
        conflicted |= update(world, child, version)
        lost = {word for word in words if not has_word(world, child, word)}
        assert not lost, (version, lost)
    assert world.update(child=child).json["result"] == "up-to-date"
    assert world.git("status", "--porcelain", cwd=child) == ""
    assert_sound(world, child)
    tree = world.tree(child)
    shutil.rmtree(child)
    return tree, conflicted


def evolve(world, number):
    child, words = make_child(world, number)
    rng = random.Random(FIRST + number)
    later = VERSIONS[1:]
    hops = sorted({*rng.sample(range(len(later)), 3), len(later) - 1})
    ways = [later, [later[at] for at in hops], later[-1:]]
    ends = [go(world, child, f"way{i}", way, words) for i, way in enumerate(ways)]
    clean = [tree for tree, conflicted in ends if not conflicted]
    assert len(set(clean)) <= 1, (number, hops, ends)
    shutil.rmtree(child)
    return len(clean) == len(ends)


@sizes(sample=(2, 1), every=50)
def test_children_of_our_templates_through_twelve_versions(evolved, size):
    clean = [number for number in sample(range(50), size) if evolve(evolved, number)]
    print(f"SEED={FIRST}: {len(clean)} of {size} children without any conflict")
    assert clean or size < 10, "all of them conflicted: that is no proof of hops"
