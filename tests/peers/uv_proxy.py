"""A loopback proxy, by which uv asks for PyTorch's own indexes.

uv has these indexes built in and no option for a mirror. So their host is answered here, by what
tests/installs/stand_in.py serves, cut down to the builds that the rows of matrices/ know;
everything else goes through untouched.
"""

import contextlib
import re
import select
import socket
import ssl
import subprocess
import threading
from socketserver import StreamRequestHandler, ThreadingTCPServer

import yaml

from ..common.program import ROOT
from ..installs.stand_in import OWN, StandIn

LIMIT = 60  # seconds for a connection


def rows(path):
    return yaml.load(path.read_text(), yaml.BaseLoader)  # noqa: S506 (versions are texts)


TORCH = rows(ROOT / "matrices" / "frameworks" / "pytorch.yml")
HOST = TORCH["index_url"].split("/")[2]


def served(variant):
    """{package: versions} of the index of a variant, by the rows of matrices/."""
    releases = {row["version"]: row.get("companions", {}) for row in TORCH["releases"]}
    here = {r for b in TORCH["builds"] if b["variant"] == variant for r in b["releases"].split()}
    here = set(releases) if "all" in here else here
    found = {"torch": here}
    for companions in (releases[release] for release in here):
        for name, version in companions.items():
            found.setdefault(name, set()).add(version)
    for path in (ROOT / "matrices" / "packages").glob("*.yml"):
        package = rows(path)
        if package.get("index") == "framework" and package["package"] in OWN - set(found):
            found[package["package"]] = {
                row["version"]
                for row in package.get("releases", [])
                if variant in row.get("variants", variant).split()
            }
    return found


class Indexes(StandIn):
    """The stand-in, without the wheels that no row knows; of a package without rows, all."""

    def page(self, name, variant):
        page, known = super().page(name, variant), served(variant).get(name)
        if known is None:
            return page
        kept = [x for x in page.split("\n") if re.split("-|%2B", x.split('"')[1])[1] in known]
        return "<!DOCTYPE html><html><body>" + "\n".join(kept) + "</body></html>"


class Tunnel(StreamRequestHandler):
    """CONNECT, as a proxy answers it."""

    def handle(self):
        host, port = self.rfile.readline().split()[1].decode().rsplit(":", 1)
        while self.rfile.readline().strip():
            pass
        there = self.server.stand_in if host == HOST else (host, int(port))
        with contextlib.suppress(OSError), socket.create_connection(there, timeout=LIMIT) as far:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            self.pump(far)

    def pump(self, far):
        other = {self.connection: far, far: self.connection}
        while True:
            for end in select.select(list(other), [], [])[0]:
                data = end.recv(1 << 16)
                if not data:
                    return
                other[end].sendall(data)


def certificate(folder):
    """For the host of PyTorch's indexes, signed by nobody: uv is told to take it."""
    key, cert = folder / "key.pem", folder / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        + ["-subj", f"/CN={HOST}", "-addext", f"subjectAltName=DNS:{HOST}"]
        + ["-keyout", key, "-out", cert],
        check=True,
        capture_output=True,
    )
    return cert, key


@contextlib.contextmanager
def proxy(default, pip, folder):
    """The URL of a proxy; `default` is pip's own index."""
    with Indexes(default, pip) as indexes:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(folder))
        indexes.server.socket = context.wrap_socket(indexes.server.socket, server_side=True)
        with ThreadingTCPServer(("127.0.0.1", 0), Tunnel) as server:
            server.daemon_threads, server.block_on_close = True, False
            server.stand_in = indexes.server.server_address
            threading.Thread(target=server.serve_forever, daemon=True).start()
            yield f"http://127.0.0.1:{server.server_address[1]}"
            server.shutdown()
