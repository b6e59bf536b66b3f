"""Which addresses are taken, and whom the user trusts."""

import subprocess
import sys

import pytest

from ..command.world import git
from ..common.program import BINARY
from ..common.terminal import converse
from .world import UNREACHABLE, fails, has_secret, ok

INVALID = (2, "invalid-source")
HOSTILE = [
    ("ext::sh -c 'touch ran'", INVALID),
    ("ext::touch%20ran", INVALID),
    ("fd::17", INVALID),
    ("ssh://-oProxyCommand=touch%20ran/x", INVALID),
    ("ssh://-oProxyCommand=x@localhost/x", INVALID),
    ("-oProxyCommand=x@localhost:x", INVALID),
    ("git@-oProxyCommand=x:y", INVALID),
    ("localhost:-x", INVALID),
    ("-u:x", INVALID),
    ("https://h/x\n[core]", INVALID),
    ("https://h/x\x1b[2J", INVALID),
    ("https://h/x y", INVALID),
    ("https://h/\u202ex", INVALID),
    ("https://h/a/../b", INVALID),
    ("https://h/a/%2e%2E/b", INVALID),
    ("https://h/a%2f..%2fb", INVALID),
    ("https://h/a%0ahost=evil", INVALID),
    ("https://h/%zz", INVALID),
    ("https://h/x?y", INVALID),
    ("https://h/x#y", INVALID),
    ("https://h\\x/y", INVALID),
    ("https://h", INVALID),
    ("https:///x", INVALID),
    ("https://h::x/y", INVALID),
    ("https://h:/y", INVALID),
    ("https://h:8a/y", INVALID),
    ("https://h:123456/y", INVALID),
    ("https://:80/y", INVALID),
    ("https://[::1/y", INVALID),
    ("https://[::1]x/y", INVALID),
    ("https://@h/x", INVALID),
    ("ftp://h/x", INVALID),
    ("rsync://h/x", INVALID),
    ("https://h/" + "x" * 3000, INVALID),
    ("https://h/x//..//y", (3, "unsafe-path")),
    ("https://h/x//a/../y", (3, "unsafe-path")),
    ("https://h/x//.git", (3, "unsafe-path")),
    ("https://h/x///y", (3, "unsafe-path")),
    ("https://h/x//", (3, "unsafe-path")),
    ("http://example.org/x", (3, "insecure-source")),
    ("http://localhost.example.org/x", (3, "insecure-source")),
    ("http://127.0.0.1.example.org/x", (3, "insecure-source")),
    ("http://127.0.0.1@example.org/x", (3, "insecure-source")),
    ("git://example.org/x", (3, "insecure-source")),
    ("--upload-pack=touch ran", (2, "unknown-catalog")),
]


@pytest.fixture
def no_git(world):
    """A `git` that tells when it is run."""
    folder = world.folder / "bin"
    folder.mkdir()
    script = folder / "git"
    script.write_text(f'#!/bin/sh\necho "$@" >>{world.folder}/ran\nexit 1\n')
    script.chmod(0o755)
    world.run.env["PATH"] = f"{folder}:{world.run.env['PATH']}"
    return world.folder / "ran"


def test_hostile_addresses_are_refused_before_git_runs(world, no_git):
    for source, (code, word) in HOSTILE:
        done = world.new(source)
        fails(done, code, word)
        assert not set("\x1b\u202e") & set(done.out + done.err)
    assert not no_git.exists() and not (world.work / "ran").exists()
    assert not world.cache.exists() or not list(world.cache.iterdir())


@pytest.mark.parametrize("secret", ["user:s3cr3t@", ":s3cr3t@", "ghp_s3cr3ts3cr3ts3cr3t@",
                                    "s3cr3t" * 8 + "@", "user:s3cr3t@x@"])  # fmt: skip
def test_passwords_in_an_address_are_never_repeated(world, no_git, secret):
    for text in (f"https://{secret}localhost/x", f"https://{secret}localhost/x//y@v1"):
        done = world.new(text)
        said = fails(done, *INVALID)
        assert "credential" in said and "s3cr3t" not in done.out + done.err
        assert has_secret(world.folder / "home", "s3cr3t") is None
    assert "s3cr3t" not in world.new("https://h/x?token=s3cr3t").out
    assert not no_git.exists()


def test_new_source_is_refused_where_nobody_can_be_asked(world, no_git):
    said = fails(world.new("https://localhost/x", trust=False), 3, "untrusted-source")
    assert "--trust" in said and "'trusted'" in said
    assert not no_git.exists()


