"""What a registry may answer besides the truth: tokens, digests, pages, sizes."""

import base64
import hashlib
import json

import pytest

from ..http.server import Reply, Server

MANIFEST = json.dumps({"schemaVersion": 2, "config": {}, "layers": []}).encode()
DIGEST = "sha256:" + hashlib.sha256(MANIFEST).hexdigest()


def reply(body=b"", status="200 OK", **headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += ["Docker-Distribution-API-Version: registry/2.0"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return Reply("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def challenge(realm):
    header = f'Bearer realm="{realm}",service="the service"'
    return reply(status="401 Unauthorized", WWW_Authenticate=header)


@pytest.fixture
def registry():
    with Server() as server:
        server.host = f"127.0.0.1:{server.port}"
        yield server


@pytest.fixture
def tokens():
    with Server() as server:
        yield server


def basic(user, password):
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def test_token_is_fetched_with_the_password_and_used(registry, tokens, probe, login):
    registry.replies = [challenge(f"http://127.0.0.1:{tokens.port}/token"), reply(MANIFEST)]
    tokens.replies = [reply(b'{"token": "abc.def"}')]
    result = probe("manifest", f"{registry.host}/team/base:1", DOCKER_CONFIG=login(registry.host))
    assert result.code == 0, result.err
    assert result.out.split()[0] == DIGEST
    line = "GET /token?service=the%20service&scope=repository:team/base:pull HTTP/1.1"
    assert tokens.requests[0].startswith(line)
    assert f"Authorization: {basic('reader', 's3cret/with:signs')}" in tokens.requests[0]
    assert "Authorization" not in registry.requests[0]
    assert "Authorization: Bearer abc.def" in registry.requests[1]


def test_token_server_elsewhere_gets_no_password(registry, tokens, probe, login):
    registry.replies = [challenge(f"http://localhost:{tokens.port}/token"), reply(MANIFEST)]
    tokens.replies = [reply(b'{"access_token": "anonymous"}')]
    result = probe("manifest", f"{registry.host}/team/base:1", DOCKER_CONFIG=login(registry.host))
    assert result.code == 0, result.err
    assert "Authorization" not in tokens.requests[0]
    assert "Authorization: Bearer anonymous" in registry.requests[1]


def test_redirected_manifest_does_not_carry_the_token(registry, tokens, probe):
    where = f"http://127.0.0.1:{tokens.port}"
    registry.replies = [
        challenge(f"{where}/token"),
        reply(status="307 Temporary Redirect", Location=f"{where}/elsewhere"),
    ]
    tokens.replies = [reply(b'{"token": "abc"}'), reply(MANIFEST)]
    assert probe("manifest", f"{registry.host}/team/base:1").code == 0
    assert "Authorization: Bearer abc" in registry.requests[1]
    assert "Authorization" not in tokens.requests[1]


@pytest.mark.parametrize("body", [b"", b"{}", b'{"token": 5}', b'{"token": ""}', b"[" * 999])
def test_token_that_is_none(registry, tokens, probe, body):
    registry.replies = [challenge(f"http://127.0.0.1:{tokens.port}/token")]
    tokens.replies = [reply(body)]
    result = probe("manifest", f"{registry.host}/team/base:1")
    assert (result.code, result.err.split(":")[0]) == (1, "answer")


def test_token_with_line_breaks_is_not_sent(registry, tokens, probe):
    registry.replies = [challenge(f"http://127.0.0.1:{tokens.port}/token")]
    tokens.replies = [reply(b'{"token": "a\\r\\nX-Evil: 1"}')]
    result = probe("manifest", f"{registry.host}/team/base:1")
    assert result.code == 1
    assert len(registry.requests) == 1


@pytest.mark.parametrize(
    ("body", "headers", "code"),
    [
        (MANIFEST + b" ", {"Docker_Content_Digest": DIGEST}, "answer"),
        (b"not json", {}, "answer"),
        (b'{"schemaVersion": 2}', {}, "answer"),
        (b"[" * 1000, {}, "limit"),
        (b"{" + b" " * (5 << 20) + b"}", {}, "limit"),
    ],
)
def test_manifest_that_is_not_what_it_must_be(registry, probe, body, headers, code):
    registry.replies = [reply(), reply(body, **headers)]
    result = probe("manifest", f"{registry.host}/team/base:1")
    assert (result.code, result.err.split(":")[0]) == (1, code)


def test_manifest_of_another_digest(registry, probe):
    registry.replies = [reply(), reply(MANIFEST, Docker_Content_Digest="sha256:" + "0" * 64)]
    wanted = "sha256:" + "0" * 64
    result = probe("manifest", f"{registry.host}/team/base@{wanted}")
    assert result.code == 1
    assert f"what came is {DIGEST}, not {wanted}" in result.err


@pytest.mark.parametrize("others", [["Negotiate"], ['Basic realm="x"'], ["Negotiate", "Basic x=y"]])
def test_token_is_preferred_where_several_ways_are_offered(registry, tokens, probe, others):
    lines = [*others, f'Bearer realm="http://127.0.0.1:{tokens.port}/token"']
    head = "".join(f"www-authenticate: {line}\r\n" for line in lines)
    registry.replies = [
        Reply(f"HTTP/1.1 401 No\r\n{head}Content-Length: 0\r\n\r\n".encode()),
        reply(MANIFEST),
    ]
    tokens.replies = [reply(b'{"token": "abc"}')]
    assert probe("manifest", f"{registry.host}/team/base:1").code == 0
    assert "Authorization: Bearer abc" in registry.requests[1]
