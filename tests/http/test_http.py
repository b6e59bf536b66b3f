"""HTTP behaviour, case by case: what is run, what the server replies, what it must be asked.

cases/*.txt hold sections: `== command` (what follows `tmplgen matrix`), `== reply SERVER [delay=S]
[slow=S] [times=N]`, `== request SERVER` (the first line exactly; further lines are headers that
must be there, or with a `!` must not), `== exit CODE` (below it: words of the message), `== waits
SECONDS` (at least), `== env`. Servers are A and B (http) and S (https, by a CA of the test).
`{{...}}` stands for what MACROS and the servers' addresses give.
"""

import gzip
import hashlib
import io
import json
import os
import re
import ssl
import subprocess
import time
import zipfile
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ..common.rows import matrix_catalog, only_framework
from .server import Reply, Server

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BINARY = Path(os.environ.get("TMPLGEN", ROOT / "build" / "tmplgen")).resolve()
CASES = sorted((HERE / "cases").glob("*.txt"))
WHEEL = "demo-1.0-cp312-cp312-manylinux2014_x86_64.whl"
METADATA = "Metadata-Version: 2.1\nName: demo\nVersion: 1.0\n\n"
FRAMEWORK = """\
framework: demo
title: Demo
supply: wheel
requirements: demo=={version}
sources:
  test: the test
releases:
- {version: 1.0, pythons: 3.12, default: cpu, source: test, as_of: 2026-01}
builds:
- {releases: 1.0, variant: cpu, processors: x86_64, source: test, as_of: 2026-01}
"""


def zipped():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("demo/__init__.py", "")
        archive.writestr("demo-1.0.dist-info/METADATA", METADATA)
    return out.getvalue()


def listing(**more):
    file = {"filename": WHEEL, "url": WHEEL, "upload-time": "2026-01-02T00:00:00Z", **more}
    return json.dumps({"meta": {"api-version": "1.1"}, "name": "demo", "files": [file]})


def pieces(wheel):
    """The ranges by which a wheel is read: all of it here, the directory, the entry."""
    directory = wheel.index(b"PK\1\2")
    size = wheel.index(b"PK\5\6") - directory
    entry = wheel.index(b"PK\3\4", 4)
    packed = zipfile.ZipFile(io.BytesIO(wheel)).infolist()[1].compress_size
    return directory, directory + size - 1, entry, entry + 30 + 1024 + packed - 1


ZIP = zipped()
FIRST, LAST, ENTRY, ENTRY_END = pieces(ZIP)
JSON_FILE = {"filename": WHEEL, "url": "/files/" + WHEEL, "upload_time": "2026-01-02T00:00:00"}
MACROS = {
    "wheel": WHEEL,
    "metadata": METADATA,
    "listing": listing(),
    "listing-sum": listing(
        **{"core-metadata": {"sha256": hashlib.sha256(METADATA.encode()).hexdigest()}}
    ),
    "listing-wrong-sum": listing(**{"core-metadata": {"sha256": "0" * 64}}),
    "project": json.dumps({"info": {"name": "demo"}, "releases": {"1.0": [JSON_FILE]}}),
    "release": json.dumps({"info": {"name": "demo", "version": "1.0", "requires_dist": None}}),
    "zip": ZIP,
    "zip-directory": ZIP[FIRST : LAST + 1],
    "zip-entry": ZIP[ENTRY:],
    "zip-directory-range": f"{FIRST}-{LAST}",
    "zip-entry-range": f"{ENTRY}-{ENTRY_END}",
    "megabytes-9": "x" * (9 << 20),
    "bomb": gzip.compress(b"[" * (40 << 20)),
    "long-header": "x" * (80 << 10),
    "deep": "[" * 100000,
}  # fmt: skip


def sections(text):
    found, current = [], None
    for line in text.splitlines(keepends=True):
        if line.startswith("== "):
            current = [line[3:].split(), ""]
            found.append(current)
        elif current:
            current[1] += line
    return found


def expand(text, macros):
    """Bytes, since what is sent may be any."""
    parts = re.split(r"\{\{([a-zA-Z0-9-]+)\}\}", text)
    out = parts[0].encode()
    for name, rest in zip(parts[1::2], parts[2::2], strict=True):
        value = macros[name]
        out += value if isinstance(value, bytes) else str(value).encode()
        out += rest.encode()
    return out


