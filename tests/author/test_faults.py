"""Commands for authors, killed or failing at any call that changes the file system."""

import shutil

import pytest

from ..command.world import Catalog, Runner, git
from ..update.faults import fast_folder, fault, points, sizes, told_of

KINDS = ["kill", "EIO", "ENOSPC"]


@pytest.fixture
def place():
    folder = fast_folder()
    (folder / "home").mkdir()
    (folder / "work").mkdir()
    yield folder
    shutil.rmtree(folder)


def tree(folder):
    """Files by path, without folders of a run that was killed while it still built."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(".tmplgen-" in part for part in path.parts)
    }


class Command:
    """A command in a folder that is made anew for each run."""

    def __init__(self, place, prepare, *words):
        self.runner, self.work = Runner(place / "home"), place / "work"
        self.prepare, self.words = prepare, words
        self.old = None  # what `prepare` made, where it says so

    def run(self, env):
        shutil.rmtree(self.work)
        self.work.mkdir()
        self.prepare(self)
        return self.again(env)

    def again(self, env=None):
        return self.runner(*self.words, cwd=self.work, env=env)

    def each(self, size, check):
        """Runs with one fault each, and `check(done)` behind each."""
        for at in points(self.run, size):
            for kind in KINDS:
                done = self.run(fault(at, kind))
                with told_of(f"{kind} at call {at}: {done.out}{done.err}"):
                    check(done)


@sizes(few=(3, 1), sample=(15, 1), every=200)
def test_export(place, size):
    """A whole repository or none."""
    command = Command(place, lambda _: None, "template", "export", "acme")

    def check(done):
        fork = command.work / "acme"
        assert done.code in (0, 1, -9, 137)
        if fork.exists():
            assert git(fork, "fsck", "--strict") == ""
            assert git(fork, "status", "--porcelain") == ""
        else:
            assert done.code != 0
        if done.code == 1:
            assert list(command.work.iterdir()) == []

    command.each(size, check)


def catalog_of(command):
    catalog = Catalog(command.work)
    catalog.file(".gitignore", "x\n").file("docs/a.txt", "a\n")
    return catalog


def test_new_type(place):
    """All of it or nothing, but for a killed run, of which whole folders may be left."""

    def prepare(command):
        Catalog(command.work)

    command = Command(place, prepare, "template", "new", "t")
    assert command.run({}).code == 0
    new = tree(command.work)
    old = {name: text for name, text in new.items() if "/t/" not in name}

    def check(done):
        now = tree(command.work)
        if done.code in (0, 1):
            assert now == (old if done.code else new)
        else:
            assert all(new[name] == text for name, text in now.items() if "/." not in name)

    command.each(6, check)


def change(catalog):
    """What makes the next run differ: a line, a new file, one less."""
    catalog.file("hello.txt.j2", "{{ greeting }}, {{ name }}\n").file("docs/b.txt", "b\n")
    (catalog.folder / "templates/thing/files/docs/a.txt").unlink()


def test_goldens_are_old_or_new(place):
    """Accepted whole or not at all, and the next run goes on."""

    def prepare(command):
        catalog = catalog_of(command).write("tests/thing/a/answers.yml", "greeting: hi\n")
        assert command.again().code == 0
        command.old = tree(command.work / "tests/thing/a/golden")
        change(catalog)

    command = Command(place, prepare, "template", "test", "--accept")
    golden = command.work / "tests/thing/a/golden"
    command.run({})
    new, old = tree(golden), command.old
    assert new != old

    def check(_):
        assert tree(golden) in (old, new)
        assert command.again().code == 0
        assert tree(golden) == new

    command.each(6, check)


def test_a_render_goes_on(place):
    """Whatever a run left of a scratch folder, the next one makes it right."""

    def prepare(command):
        catalog = catalog_of(command)
        assert command.again().code == 0
        change(catalog)

    command = Command(place, prepare, "template", "render", "thing", "--output", "out")
    assert command.run({}).code == 0
    new = tree(command.work / "out")

    def check(_):
        done = command.again()
        assert done.code == 0, done.err
        found = tree(command.work / "out")
        assert {name: text for name, text in found.items() if "draft" not in name} == new

    command.each(6, check)
