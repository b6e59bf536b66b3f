"""Signed releases: who must have signed what, as git verifies it."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from ..command.world import git
from .servers import run
from .world import fails, ok

ALICE, MALLORY = "alice@example.org", "mallory@example.org"
REFUSED = (3, "signature")


@pytest.fixture
def keys(world):
    """ssh keys of two people; the user allows Alice's."""
    folder = world.folder / "keys"
    folder.mkdir()
    for name in ("alice", "mallory"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name)
    allow(world, f"{ALICE} {public(folder / 'alice')}")
    return folder


def public(key: Path):
    return " ".join(Path(f"{key}.pub").read_text().split()[:2])


def allow(world, *lines):
    path = world.folder / "home/.config/tmplgen/allowed_signers"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def require(world, source, *signers):
    listed = ", ".join(f"'{signer}'" for signer in signers)
    world.run.configure(f"trusted:\n  - {{source: '{source}', signers: [{listed}]}}\n")


def by_ssh(key: Path):
    return {
        "GIT_CONFIG_COUNT": "2",
        "GIT_CONFIG_KEY_0": "gpg.format",
        "GIT_CONFIG_VALUE_0": "ssh",
        "GIT_CONFIG_KEY_1": "user.signingKey",
        "GIT_CONFIG_VALUE_1": str(key),
    }


def release(world, version, key=None, **more):
    how = ("-s", "-m", "x") if key else ()
    return world.release(version, None, *how, env=by_ssh(key) if key else None, **more)


def test_signer_is_told_where_nothing_is_required(world, daemon, keys):
    release(world, "1.0.0")
    done = world.new(daemon)
    assert ok(done)["signature"] == {"state": "unsigned", "signer": None}
    assert "is not signed" in done.err
    release(world, "1.1.0", keys / "alice")
    told = ok(world.status("--fetch", "--trust"))
    assert told["update"] == {"available": "1.1.0"}
    assert told["signature"] == {"state": "good", "signer": ALICE}
    shown = world.run("status", cwd=world.work / "child")
    assert f"signed by {ALICE}" in shown.out
    assert ok(world.update())["catalog"]["signature"]["signer"] == ALICE
    release(world, "1.2.0", keys / "mallory")
    done = world.new(daemon, "other")
    assert ok(done)["signature"] == {"state": "unverified", "signer": None}
    assert "not by anybody whose key is known" in done.err


def test_required_signature(world, daemon, keys):
    require(world, daemon, ALICE)
    release(world, "1.0.0", keys / "alice")
    ok(world.new(daemon, trust=False))
    release(world, "1.1.0")
    said = fails(world.update(), *REFUSED)  # --trust is no way around it
    assert "v1.1.0" in said and "is not signed" in said
    fails(world.update("--check"), *REFUSED)
    release(world, "1.2.0", keys / "mallory")
    said = fails(world.update(), *REFUSED)
    assert "git said" in said
    allow(world, f"{ALICE} {public(keys / 'alice')}", f"{MALLORY} {public(keys / 'mallory')}")
    said = fails(world.update(), *REFUSED)
    assert f"signed by '{MALLORY}'" in said
    require(world, daemon, ALICE, MALLORY)
    ok(world.update())
    assert world.text() == "1.2.0"
    assert ok(world.update())["result"] == "up-to-date"
    world.forget()
    assert ok(world.update("--check"))["result"] == "up-to-date"


def test_signed_tag_under_another_name_does_not_count(world, daemon, keys):
    """An old release, signed, given out as the newest one."""
    require(world, daemon, ALICE)
    release(world, "1.0.0", keys / "alice")
    object_id = git(world.source, "rev-parse", "v1.0.0")
    git(world.bare, "update-ref", "refs/tags/v9.0.0", object_id)
    said = fails(world.new(daemon), *REFUSED)
    assert "another name" in said
    ok(world.new(f"{daemon}@v1.0.0", "other"))


