"""Servers of a whole run, each with a folder of repositories of its own; a world for each test."""

import shutil

import pytest

from . import servers
from .world import World


def need(*programs):
    for program in programs:
        if not shutil.which(program, path="/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"):
            pytest.skip(f"'{program}' is not installed: tools/deps.sh test")


@pytest.fixture
def world(tmp_path):
    return World(tmp_path / "world")


@pytest.fixture
def daemon(world):
    """The address of the world's repository at a `git daemon`."""
    with servers.git_daemon(world.root) as port:
        world.port = port
        yield f"git://127.0.0.1:{port}/catalogs.git"


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    need("openssl")
    folder = tmp_path_factory.mktemp("certificates")
    servers.make_certificates(folder)
    return folder


@pytest.fixture
def https(world, tmp_path, certificates):
    """nginx with the world's repository; the user knows its CA, and no password."""
    need("nginx", "fcgiwrap", "htpasswd")
    folder = tmp_path / "https"
    folder.mkdir()
    with servers.https(world.root, folder, certificates) as server:
        world.run.env["GIT_SSL_CAINFO"] = str(server.ca)
        yield server


@pytest.fixture
def ssh(world, tmp_path):
    """The world's repository behind sshd, by the user's own ssh configuration."""
    need("sshd", "ssh", "ssh-keygen")
    folder = tmp_path / "ssh"
    folder.mkdir()
    with servers.sshd(folder):
        world.configure_git(f"[core]\n\tsshCommand = ssh -F {folder}/config\n")
        yield f"catalogs:{world.bare}"
