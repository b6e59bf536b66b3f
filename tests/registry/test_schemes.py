"""How registries of this machine are asked: by plain HTTP first, by TLS where that is meant."""

import socket
import ssl
import threading

import pytest

from .fake import ROOT, Answer, Fake, digest_of

TLS = b"\x16"  # how a client begins who expects it
ALERT = b"\x15\x03\x01\x00\x02\x02\x46"
CLOSED = b"Connection: close\r\nContent-Length: 0\r\n\r\n"


def to_tls(port):
    where = f"Location: https://127.0.0.1:{port}/v2/\r\n".encode()
    return b"HTTP/1.1 301 Moved Permanently\r\n" + where + CLOSED


# What servers with TLS say to a request without: Go's, nginx's and Apache's; nginx's with a page
# for it; OpenSSL's; those that hang up.
PLAINLY = {
    "bad request": lambda _: b"HTTP/1.0 400 Bad Request\r\n" + CLOSED,
    "redirect": to_tls,
    "redirect to nowhere": lambda _: b"HTTP/1.1 302 Found\r\n" + CLOSED,
    "alert": lambda _: ALERT,
    "nothing": lambda _: b"",
}


@pytest.fixture
def begun(monkeypatch):
    """The first byte of each connection to a Fake."""
    first = []

    def watched(server):
        connection, address = socket.socket.accept(server.socket)
        first.append(connection.recv(1, socket.MSG_PEEK))
        return connection, address

    monkeypatch.setattr("socketserver.TCPServer.get_request", watched)
    return first


@pytest.fixture(params=PLAINLY)
def behind_tls(request, certificates):
    """A registry with TLS that says something to whoever asks plainly."""
    with Fake() as fake:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificates / "server.pem", certificates / "server.key")
        accept, fake.plain = fake.server.get_request, 0

        def wrapped():
            connection, address = accept()
            if connection.recv(1, socket.MSG_PEEK) == TLS:
                return context.wrap_socket(connection, server_side=True), address
            fake.plain += 1
            connection.recv(65536)
            connection.sendall(PLAINLY[request.param](fake.port))
            connection.close()
            raise OSError("that was plain")

        fake.server.get_request = wrapped
        yield fake


def test_a_plain_registry_is_never_asked_by_tls(begun, probe):
    with Fake() as fake:
        data = fake.image("a/b", "1")
        result = probe("manifest", f"{fake.host}/a/b:1")
        assert result.out.split()[0] == digest_of(data)
    assert set(begun) == {b"G"}


def test_a_registry_behind_tls(behind_tls, certificates, probe):
    data = behind_tls.image("a/b", "1")
    result = probe("manifest", f"{behind_tls.host}/a/b:1", SSL_CERT_FILE=certificates / "ca.pem")
    assert result.code == 0, result.err
    assert result.out.split()[0] == digest_of(data)
    assert behind_tls.plain == 1  # no plain question was asked again and again


def test_a_certificate_that_is_not_trusted_is_told(behind_tls, probe):
    behind_tls.image("a/b", "1")
    result = probe("manifest", f"{behind_tls.host}/a/b:1")
    assert result.code == 1
    assert result.err.startswith(f"network: https://{behind_tls.host}/v2/: SSL peer certificate")


def test_a_password_goes_by_tls_where_there_is_tls(behind_tls, certificates, probe, login):
    behind_tls.image("a/b", "1")
    want = Answer(status=401, headers={"WWW-Authenticate": 'Basic realm="x"'})
    behind_tls.special["GET", "/v2/"] = want
    env = {"SSL_CERT_FILE": certificates / "ca.pem", "DOCKER_CONFIG": login(behind_tls.host)}
    assert probe("manifest", f"{behind_tls.host}/a/b:1", **env).code == 0
    assert behind_tls.requests[-1][2].startswith("Basic ")


def test_nobody_there(probe):
    result = probe("manifest", "127.0.0.1:9/a/b:1")
    assert (result.code, "://127.0.0.1:9/v2/: Couldn't connect" in result.err) == (1, True)


@pytest.mark.parametrize("status", [403, 404, 500])
def test_what_a_plain_registry_says_is_told(probe, status):
    with Fake() as fake:
        fake.special["GET", "/v2/"] = Answer(status=status)
        result = probe("manifest", f"{fake.host}/a/b:1")
        told = f"network: {fake.url}/v2/: the server answered {status}\n"
    assert (result.code, result.err.startswith(told)) == (1, True), result.err


def test_a_plain_registry_that_is_not_ready_yet(probe):
    with Fake() as fake:
        fake.image("a/b", "1")
        answers = [Answer(status=503), ROOT]
        fake.special["GET", "/v2/"] = lambda _: answers.pop(0)
        assert probe("manifest", f"{fake.host}/a/b:1").code == 0


def test_a_silent_host_is_waited_for_once(tmplgen):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        kept = []

        def accept():
            while True:
                try:
                    kept.append(silent.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        host = f"127.0.0.1:{silent.getsockname()[1]}"
        names = (f"{host}/a:1", "--onto", f"{host}/b:1")
        result = tmplgen("image", "rebase", *names, "--timeout", "3")
        silent.shutdown(socket.SHUT_RDWR)
    assert result.code == 1
    assert f"http://{host}/v2/: " in result.err and "3 s" in result.err
    assert len(kept) == 1