def test_trusted_sources_of_the_configuration(world, daemon):
    folder = daemon[: -len("catalogs.git")]
    for entry, taken in (
        (f"{folder}catalogs.git", True),
        (f"{folder}catalogs.git/", True),
        (f"{folder}*", True),
        (f"{folder}catalogs.git//team", False),
        (f"{folder}other.git", False),
        (f"{folder}catalogs", True),
        (f"{folder}catalogs.git/.git", True),
        (f"{folder}cat", False),
        ("GIT://127.0.0.1/*", False),
    ):
        world.run.configure(f"trusted:\n  - '{entry}'\n")
        word = "unknown-ref" if taken else "untrusted-source"  # it is empty
        fails(world.new(daemon, trust=False), 2 if taken else 3, word)
    for entry in ("git://127.*", "git://*"):
        world.run.configure(f"trusted:\n  - '{entry}'\n")
        fails(world.new(daemon, trust=False), 2, "invalid-source")


def test_default_catalog_of_the_configuration_is_trusted(world, daemon):
    world.release("1.0.0")
    world.run.configure(f"catalog: '{daemon}@^1.0'\n")
    ok(world.run("new", "c", "--type", "thing", "--json", cwd=world.work))
    assert world.record("c")["ref"] == "^1.0"
    ok(world.update("--check", name="c", trust=False))


def talk(world, *words, reply, cwd=None):
    cues = [("later? [n] >", reply)] if reply else []
    return converse([BINARY, *words], cwd or world.work, world.run.env, cues)


def test_asked_once_on_a_terminal_and_remembered(world, daemon):
    world.release("1.0.0")
    words = ("new", "--type", "thing", "--defaults", f"--catalog={daemon}")
    code, _, shown = talk(world, *words[:1], "no", *words[1:], reply="\n")
    assert code == 3 and daemon in shown and not (world.work / "no").exists()
    code, _, shown = talk(world, *words[:1], "yes", *words[1:], reply="what\nYES\n")
    assert code == 0, shown
    memory = world.folder / "home/.local/state/tmplgen/trusted-catalogs"
    assert memory.read_text() == f"{daemon}\n" and memory.stat().st_mode & 0o777 == 0o600
    code, _, shown = talk(world, *words[:1], "again", *words[1:], reply=None)
    assert code == 0 and "later?" not in shown
    ok(world.new(daemon, "quiet", trust=False))
    ok(world.new(f"{daemon}@v1.0.0", "tagged", trust=False))


def test_source_that_changed_in_the_record_is_new(world, daemon):
    world.release("1.0.0")
    world.run.configure(f"trusted: ['{daemon}']\n")
    ok(world.new(daemon, trust=False))
    other = world.root / "evil.git"
    git(world.root, "clone", "-q", "--bare", str(world.bare), str(other))
    record = world.work / "child/.tmplgen.yml"
    record.write_text(record.read_text().replace("catalogs.git", "evil.git"))
    git(world.work / "child", "commit", "-q", "-a", "-m", "evil")
    for done in (world.update(trust=False), world.update("--check", trust=False),
                 world.status("--fetch")):  # fmt: skip
        assert "evil.git" in fails(done, 3, "untrusted-source")
    done = ok(world.status())  # asks nobody
    assert done["update"]["available"] is None


def test_credentials_in_a_record_are_refused(world, daemon):
    world.release("1.0.0")
    ok(world.new(daemon))
    record = world.work / "child/.tmplgen.yml"
    record.write_text(record.read_text().replace("git://", "https://user:s3cr3t@"))
    git(world.work / "child", "commit", "-q", "-a", "-m", "evil")
    done = world.update()
    fails(done, *INVALID)
    assert "s3cr3t" not in done.out + done.err


def test_what_git_says_is_masked(world):
    """ssh's own words reach the message: no control byte, no password of a URL."""
    script = world.folder / "ssh"
    words = r"\033[2Jowned \rfatal: https://u:s3cr3t@host/x"
    script.write_text(f"#!/bin/sh\nprintf '{words}\\n' >&2\nexit 255\n")
    script.chmod(0o755)
    world.run.env |= {"GIT_SSH_COMMAND": str(script), "GIT_SSH_VARIANT": "simple"}
    done = world.run("new", "x", "--type", "thing", "--trust", "--catalog=git@localhost:x",
                     cwd=world.work)  # fmt: skip
    assert done.code == 1
    assert "s3cr3t" not in done.err and "\x1b" not in done.err and "https://host/x" in done.err
    fails(world.new("git@localhost:x"), *UNREACHABLE)


def test_no_folder_for_the_cache(world, no_git):
    done = subprocess.run(
        [BINARY, "new", "x", "--type", "thing", "--trust", "--catalog=https://localhost/x"],
        cwd=world.work,
        env={"PATH": world.run.env["PATH"]},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1 and "XDG_CACHE_HOME" in done.stderr
    assert not no_git.exists(), sys.path
