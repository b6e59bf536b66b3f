"""Catalogs over the network, from real servers: git daemon, nginx with TLS and a password, sshd."""

import contextlib
import os
import pty
from urllib.parse import quote

import pytest

from ..common.program import BINARY
from . import servers
from .world import UNREACHABLE, fails, has_secret, ok


def life(world, source):
    """A child is made, told of an update, updated; then it lives on without the server."""
    first = world.release("1.0.0")
    ok(world.new(source))
    assert world.record() == {
        "source": source,
        "ref": "v1.0.0",
        "commit": first,
        "version": "1.0.0",
    }
    assert world.text() == "1.0.0"
    second = world.release("1.1.0")
    assert ok(world.status())["update"]["available"] is None  # nobody was asked
    assert ok(world.status("--fetch", "--trust"))["update"]["available"] == "1.1.0"
    assert ok(world.status())["update"]["available"] == "1.1.0"
    assert world.update("--check").code == 6
    ok(world.update())
    assert (world.record()["ref"], world.record()["commit"]) == ("v1.1.0", second)
    assert world.text() == "1.1.0"


def alone(world, source):
    """What works when the server is gone."""
    done = ok(world.status())
    assert (done["update"]["available"], done["warnings"]) == (None, [])
    assert world.run("diff", cwd=world.work / "child").code == 0
    ok(world.update("--to", "v1.0.0", "--allow-downgrade"))
    assert world.text() == "1.0.0"
    assert ok(world.status())["update"]["available"] == "1.1.0"
    ok(world.new(f"{source}@v1.1.0", "offline"))
    ok(world.new(f"{source}@{world.record()['commit']}", "by-commit"))
    for done in (
        world.new(source, "newest"),
        world.update("--check"),
        world.new(f"{source}@main", "b"),
    ):
        said = fails(done, *UNREACHABLE)
        assert "git said: " in said and "the cache has v1.1.0, v1.0.0:" in said
        assert "SRC@v1.1.0, or --to v1.1.0 of an update" in said
    assert "the cache has v1.1.0" in fails(world.update("--to", "v2.0.0"), *UNREACHABLE)
    said = fails(world.status("--fetch", "--trust"), *UNREACHABLE)
    assert "--to v1.1.0" in said


def test_git_daemon(world):
    with servers.git_daemon(world.root) as port:
        source = f"git://127.0.0.1:{port}/catalogs.git"
        life(world, source)
    alone(world, source)


def test_https_with_a_password_from_the_credential_helper(world, https):
    world.release("1.0.0")
    source = https.url("closed/catalogs.git")
    said = fails(world.new(source), *UNREACHABLE)  # nobody is asked where there is no terminal
    assert "could not read Username" in said
    store = world.folder / "home/.git-credentials"
    store.write_text(f"https://{servers.USER}:s3cret%2fwith%3asigns@localhost:{https.port}\n")
    world.configure_git("[credential]\n\thelper = store\n")
    life(world, source)
    assert has_secret(world.cache, "s3cret") is None
    assert has_secret(world.work, "s3cret") is None


@pytest.mark.turns(1)
@pytest.mark.parametrize("way", ["https_proxy", "http.proxy"])
def test_https_through_the_users_proxy(way, world, https):
    world.release("1.0.0")
    proxy = servers.HttpProxy()
    password = quote(servers.PASSWORD, safe="")
    address = f"http://{servers.USER}:{password}@127.0.0.1:{proxy.port}"
    if way == "https_proxy":
        world.run.env["https_proxy"] = address
    else:
        world.configure_git(f"[http]\n\tproxy = {address}\n")
    life(world, https.url("open/catalogs.git"))
    assert set(proxy.reached) == {f"CONNECT localhost:{https.port} HTTP/1.1"}
    proxy.close()
    said = fails(world.update("--check"), *UNREACHABLE)
    assert "git said: " in said and "s3cret" not in said
    assert has_secret(world.cache, "s3cret") is None
    assert has_secret(world.work, "s3cret") is None


