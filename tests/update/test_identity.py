"""Who commits is who git says, name by name; and a branch is named and left as git has it."""

import itertools
import re

import pytest

from .scenarios import lines
from .world import assert_sound, put, snapshot, stocked

WHO = {
    "GIT_AUTHOR_NAME": "Env Author",
    "GIT_AUTHOR_EMAIL": "env-author@example.com",
    "GIT_COMMITTER_NAME": "Env Committer",
    "GIT_COMMITTER_EMAIL": "env-committer@example.com",
    "EMAIL": "env@example.com",
}
KEYS = {
    "author.name": "Config Author",
    "author.email": "author@example.com",
    "committer.name": "Config Committer",
    "committer.email": "committer@example.com",
    "user.name": "User",
    "user.email": "user@example.com",
}

CASES = {
    "user": (("user.name", "user.email"), ()),
    "author": (("user.name", "user.email", "author.name", "author.email"), ()),
    "committer": (("user.name", "user.email", "committer.name", "committer.email"), ()),
    "both": (tuple(KEYS), ()),
    "only the author's email": (("user.name", "user.email", "author.email"), ()),
    "no user at all": (
        ("author.name", "author.email", "committer.name", "committer.email"),
        (),
    ),
    "environment wins": (tuple(KEYS), tuple(WHO)),
    "environment of the author": (tuple(KEYS), ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL")),
    "half of the environment": (tuple(KEYS), ("GIT_AUTHOR_NAME", "GIT_COMMITTER_EMAIL")),
    "EMAIL": (("user.name",), ("EMAIL",)),
    "EMAIL comes last": (("user.name", "user.email"), ("EMAIL",)),
    "emails of their own before EMAIL": (
        ("user.name", "author.email", "committer.email"),
        ("EMAIL",),
    ),
}


@stocked
def ready(world):
    world.release("1.0.0", {"a": lines(20)})
    world.new()
    world.release("1.1.0", {"a": lines(20, {15: "theirs"})})


def ident(world, variable, env):
    said = world.git("var", variable, cwd=world.child, env=env)
    return re.fullmatch(r"(.* <.*>) \d+ [-+]\d+", said)[1]


def compare(world, env):
    """The commit of an update has git's own author and committer."""
    for name in WHO:
        world.env.pop(name, None)
    expected = [ident(world, f"GIT_{role}_IDENT", env) for role in ("AUTHOR", "COMMITTER")]
    done = world.update(env=env)
    assert done.code == 0, done.out
    assert world.git("log", "-1", "--format=%an <%ae>%n%cn <%ce>").splitlines() == expected
    assert done.json["warnings"] == []


@pytest.mark.parametrize("case", CASES)
def test_A8_identity_is_gits(ready, case):
    keys, names = CASES[case]
    for key in keys:
        ready.git("config", "--global", key, KEYS[key])
    compare(ready, {name: WHO[name] for name in names})


@pytest.mark.parametrize("scope", ["--local", "--worktree"])
def test_identity_of_the_repository_comes_before_the_users(ready, scope):
    ready.git("config", "extensions.worktreeConfig", "true")
    for key, value in KEYS.items():
        ready.git("config", "--global", key, f"global {value}")
    ready.git("config", scope, "author.name", "Of This Place")
    ready.git("config", scope, "committer.email", "here@example.com")
    compare(ready, {})


def test_identity_of_an_included_file(ready):
    put(ready.home, {"work": "[author]\n\tname = At Work\n[committer]\n\temail = w@example.com\n"})
    ready.git("config", "--global", "user.name", "User")
    ready.git("config", "--global", "user.email", "user@example.com")
    where = f"includeIf.gitdir:{ready.child}/.path"
    ready.git("config", "--global", where, str(ready.home / "work"))
    compare(ready, {})
    assert ready.git("log", "-1", "--format=%an %ce") == "At Work w@example.com"


@pytest.mark.parametrize("name", ["A <b>", " .A, ", "A\nB", '"A"', "Ünï", "a.b"])
def test_name_is_cleaned_as_git_does(ready, name):
    ready.git("config", "--global", "user.email", "user@example.com")
    compare(ready, {"GIT_AUTHOR_NAME": name, "GIT_COMMITTER_NAME": name})


def test_new_commits_as_git_would(world):
    for name in WHO:
        world.env.pop(name, None)
    for key, value in KEYS.items():
        world.git("config", "--global", key, value, cwd=world.folder)
    world.release("1.0.0", {"a": "1\n"})
    world.new()
    expected = [ident(world, f"GIT_{role}_IDENT", {}) for role in ("AUTHOR", "COMMITTER")]
    assert world.git("log", "-1", "--format=%an <%ae>%n%cn <%ce>").splitlines() == expected


# ---------------------------------------------------------------- --branch

NAMES = [
    "a..b",
    "-x",
    "@",
    "HEAD",
    "x.lock",
    "a/b.lock/c",
    ".a",
    "a.",
    "/a",
    "a/",
    "a//b",
    "a b",
    "a~1",
    "a^",
    "a:b",
    "a?",
    "a*",
    "a[",
    "a\\b",
    "a@{1}",
    "a\tb",
    "",
]


@pytest.mark.parametrize("news", [True, False])
def test_A8_name_of_a_branch_is_checked_first(ready, news):
    if not news:
        assert ready.update().code == 0
    before = snapshot(ready)
    for name in NAMES:
        done = ready.update(f"--branch={name}")
        assert (done.code, done.error["code"]) == (2, "usage"), (name, done.out)
        git = ready.git("check-ref-format", "--branch", name, check=False)
        assert git.returncode or name in ("HEAD", "@"), name  # `git branch` refuses these two
    assert snapshot(ready) == before


def test_good_names_are_those_of_git(ready):
    parts = ["a", "@x", "x@", "é", "a-", "x.y", "{", "a/b"]
    for number, name in enumerate(itertools.chain(parts, (f"{p}/{p}" for p in parts))):
        assert ready.git("check-ref-format", "--branch", name) == name
        done = ready.update(f"--branch={name}", "--dry-run")
        assert done.code == 0, (number, name, done.out)


def assert_logs_go_on(world):
    """Each line of a reflog begins where the one before ended, and the last is what there is."""
    logs = world.child / ".git/logs"
    for path in (path for path in logs.rglob("*") if path.is_file()):
        lines = [line.split(" ")[:2] for line in path.read_text().splitlines()]
        assert all(a[1] == b[0] for a, b in itertools.pairwise(lines)), (path, lines)
        assert lines[-1][1] == world.git("rev-parse", path.relative_to(logs))


def test_A8_git_switch_goes_back_after_branch(ready):
    ready.git("switch", "-q", "-c", "work")
    assert ready.update("--branch", "bot/update").code == 0
    assert ready.git("symbolic-ref", "HEAD") == "refs/heads/bot/update"
    log = ready.git("reflog", "show", "--format=%gs", "HEAD").splitlines()
    assert log[1] == "checkout: moving from work to bot/update"
    assert_logs_go_on(ready)
    ready.git("switch", "-q", "-")
    assert ready.git("symbolic-ref", "HEAD") == "refs/heads/work"
    ready.git("switch", "-q", "-")
    assert ready.git("symbolic-ref", "HEAD") == "refs/heads/bot/update"
    assert "checkout:" not in ready.git("reflog", "show", "--format=%gs", "bot/update")
    assert_sound(ready)


def test_git_switch_goes_back_to_a_detached_head(ready):
    commit = ready.git("rev-parse", "HEAD")
    ready.git("checkout", "-q", "--detach")
    assert ready.update("--branch", "bot").code == 0
    log = ready.git("reflog", "show", "--format=%gs", "HEAD").splitlines()
    assert log[1] == f"checkout: moving from {commit} to bot"
    ready.git("switch", "-q", "--detach", "-")
    assert ready.git("rev-parse", "HEAD") == commit


def test_git_switch_goes_back_after_a_conflict_on_a_branch(ready):
    ready.edit({"a": lines(20, {15: "mine"})})
    assert ready.update("--branch", "bot").code == 5
    ready.git("cherry-pick", "--skip")
    ready.git("switch", "-q", "-")
    assert ready.git("symbolic-ref", "HEAD") == "refs/heads/main"
