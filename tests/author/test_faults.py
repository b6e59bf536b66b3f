"""Commands for authors, killed or failing at any call that changes the file system."""

import os
import shutil

import pytest

from ..command.world import Catalog, Runner, git
from ..update.faults import count_calls, fast_folder, fault, sample

SEED = int(os.environ.get("TMPLGEN_SEED", "20260101"))
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

    def each(self, size):
        """Runs with one fault each, and what to say where one is wrong."""
        total = count_calls(self.run)
        for at in sample(list(range(1, total + 1)), size, SEED):
            for kind in KINDS:
                done = self.run(fault(at, kind))
                yield done, f"{kind} at call {at} (seed {SEED}): {done.out}{done.err}"


def check_export(command, size):
    """A whole repository or none."""
    for done, where in command.each(size):
        fork = command.work / "acme"
        assert done.code in (0, 1, -9, 137), where
        if fork.exists():
            assert git(fork, "fsck", "--strict") == "", where
            assert git(fork, "status", "--porcelain") == "", where
        else:
            assert done.code != 0, where
        if done.code == 1:
            assert list(command.work.iterdir()) == [], where


def test_export_few(place):
    check_export(Command(place, lambda _: None, "template", "export", "acme"), 3)


@pytest.mark.full
def test_export_sample(place):
    check_export(Command(place, lambda _: None, "template", "export", "acme"), 40)


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
    for done, where in command.each(6):
        now = tree(command.work)
        if done.code == 0:
            assert now == new, where
        elif done.code == 1:
            assert now == old, where
        else:
            assert all(new[name] == text for name, text in now.items() if "/." not in name), where


def test_goldens_are_old_or_new(place):
    """Accepted whole or not at all, and the next run goes on."""

    def prepare(command):
        catalog = catalog_of(command).write("tests/thing/a/answers.yml", "greeting: hi\n")
        assert command.again().code == 0
        command.old = tree(command.work / "tests/thing/a/golden")
        catalog.file("hello.txt.j2", "{{ greeting }}, {{ name }}\n").file("docs/b.txt", "b\n")
        (command.work / "templates/thing/files/docs/a.txt").unlink()

    command = Command(place, prepare, "template", "test", "--accept")
    golden = command.work / "tests/thing/a/golden"
    command.run({})
    new, old = tree(golden), command.old
    assert new != old
    for _, where in command.each(6):
        assert tree(golden) in (old, new), where
        assert command.again().code == 0, where
        assert tree(golden) == new, where


def test_a_render_goes_on(place):
    """Whatever a run left of a scratch folder, the next one makes it right."""

    def prepare(command):
        catalog = catalog_of(command)
        assert command.again().code == 0
        catalog.file("hello.txt.j2", "{{ greeting }}, {{ name }}\n").file("docs/b.txt", "b\n")
        (command.work / "templates/thing/files/docs/a.txt").unlink()

    command = Command(place, prepare, "template", "render", "thing", "--output", "out")
    assert command.run({}).code == 0
    new = tree(command.work / "out")
    for _, where in command.each(6):
        done = command.again()
        assert done.code == 0, where + done.err
        found = tree(command.work / "out")
        assert {name: text for name, text in found.items() if "draft" not in name} == new, where