def reply_bytes(body, macros):
    """Lines of the head end in CRLF; the length is added where the case says `Length: auto`."""
    head, _, content = body.partition("\n\n")
    data = expand(content.removesuffix("\n"), macros)
    lines = (
        expand(head, macros)
        .decode("latin-1")
        .replace("Length: auto", f"Content-Length: {len(data)}")
    )
    return lines.replace("\n", "\r\n").encode("latin-1") + b"\r\n\r\n" + data


@pytest.fixture(scope="session")
def certificates(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ca")
    names = folder / "names"
    names.write_text("subjectAltName=IP:127.0.0.1\n")
    for words in (
        "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=ca -keyout ca.key -out ca.pem",
        "req -newkey rsa:2048 -nodes -subj /CN=server -keyout server.key -out server.csr",
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2"
        " -extfile names -out server.pem",
    ):
        subprocess.run(["openssl", *words.split()], cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture(scope="session")
def catalog(tmp_path_factory):
    folder = matrix_catalog(tmp_path_factory.mktemp("catalog"))
    only_framework(folder / "matrices", "demo", FRAMEWORK)
    return folder


def check_request(asked, wanted, where):
    first, *headers = wanted.strip().splitlines()
    lines = asked.split("\r\n")
    assert lines[0] == first, where
    there = {line.split(":", 1)[0].lower(): line for line in lines[1:] if ":" in line}
    for header in headers:
        if header.startswith("!"):
            assert header[1:].lower() not in there, f"{where}: {asked}"
        else:
            name = header.split(":", 1)[0].lower()
            assert there.get(name, "").lower() == header.lower(), f"{where}: {asked}"


def test_failure_is_an_error_document_with_its_code(tmp_path, catalog):
    def run(url):
        done = subprocess.run(
            [BINARY, "matrix", "verify", "--json", "--index-url", url, "--catalog", catalog],
            capture_output=True, env={"HOME": str(tmp_path)}, check=False, timeout=60,
        )  # fmt: skip
        document = json.loads(done.stdout)
        assert (document["exit"], done.returncode) == (1, 1)
        assert set(document) == {"schema", "exit", "error"}
        return document["error"]["code"]

    with Server() as server:
        url = f"http://127.0.0.1:{server.port}/index"
        assert run("http://127.0.0.1:9/index") == "network"
        for body, code in (("[]", "answer"), ("{{deep}}", "limit")):
            head = "HTTP/1.1 200 OK\nLength: auto\n\n"
            server.replies.append(Reply(reply_bytes(head + body, MACROS)))
            assert run(url) == code


FAKE_PYTHON = """\
#!/bin/sh
case "$*" in
"-m pip config list") cat "$HOME/settings" ;;
"-c from pip"*) cat "$HOME/default" ;;
*) exit 9 ;;
esac
"""


@pytest.fixture
def with_pip(tmp_path, catalog):
    """Runs `matrix verify` where python3's pip is made up."""
    python = tmp_path / "python3"
    python.write_text(FAKE_PYTHON)
    python.chmod(0o755)

    def run(settings, default="", **env):
        (tmp_path / "settings").write_text(settings)
        (tmp_path / "default").write_text(default)
        env = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "HOME": str(tmp_path)} | env
        return subprocess.run(
            [BINARY, "matrix", "verify", "--catalog", catalog, "--verbose"],
            capture_output=True, text=True, env=env, check=False, timeout=60,
        )  # fmt: skip

    return run


@pytest.mark.parametrize(
    ("settings", "chosen"),
    [
        ("global.index-url='{A}'\n", "A"),
        ("global.index-url='{A}'\ninstall.index-url='{B}'\n", "B"),
        ("global.index-url='{A}'\n:env:.index-url='{B}'\nglobal.timeout='60'\n", "B"),
        ("global.extra-index-url='{A}'\n", "default"),
        ("", "default"),
    ],
)
def test_the_index_is_that_of_pip(with_pip, settings, chosen):
    with ExitStack() as stack:
        servers = {name: stack.enter_context(Server()) for name in ("A", "B", "default")}
        urls = {name: f"http://127.0.0.1:{server.port}/i" for name, server in servers.items()}
        done = with_pip(settings.format(**urls), urls["default"] + "\n")
        assert f"the package index is {urls[chosen]}" in done.stderr
        asked = {name for name, server in servers.items() if server.requests}
        assert asked == {chosen}


def test_a_password_of_pips_index_is_not_shown(with_pip):
    done = with_pip("global.index-url='http://me:secret@127.0.0.1:9/simple'\n")
    assert done.returncode == 1
    assert "http://127.0.0.1:9/simple" in done.stderr
    assert "secret" not in done.stderr + done.stdout


def test_without_pip_the_index_must_be_named(with_pip, tmp_path):
    (tmp_path / "python3").write_text("#!/bin/sh\nexit 1\n")
    done = with_pip("")
    assert done.returncode == 1
    assert "give --index-url" in done.stderr


@pytest.mark.parametrize(
    "host",
    [
        "127.evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "127.1.evil",
        "[::ffff:127.0.0.1]",
    ],
)
def test_A3_no_credentials_over_plain_http_by_how_a_name_begins(tmp_path, catalog, host):
    """What a name begins with says nothing of where it leads: the proxy would get the password."""
    with Server() as proxy:
        env = {"HOME": str(tmp_path), "http_proxy": f"http://127.0.0.1:{proxy.port}"}
        done = subprocess.run(
            [BINARY, "matrix", "verify", "--catalog", catalog,
             "--index-url", f"http://user:secret@{host}/simple"],
            capture_output=True, text=True, env=env | {"PATH": os.environ["PATH"]},
            cwd=tmp_path, check=False, timeout=60,
        )  # fmt: skip
        assert proxy.requests == []
    assert done.returncode == 1
    assert "credentials are not sent over plain http" in done.stderr
    assert "secret" not in done.stderr + done.stdout


@dataclass
class Case:
    """One file of cases/, with the servers that it speaks of."""

    servers: dict
    macros: dict
    home: Path
    env: dict = field(default_factory=dict)
    commands: list = field(default_factory=list)
    wanted: list = field(default_factory=list)
    code: int = 0
    message: str = ""
    least: float = 0

    def command(self, _words, body):
        self.commands.append(expand(body, self.macros).decode().split())

    def set_env(self, _words, body):
        text = expand(body, self.macros).decode()
        self.env |= dict(line.split("=", 1) for line in text.split())

    def netrc(self, _words, body):
        (self.home / ".netrc").write_text(body)

    def reply(self, words, body):
        options = dict(word.split("=") for word in words[1:])
        data = reply_bytes(body, self.macros)
        reply = Reply(data, float(options.get("delay", 0)), float(options.get("slow", 0)))
        self.servers[words[0]].replies += [reply] * int(options.get("times", 1))

    def request(self, words, body):
        options = dict(word.split("=") for word in words[1:])
        want = (words[0], expand(body, self.macros).decode())
        self.wanted += [want] * int(options.get("times", 1))

    def exit(self, words, body):
        self.code, self.message = int(words[0]), body.strip()

    def waits(self, words, _body):
        self.least = float(words[0])

    def read(self, text):
        kinds = {"env": self.set_env}
        for (kind, *words), body in sections(text):
            kinds.get(kind, getattr(self, kind, None))(words, body)

    def check_message(self, done):
        said = done.stderr.decode()
        assert done.returncode == self.code, said + done.stdout.decode()
        assert "secret" not in said
        for line in filter(None, self.message.splitlines()):
            if line.startswith("!"):
                assert line[1:] not in said
            else:
                assert line in said + done.stdout.decode()

    def check_requests(self):
        for name, server in self.servers.items():
            wanted = [body for who, body in self.wanted if who == name]
            assert len(server.requests) == len(wanted), (name, server.requests)
            for i, (asked, want) in enumerate(zip(server.requests, wanted, strict=True)):
                check_request(asked, want, f"{name} {i}")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path, tmp_path, catalog, certificates):
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificates / "server.pem", certificates / "server.key")
    servers = {"A": Server(), "B": Server(), "S": Server(tls=tls)}
    with ExitStack() as stack:
        macros = {**MACROS, "ca": certificates / "ca.pem"}
        for name, server in servers.items():
            stack.enter_context(server)
            macros[name] = f"127.0.0.1:{server.port}"
        case = Case(servers, macros, tmp_path)
        case.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "XDG_CACHE_HOME": str(tmp_path),
        }
        case.read(path.read_text())
        start = time.monotonic()
        for command in case.commands:
            done = subprocess.run(
                [BINARY, "matrix", *command, "--catalog", catalog],
                capture_output=True, env=case.env, cwd=tmp_path, check=False, timeout=600,
            )  # fmt: skip
        assert time.monotonic() - start >= case.least
        case.check_message(done)
        case.check_requests()
