"""Real servers on loopback that have a folder of git repositories."""

import base64
import contextlib
import getpass
import os
import random
import shutil
import signal
import socket
import subprocess
import threading
import time
from pathlib import Path

USER, PASSWORD = "reader", "s3cret/with:signs"
NGINX = """\
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
  access_log off;
  client_max_body_size 0;  # a catalog's whole history in one push
  log_format who '$host $uri <$http_authorization>';
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port} ssl;
    ssl_certificate {folder}/server.pem;
    ssl_certificate_key {folder}/server.key;
    location ~ ^/open(/.*)$ {{
      include {folder}/backend.conf;
    }}
    location ~ ^/closed(/.*)$ {{
      auth_basic closed;
      auth_basic_user_file {folder}/users;
      include {folder}/backend.conf;
    }}
    location ~ ^/moved/(.*)$ {{
      auth_basic closed;
      auth_basic_user_file {folder}/users;
      return 302 https://127.0.0.1:{other}/open/$1?$args;
    }}
    location ~ ^/down/(.*)$ {{ return 302 http://127.0.0.1:{plain}/open/$1?$args; }}
  }}
  server {{
    listen 127.0.0.1:{other} ssl;
    access_log {folder}/other.log who;
    ssl_certificate {folder}/server.pem;
    ssl_certificate_key {folder}/server.key;
    location ~ ^/open(/.*)$ {{
      include {folder}/backend.conf;
    }}
  }}
  server {{
    listen 127.0.0.1:{plain};
    location ~ ^/open(/.*)$ {{
      include {folder}/backend.conf;
    }}
  }}
}}
"""
BACKEND = """\
fastcgi_param SCRIPT_FILENAME /usr/lib/git-core/git-http-backend;
fastcgi_param GIT_HTTP_EXPORT_ALL "";
fastcgi_param GIT_PROJECT_ROOT {root};
fastcgi_param PATH_INFO $1;
fastcgi_param QUERY_STRING $query_string;
fastcgi_param REQUEST_METHOD $request_method;
fastcgi_param CONTENT_TYPE $content_type;
fastcgi_param CONTENT_LENGTH $content_length;
fastcgi_param HTTP_CONTENT_ENCODING $http_content_encoding;
fastcgi_param HTTP_GIT_PROTOCOL $http_git_protocol;
fastcgi_param REMOTE_USER $remote_user;
fastcgi_pass unix:{folder}/cgi;
"""
SSHD = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/authorized
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
PermitRootLogin yes
AcceptEnv GIT_PROTOCOL
"""


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port, process):
    for _ in range(400):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        assert process.poll() is None, "the server ended"
        time.sleep(0.025)
    raise TimeoutError(port)


def run(*words, **more):
    return subprocess.run(
        [str(word) for word in words], check=True, capture_output=True, text=True, **more
    )


@contextlib.contextmanager
def started(*words, port=None, **more):
    process = subprocess.Popen(
        [str(word) for word in words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        **more,
    )
    try:
        if port:
            wait_for(port, process)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)  # fcgiwrap does not end its children
        process.wait(timeout=20)


# ---------------------------------------------------------------- git daemon


@contextlib.contextmanager
def git_daemon(root: Path, port=None):
    """Its port. In one process of a session of its own: its children end with it."""
    port = port or free_port()
    words = ["git", "daemon", f"--base-path={root}", "--export-all", "--reuseaddr"]
    words += ["--listen=127.0.0.1", f"--port={port}", root]
    with started(*words, port=port):
        yield port


# ---------------------------------------------------------------- https


def make_certificates(folder: Path):
    """A CA of our own, and a certificate of it for localhost and 127.0.0.1."""
    key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2")
    run("openssl", "req", "-x509", *key, "-subj", "/CN=test CA", "-keyout", folder / "ca.key",
        "-out", folder / "ca.pem")  # fmt: skip
    run("openssl", "req", *key[:5], "-subj", "/CN=localhost", "-keyout", folder / "server.key",
        "-out", folder / "server.csr")  # fmt: skip
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    run("openssl", "x509", "-req", "-in", folder / "server.csr", "-CA", folder / "ca.pem",
        "-CAkey", folder / "ca.key", "-days", "2", "-extfile", folder / "names",
        "-out", folder / "server.pem")  # fmt: skip


class Https:
    """nginx in front of git's http-backend: /open, /closed (a password), /moved, /down."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.ca = folder / "ca.pem"
        self.port, self.other, self.plain = free_port(), free_port(), free_port()

    def url(self, where, host="localhost"):
        return f"https://{host}:{self.port}/{where}"

    def seen_elsewhere(self):
        """What the other server was asked, with the credentials that came."""
        return (self.folder / "other.log").read_text()