def on_a_terminal(world, source, *replies):
    """`new` with a terminal of its own: what was shown, and the exit code."""
    child, main = pty.fork()
    if child == 0:
        os.chdir(world.work)
        words = ["tmplgen", "new", "typed", "--type", "thing", "--defaults", "--trust"]
        os.execve(BINARY, [*words, f"--catalog={source}"], world.run.env)
    shown, mark, left = "", 0, list(replies)
    with contextlib.suppress(OSError):  # the terminal is gone with its last program
        while chunk := os.read(main, 4096):
            shown += chunk.decode()
            if left and left[0][0] in shown[mark:]:
                mark = len(shown)
                os.write(main, left.pop(0)[1].encode())
    os.close(main)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), shown


def test_password_is_asked_for_on_a_terminal(world, https):
    world.release("1.0.0")
    source = https.url("closed/catalogs.git")
    code, shown = on_a_terminal(world, source, ("Username for", "\x03"))
    assert code == 130, shown
    assert not (world.work / "typed").exists()
    words = [("Username for", f"{servers.USER}\n"), ("Password for", f"{servers.PASSWORD}\n")] * 3
    code, shown = on_a_terminal(world, source, *words)
    assert code == 0 and servers.PASSWORD not in shown, shown
    assert world.text("typed") == "1.0.0"
    assert has_secret(world.folder / "home", servers.PASSWORD) is None


def test_ssh_by_the_users_configuration(world, ssh):
    world.release("1.0.0")
    ok(world.new(f"ssh://catalogs{world.bare}"))
    assert world.record()["source"] == f"ssh://catalogs{world.bare}"


@pytest.mark.full
def test_life_behind_ssh(world, ssh):
    life(world, ssh)


@pytest.mark.full
def test_https_without_a_password(world, https):
    life(world, https.url("open/catalogs.git"))


def test_wrong_certificate(world, https):
    world.release("1.0.0")
    del world.run.env["GIT_SSL_CAINFO"]
    said = fails(world.new(https.url("open/catalogs.git")), *UNREACHABLE)
    assert "certificate" in said
    world.run.env["GIT_SSL_NO_VERIFY"] = "1"  # no way around it by a variable of a caller
    fails(world.new(https.url("open/catalogs.git")), *UNREACHABLE)


def test_unknown_host_key(world, ssh):
    world.release("1.0.0")
    (world.folder.parent / "ssh/known").write_text("")
    said = fails(world.new(ssh), *UNREACHABLE)  # and no question at a terminal that nobody reads
    assert "Host key verification failed" in said


def test_redirect_carries_no_password_to_another_host(world, https):
    world.release("1.0.0")
    store = world.folder / "home/.git-credentials"
    store.write_text(f"https://{servers.USER}:s3cret%2fwith%3asigns@localhost:{https.port}\n")
    world.configure_git("[credential]\n\thelper = store\n")
    ok(world.new(https.url("moved/catalogs.git")))
    seen = https.seen_elsewhere().splitlines()
    assert seen and all(line.endswith("<->") for line in seen), seen
    assert world.record()["source"] == https.url("moved/catalogs.git")


def test_redirect_to_plain_http_is_not_followed(world, https):
    world.release("1.0.0")
    fails(world.new(https.url("down/catalogs.git")), *UNREACHABLE)


def test_no_repository_there(world, daemon):
    fails(world.new(daemon.replace("catalogs", "other")), *UNREACHABLE)


def test_variables_of_a_caller_lead_nowhere_and_hooks_do_not_run(world, daemon):
    world.release("1.0.0")
    hook = world.folder / "hooks/reference-transaction"
    hook.parent.mkdir()
    hook.write_text(f"#!/bin/sh\ntouch {world.folder}/ran\n")
    hook.chmod(0o755)
    world.configure_git(f"[core]\n\thooksPath = {hook.parent}\n")
    env = {"GIT_DIR": "/nowhere", "GIT_OBJECT_DIRECTORY": "/nowhere", "GIT_INDEX_FILE": "/nowhere"}
    env |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.git.allow"}
    env |= {"GIT_CONFIG_VALUE_0": "never", "GIT_ALLOW_PROTOCOL": "none", "GIT_TRACE": "/nowhere/x"}
    ok(world.new(daemon, env=env))
    assert not (world.folder / "ran").exists()


@pytest.mark.full
@pytest.mark.parametrize("setting", ["fetch.prune=true", "transfer.fsckObjects=false"])
def test_users_settings_do_not_change_what_is_fetched(world, daemon, setting):
    world.release("1.0.0")
    section, name = setting.split(".")
    world.configure_git(f"[{section}]\n\t{name.replace('=', ' = ')}\n")
    ok(world.new(daemon))
