"""Registries on this machine: Debian's docker-registry, with and without TLS and passwords."""

import base64
import fcntl
import hashlib
import json
import os
import shutil
import socket
import ssl
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ..common.program import BINARY, ROOT, Result
from ..common.rows import drop_rows, matrix_catalog

USER, PASSWORD = "reader", "s3cret/with:signs"
CONFIG = """\
version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {root}}}, delete: {{enabled: true}}}}
http:
  addr: 127.0.0.1:{port}
{tls}{auth}"""
EMPTY = b"{}"
HANGS = 600  # seconds after which nobody waits any longer


@dataclass
class Registry:
    """One that runs, and how to push to it."""

    port: int
    folder: Path
    ca: Path | None = None
    headers: dict = field(default_factory=dict)

    @property
    def host(self):
        return f"127.0.0.1:{self.port}"

    def request(self, method, path, data=None, **headers):
        url = path if "://" in path else f"{'https' if self.ca else 'http'}://{self.host}{path}"
        context = ssl.create_default_context(cafile=self.ca) if self.ca else None
        request = urllib.request.Request(url, data, {**self.headers, **headers}, method=method)
        return urllib.request.urlopen(request, timeout=10, context=context)

    def push_blob(self, repository, data):
        digest = "sha256:" + hashlib.sha256(data).hexdigest()
        where = self.request("POST", f"/v2/{repository}/blobs/uploads/", b"").headers["Location"]
        separator = "&" if "?" in where else "?"
        self.request(
            "PUT",
            f"{where}{separator}digest={digest}",
            data,
            **{"Content-Type": "application/octet-stream"},
        )
        return {"digest": digest, "size": len(data)}

    def push(self, repository, *tags):
        """A manifest of an empty image, under every tag; its bytes."""
        kind = "application/vnd.oci.image.manifest.v1+json"
        config = self.push_blob(repository, EMPTY)
        config["mediaType"] = "application/vnd.oci.image.config.v1+json"
        manifest = {"schemaVersion": 2, "mediaType": kind, "config": config, "layers": []}
        data = json.dumps(manifest).encode()
        url = f"/v2/{repository}/manifests/{tags[0]}"
        self.request("PUT", url, data, **{"Content-Type": kind})
        # the rest as the registry keeps them: it takes a third of a second for each
        root = self.folder / "data/docker/registry/v2/repositories" / repository
        digest = hashlib.sha256(data).hexdigest()
        for tag in tags[1:]:
            for place in ("current", f"index/sha256/{digest}"):
                link = root / "_manifests/tags" / tag / place / "link"
                link.parent.mkdir(parents=True, exist_ok=True)
                link.write_text(f"sha256:{digest}")
        return data


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(folder, tls="", auth="", **known):
    port = free_port()
    config = folder / "config.yml"
    config.write_text(CONFIG.format(root=folder / "data", port=port, tls=tls, auth=auth))
    log = folder / "log"
    with log.open("w") as out:
        process = subprocess.Popen(
            ["docker-registry", "serve", config], stdout=out, stderr=subprocess.STDOUT
        )
    try:
        for _ in range(100):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield Registry(port, folder, **known)
    finally:
        process.kill()
        process.wait()


@pytest.fixture(scope="session", autouse=True)
def _needs_registry():
    if not shutil.which("docker-registry"):
        pytest.fail("docker-registry is not installed: tools/deps.sh test")


@pytest.fixture(scope="session")
def plain(tmp_path_factory):
    with running(tmp_path_factory.mktemp("plain")) as registry:
        yield registry


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, capture_output=True)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    """A CA, and a server's certificate by it."""
    folder = tmp_path_factory.mktemp("ca")
    ca, key = folder / "ca.pem", folder / "ca.key"
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test ca",
            "-keyout", key, "-out", ca)  # fmt: skip
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=registry",
            "-keyout", folder / "server.key", "-out", folder / "server.csr")  # fmt: skip
    names = folder / "names"
    names.write_text("subjectAltName=IP:127.0.0.1,DNS:localhost\n")
    openssl("x509", "-req", "-in", folder / "server.csr", "-CA", ca, "-CAkey", key, "-days", "2",
            "-CAcreateserial", "-extfile", names, "-out", folder / "server.pem")  # fmt: skip
    return folder


@pytest.fixture(scope="session")
def secure(tmp_path_factory, certificates):
    """HTTPS by the CA of this test, and a password."""
    folder = tmp_path_factory.mktemp("secure")
    passwords = folder / "htpasswd"
    made = subprocess.run(
        ["htpasswd", "-nbB", USER, PASSWORD], check=True, capture_output=True, text=True
    )
    passwords.write_text(made.stdout)
    files = (certificates / "server.pem", certificates / "server.key")
    tls = "  tls: {{certificate: {}, key: {}}}\n".format(*files)
    auth = f"auth: {{htpasswd: {{realm: test, path: {passwords}}}}}\n"
    basic = base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
    with running(folder, tls, auth, ca=certificates / "ca.pem",
                 headers={"Authorization": f"Basic {basic}"}) as registry:  # fmt: skip
        yield registry


@pytest.fixture
def call(tmp_path):
    """Runs a program of the build in a world of its own."""

    def run(program, *words, **env):
        world = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
        world |= {name: str(value) for name, value in env.items()}
        done = subprocess.run(
            [program, *map(str, words)],
            capture_output=True, text=True, env=world, cwd=tmp_path, check=False, timeout=HANGS,
        )  # fmt: skip
        return Result(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture(scope="session")
def probe_program():
    """Of the same build as tmplgen; the workers of a parallel run make it one after the other."""
    san = BINARY.parent.name == "build-san"
    target = f"{'build-san' if san else 'build'}/registry-probe"
    with open(ROOT / "build" / "make.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        subprocess.run(["make", "-s", f"SAN={int(san)}", target], cwd=ROOT, check=True)
    return ROOT / target


@pytest.fixture
def probe(call, probe_program):
    return lambda *words, **env: call(probe_program, *words, **env)


@pytest.fixture
def tmplgen(call):
    return lambda *words, **env: call(BINARY, *words, **env)


@pytest.fixture
def login(tmp_path):
    """Writes docker's config.json; the folder of it."""

    def write(host, user=USER, password=PASSWORD):
        auth = base64.b64encode(f"{user}:{password}".encode()).decode()
        folder = tmp_path / "docker"
        folder.mkdir(exist_ok=True)
        (folder / "config.json").write_text(json.dumps({"auths": {host: {"auth": auth}}}))
        return folder

    return write


@pytest.fixture
def catalog(tmp_path):
    """The shipped matrix with few images."""
    folder = matrix_catalog(tmp_path / "catalog")
    drop_rows(folder / "matrices" / "images.yml", r"\{cuda: (?!12\.[46]\.)[0-9.]+, state")
    return folder