@contextlib.contextmanager
def https(root: Path, folder: Path, certificates: Path):
    server = Https(folder)
    shutil.copytree(certificates, folder, dirs_exist_ok=True)
    run("htpasswd", "-bc", folder / "users", USER, PASSWORD)
    (folder / "backend.conf").write_text(BACKEND.format(folder=folder, root=root))
    (folder / "nginx.conf").write_text(
        NGINX.format(
            user=f"user {getpass.getuser()};" if os.getuid() == 0 else "",
            folder=folder,
            port=server.port,
            other=server.other,
            plain=server.plain,
        )
    )
    cgi = ("fcgiwrap", "-c", "2", "-s", f"unix:{folder}/cgi")
    nginx = ("nginx", "-p", folder, "-e", folder / "error.log", "-c", folder / "nginx.conf")
    path = {**os.environ, "PATH": f"{os.environ['PATH']}:/usr/sbin", "HOME": str(folder)}
    with started(*cgi, env=path), started(*nginx, port=server.port, env=path):
        yield server


# ---------------------------------------------------------------- ssh


@contextlib.contextmanager
def sshd(folder: Path):
    """Its port; `folder` has the user's `key`, and `config` for ssh."""
    port, user = free_port(), getpass.getuser()
    for name in ("host", "key"):
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name)
    shutil.copy(folder / "key.pub", folder / "authorized")
    (folder / "sshd.conf").write_text(SSHD.format(port=port, folder=folder))
    host = (folder / "host.pub").read_text()
    (folder / "known").write_text(f"[127.0.0.1]:{port} {host}")
    (folder / "config").write_text(
        f"Host catalogs\n  HostName 127.0.0.1\n  Port {port}\n  User {user}\n"
        f"  IdentityFile {folder}/key\n  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known\n"
    )
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd keeps an empty folder there
    with started("/usr/sbin/sshd", "-D", "-f", folder / "sshd.conf", port=port):
        yield port


# ---------------------------------------------------------------- a line that fails


class Proxy:
    """Between a client and a server on this machine: `fault(offset, bytes)` may change, or end.

    It is handed what the server sends, and returns what goes on; less of it cuts the connection,
    and a wait in it is a line that hangs.
    """

    def __init__(self, target, fault):
        self.target, self.fault = target, fault
        self.sent = []  # bytes of the server, a connection each
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                server = self.reach(client)
                self.sent.append(0)
                number = len(self.sent) - 1
                for ends in ((client, server, None), (server, client, number)):
                    threading.Thread(target=self.carry, args=ends, daemon=True).start()

    def reach(self, _client):
        return socket.create_connection(("127.0.0.1", self.target))

    def carry(self, source, sink, number):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                if number is not None:
                    offset, self.sent[number] = self.sent[number], self.sent[number] + len(data)
                    passed = self.fault(number, offset, data)
                    sink.sendall(passed)
                    if len(passed) < len(data):
                        break
                else:
                    sink.sendall(data)
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)  # or who waits in accept() takes one more
        self.listener.close()


class HttpProxy(Proxy):
    """An HTTP proxy for TLS that lets in who knows the password, to any port of this machine."""

    def __init__(self):
        super().__init__(None, lambda _number, _offset, data: data)
        self.reached = []  # what clients asked for, once they were let in

    def reach(self, client):
        known = base64.b64encode(f"{USER}:{PASSWORD}".encode())
        while True:
            head = b""
            while not head.endswith(b"\r\n\r\n"):
                head += client.recv(1)
            if b": Basic " + known in head:
                break
            client.sendall(
                b"HTTP/1.1 407 Who are you\r\nProxy-Authenticate: Basic realm=here\r\n"
                b"Content-Length: 0\r\n\r\n"
            )
        line = head.decode().splitlines()[0]
        server = socket.create_connection(("127.0.0.1", int(line.split()[1].rsplit(":")[1])))
        self.reached.append(line)
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        return server


def cut_at(connection, place):
    """Ends that connection behind so many bytes."""

    def fault(number, offset, data):
        return data if number != connection else data[: max(0, place - offset)]

    return fault


def flip_at(connection, place, seed=1):
    """One byte of that connection is another one."""
    change = random.Random(seed).randrange(1, 256)

    def fault(number, offset, data):
        if number != connection or not offset <= place < offset + len(data):
            return data
        at = place - offset
        return data[:at] + bytes([data[at] ^ change]) + data[at + 1 :]

    return fault


def hang_at(connection, place):
    """That connection says nothing more behind so many bytes."""

    def fault(number, offset, data):
        if number == connection and offset + len(data) > place:
            time.sleep(120)
        return data

    return fault
