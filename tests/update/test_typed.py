"""The commands that updates print do what they say, whatever a folder, file or branch is called."""

import os
import re
import shlex

import pytest
from markdown_it import MarkdownIt

from ..common.program import typed_as_tmplgen
from ..common.shells import NASTY, SHELLS, SHOWABLE, can_be_shown, tree, type_into
from .world import put

SH = SHELLS[0]
# Files that a template may bring, files that git takes for several, and what runs.
FILES = [
    "my dir/it's", "-x", "a;touch PWNED", "$(touch PWNED)", "`touch PWNED`", "*", "[a]", "a?c",
    "!!", "~t", "ümläut", '"', "#a", "=ls", "$HOME", "{a,b}",
]  # fmt: skip
BRANCHES = ["it's", "a;touch${IFS}PWNED", "`id`", "$(id)", "$HOME", "!!", "ümläut", '"', "&", "#a"]


@pytest.fixture
def typed(world):
    """Types a command into `cwd`, where nothing but what it says may come into being."""
    path = f"{typed_as_tmplgen(world.folder / 'bin')}:{os.environ['PATH']}"

    def run(command, cwd):
        assert can_be_shown(command), command
        env = {name: value for name, value in world.env.items() if name != "PATH"}
        exports = "".join(f"export {n}={shlex.quote(v)}\n" for n, v in env.items())
        exports += f"export PATH={shlex.quote(path)}\n"
        out = type_into(SH, exports + command, cwd).decode(errors="replace")
        assert "PWNED" not in {os.path.basename(found) for found in tree(world.folder)}
        return out

    return run


def next_lines(out):
    """The commands below `Next:`, without what is said of them."""
    lines = out.split("\nNext:\n")[1].splitlines()
    return [re.split(r"   +", line[2:])[0] for line in lines if not line.startswith("   ")]


@pytest.mark.turns(5)
@pytest.mark.parametrize("name", NASTY, ids=ascii)
def test_steps_name_the_folder_that_was_given(world, typed, name):
    world.release("1.0.0", {"a": "1\n"})
    place = world.folder / "place"
    place.mkdir()
    world.new("--name", "demo", path=place / name)
    world.release("1.1.0", {"a": "2\n"})
    done = world.tmplgen("update", "--dry-run", "--", name, cwd=place)
    assert done.code == 0, done.err
    (again,) = next_lines(done.out)
    said = typed(again, place)
    assert (place / name / "a").read_text() == "2\n"
    assert [entry.name for entry in place.iterdir()] == [name]
    assert "2 files changed" in typed(next_lines(said)[0], place)


@pytest.mark.turns(5)
@pytest.mark.parametrize("name", FILES, ids=ascii)
def test_steps_of_a_conflict_name_the_file(world, typed, name):
    """Another file of the child's, which a glob would take too, stays as it is."""
    world.release("1.0.0", {name: "1\n"})
    world.new()
    world.edit({name: "mine\n", "abc": "1\n", "a": "1\n"})
    world.release("1.1.0", {name: "theirs\n"})
    done = world.update()
    assert done.code == 5, done.out
    (line,) = [line for line in done.json["paths"] if line["state"] == "conflict"]
    put(world.child, {name: "well\n", "abc": "2\n", "a": "2\n"})
    typed(line["resolve"], world.child)
    status = world.git("status", "--porcelain", "-z").split("\0")
    assert {"M  " + name, " M abc", " M a"} <= set(status), status


@pytest.mark.turns(5)
@pytest.mark.parametrize("name", FILES, ids=ascii)
def test_hint_brings_that_file_back(world, typed, name):
    world.release("1.0.0", {name: "1\n"})
    world.new()
    world.edit({"abc": "1\n", "a": "1\n"})
    world.release("1.1.0", {name: "1\n", "new": "n\n"})
    put(world.child, {name: None, "abc": None, "a": None})
    done = world.update(f"--restore={name}")
    assert done.code == 2, done.out
    typed(re.fullmatch(r"`(.*)` brings it back", done.error["hint"])[1], world.child)
    assert (world.child / name).is_file()
    assert not (world.child / "abc").exists() and not (world.child / "a").exists()


@pytest.mark.turns(5)
@pytest.mark.parametrize("name", FILES, ids=ascii)
def test_hint_lets_git_see_that_file(world, typed, name):
    world.release("1.0.0", {name: "1\n"})
    world.new()
    world.git("update-index", "--assume-unchanged", "--", name)
    put(world.child, {name: "mine\n"})
    world.release("1.1.0", {name: "2\n"})
    done = world.update()
    assert done.code == 3, done.out
    typed(done.error["hint"].split(": `", 1)[1].rsplit("` lets it see", 1)[0], world.child)
    assert world.git("status", "--porcelain", "-z") == f" M {name}\0"


@pytest.mark.turns(4)
@pytest.mark.parametrize("name", BRANCHES, ids=ascii)
def test_steps_and_hints_name_the_branch(world, typed, name):
    world.release("1.0.0", {"a": "1\n"})
    world.new()
    world.release("1.1.0", {"a": "2\n"})
    target = world.folder / "pr.md"
    done = world.update("--branch", name, "--summary", target)
    assert done.code == 0, done.out
    push = done.json["next"][-1]["run"]
    assert shlex.split(push) == ["git", "push", "REMOTE", name]
    world.git("init", "-q", "--bare", world.folder / "remote", cwd=world.folder)
    world.git("remote", "add", "REMOTE", world.folder / "remote")
    typed(push, world.child)
    assert world.git("rev-parse", f"refs/remotes/REMOTE/{name}") == done.json["commit"]
    # in Markdown, too, each is one piece of code
    tokens = MarkdownIt("commonmark").parse(target.read_text())
    codes = [c.content for t in tokens for c in t.children or [] if c.type == "code_inline"]
    assert [step["run"] for step in done.json["next"]] == codes[-len(done.json["next"]) :]
    # somebody works on it
    world.git("switch", "-q", name)
    world.edit({"own": "o\n"}, message="somebody's work")
    world.git("switch", "-q", "main")
    hint = world.update("--branch", name, "--refresh").error["hint"]
    assert "somebody's work" in typed(hint.split("`", 1)[1].rsplit("`", 1)[0], world.child)


@pytest.mark.turns(5)
@pytest.mark.parametrize("name", SHOWABLE, ids=ascii)
def test_answers_are_said_again_as_they_were(world, typed, name):
    asking = "description: a test\nstack: none\nquestions:\n  - {name: word, default: x}\n"
    world.release("1.0.0", {"a.j2": "{{ word }}\n"}, template=asking)
    world.new()
    world.release("1.1.0", {"a.j2": "{{ word }}!\n"}, template=asking)
    done = world.tmplgen("update", "--dry-run", "--set", f"word={name}", cwd=world.child)
    assert done.code == 0, done.err
    typed(next_lines(done.out)[0], world.child)
    assert world.read("a") == f"{name}!\n"