@pytest.mark.full
def test_tampered_tag(world, daemon, keys):
    require(world, daemon, ALICE)
    release(world, "1.0.0", keys / "alice")
    evil = world.commit("1.0.1", "evil")
    old = git(world.source, "rev-parse", "v1.0.0^{commit}")
    text = git(world.source, "cat-file", "tag", "v1.0.0").replace(old, evil) + "\n"
    made = subprocess.run(
        ["git", "hash-object", "-t", "tag", "-w", "--stdin"],
        cwd=world.bare,
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    git(world.bare, "update-ref", "refs/tags/v1.0.0", made.stdout.strip())
    fails(world.new(daemon), *REFUSED)


@pytest.mark.full
def test_branches_and_commits_by_their_own_signature(world, daemon, keys):
    require(world, daemon, ALICE)
    commit = world.commit("1.0.0", "unsigned")
    fails(world.new(f"{daemon}@main"), *REFUSED)
    fails(world.new(f"{daemon}@{commit}"), *REFUSED)
    env = by_ssh(keys / "alice")
    git(world.source, "commit", "-q", "-S", "--allow-empty", "-m", "signed", env=env)
    world.push("main")
    assert ok(world.new(f"{daemon}@main"))["signature"]["signer"] == ALICE


@pytest.mark.full
def test_key_that_is_no_longer_valid(world, daemon, keys):
    require(world, daemon, ALICE)
    release(world, "1.0.0", keys / "alice")
    allow(world, f'{ALICE} valid-before="20200101" {public(keys / "alice")}')
    fails(world.new(daemon), *REFUSED)
    allow(world, f'{ALICE} namespaces="file" {public(keys / "alice")}')
    fails(world.new(daemon), *REFUSED)


@pytest.mark.full
def test_signer_by_the_key_itself(world, daemon, keys):
    release(world, "1.0.0", keys / "alice")
    shown = run("ssh-keygen", "-l", "-f", keys / "alice.pub").stdout.split()[1]
    require(world, daemon, shown)
    ok(world.new(daemon))
    require(world, daemon, shown[:-1])
    fails(world.new(daemon, "no"), *REFUSED)
    require(world, daemon, "*")
    ok(world.new(daemon, "any"))


def test_catalog_cannot_say_how_it_is_verified(world, daemon, keys):
    """A repository on this machine with settings of its own: none of them counts."""
    release(world, "1.0.0", keys / "mallory")
    config = world.bare / "config"
    program = world.folder / "program"
    program.write_text(f"#!/bin/sh\ntouch {world.folder}/ran\nexit 0\n")
    program.chmod(0o755)
    mine = world.folder / "mine"
    mine.write_text(f"{ALICE} {public(keys / 'mallory')}\n")
    with config.open("a") as file:
        file.write(f'[gpg "ssh"]\n\tallowedSignersFile = {mine}\n\tprogram = {program}\n')
        file.write(f"[gpg]\n\tprogram = {program}\n\tminTrustLevel = undefined\n")
    require(world, world.bare, ALICE)
    fails(world.new(world.bare, trust=False), *REFUSED)
    assert not (world.folder / "ran").exists()
    release(world, "1.1.0", keys / "alice")
    assert ok(world.new(world.bare, trust=False))["signature"]["signer"] == ALICE


# ---------------------------------------------------------------- gpg


@pytest.fixture
def gpg(world):
    """A keyring of the user's; its path is short, for the agent's socket."""
    if not shutil.which("gpg"):
        pytest.skip("'gpg' is not installed: tools/deps.sh test")
    home = Path(tempfile.mkdtemp(prefix="tmplgen-gpg-"))
    world.run.env["GNUPGHOME"] = str(home)
    yield home
    env = {**os.environ, "GNUPGHOME": str(home)}
    subprocess.run(["gpgconf", "--kill", "all"], env=env, check=False)
    shutil.rmtree(home, ignore_errors=True)


def make_key(home, name, expires="never"):
    """Its fingerprint."""
    env = {**os.environ, "GNUPGHOME": str(home)}
    words = ["gpg", "--batch", "--quiet", "--passphrase", "", "--quick-generate-key", name]
    run(*words, "ed25519", "sign", expires, env=env)
    listed = run("gpg", "--list-keys", "--with-colons", name, env=env).stdout.splitlines()
    return next(line.split(":")[9] for line in listed if line.startswith("fpr"))


def by_gpg(home, key):
    return {
        "GNUPGHOME": str(home),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.signingKey",
        "GIT_CONFIG_VALUE_0": key,
    }


@pytest.mark.full
def test_the_name_of_a_gpg_key_may_look_like_a_line_of_gpgs(world, daemon, gpg):
    alice = make_key(gpg, f"Alice <{ALICE}>")
    forged = make_key(gpg, f"Mallory [GNUPG:] VALIDSIG {alice} 0 <{MALLORY}>")
    world.release("1.0.0", None, "-s", "-m", "x", env=by_gpg(gpg, forged))
    require(world, daemon, alice)
    fails(world.new(daemon), *REFUSED)


@pytest.mark.full
def test_gpg_by_the_keys_fingerprint(world, daemon, gpg):
    alice = make_key(gpg, f"Alice <{ALICE}>")
    other = make_key(gpg, f"Alice Two <{ALICE}>")  # says so of itself
    world.release("1.0.0", None, "-s", "-m", "x", env=by_gpg(gpg, alice))
    require(world, daemon, alice.lower())
    assert ok(world.new(daemon))["signature"] == {"state": "good", "signer": f"Alice <{ALICE}>"}
    require(world, daemon, ALICE)  # a name of a gpg key is nobody's word
    fails(world.new(daemon, "no"), *REFUSED)
    require(world, daemon, other)
    fails(world.new(daemon, "no"), *REFUSED)
    env = {**os.environ, "GNUPGHOME": str(gpg)}
    require(world, daemon, alice)
    run("gpg", "--batch", "--yes", "--delete-secret-and-public-key", alice, env=env)
    said = fails(world.new(daemon, "no"), *REFUSED)
    assert "git said" in said


def test_signers_count_for_every_spelling_of_the_address(world, daemon, keys):
    release(world, "1.0.0")
    require(world, daemon.replace("127.0.0.1", "LOCALHOST"), ALICE)
    fails(world.new(daemon.replace("127.0.0.1", "localhost")), *REFUSED)
    top = daemon.rsplit("/", 1)[0]
    signed = f"{{source: '{daemon}', signers: [{ALICE}]}}"
    world.run.configure(f"trusted:\n  - '{top}/*'\n  - {signed}\n")
    fails(world.new(daemon.removesuffix(".git"), trust=False), *REFUSED)  # the same repository


def test_a_pattern_that_nothing_can_match_is_an_error(world):
    world.run.configure("trusted:\n  - {source: 'https://example.org*', signers: [a]}\n")
    done = world.new(world.bare)
    assert done.code == 2 and "must name the host to its end" in done.json["error"]["message"]


@pytest.mark.parametrize(
    "entry",
    ["{source: x, signers: []}", "{signers: [a]}", "{source: x, signer: a}", "[x]"],
)
def test_wrong_entries_of_the_configuration(world, entry):
    world.run.configure(f"trusted:\n  - {entry}\n")
    done = world.new(world.bare)
    assert done.code == 2 and done.json["error"]["where"]["file"].endswith("config.yml")
