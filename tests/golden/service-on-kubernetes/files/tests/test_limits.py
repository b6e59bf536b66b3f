"""What a client may do to the process: be silent, slow, many, or malicious. And keys."""

from __future__ import annotations

import re
import socket
import time
from contextlib import ExitStack, suppress
from http.client import HTTPConnection
from pathlib import Path

import pytest
from running import started

from it import (
    problems,
    schemas,
)

QUIET = {"SERVE_LOG_LEVEL": "ERROR"}
HEAD = b"POST /v1/predict HTTP/1.1\r\nhost: x\r\n"
NEXT = b"GET /livez HTTP/1.1\r\n\r\n"
BODY = schemas.PredictRequest(instances=schemas.EXAMPLES[:1]).model_dump_json().encode()
# So few files that a few hundred connections take all of them.
FEW = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (300, 300))"


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=30)


def talk(port: int, text: bytes) -> tuple[bytes, float]:
    """What comes until the other end closes, and how long that took."""
    began = time.monotonic()
    found = b""
    with connect(port) as it:
        with suppress(OSError):  # it may be refused before it has all been sent
            it.sendall(text)
        try:
            while more := it.recv(65536):
                found += more
        except ConnectionResetError:
            pass
    return found, time.monotonic() - began


@pytest.fixture(scope="module")
def strict(model_dir):
    settings = {
        "SERVE_HEADER_TIMEOUT_S": "1",
        "SERVE_BODY_TIMEOUT_S": "2",
        "SERVE_KEEP_ALIVE_S": "3",
        "SERVE_API_KEYS": "old,new",
    }
    with started(model_dir, **settings, **QUIET) as it:
        it.wait("/readyz")
        yield it


@pytest.mark.parametrize(
    ("text", "status", "seconds"),
    [
        (b"", b"", 1),
        (b"GET /livez HTTP/1.1\r\nho", b"HTTP/1.1 408 ", 1),
        (HEAD + b"x-api-key: new\r\ncontent-length: 9\r\n\r\n{", b"HTTP/1.1 408 ", 2),
        (b"GET /livez HTTP/1.1\r\nhost: x\r\n\r\n", b"HTTP/1.1 200 ", 3),
    ],
    ids=["silent", "half a head", "half a body", "idle"],
)
def test_a_connection_that_waits_for_its_client_is_closed(strict, text, status, seconds):
    answer, took = talk(strict.port, text)
    assert answer.startswith(status)
    assert answer or not status
    assert seconds - 0.1 < took < seconds + 10
    assert strict.ask("/livez")[0] == 200


def test_blank_lines_after_an_answer_keep_no_connection_open(strict):
    with connect(strict.port) as it:
        it.sendall(NEXT)
        assert it.recv(65536).startswith(b"HTTP/1.1 200 ")
        began = time.monotonic()
        with suppress(OSError):
            while time.monotonic() - began < 10:
                it.sendall(b"\r\n")
                time.sleep(0.2)
        assert 2.9 < time.monotonic() - began < 10
    # A request that comes after them in time is answered, and has the whole time afterwards.
    with connect(strict.port) as it:
        for _ in range(3):
            it.sendall(NEXT)
            answer = b""
            while not answer.endswith(b"}"):
                answer += it.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200 ")
            it.sendall(b"\r\n")
            time.sleep(1.5)
    assert strict.ask("/livez")[0] == 200


@pytest.mark.parametrize(
    "text",
    [
        HEAD + b"content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
        HEAD + b"content-length: 4\r\ncontent-length: 5\r\n\r\n",
        HEAD + b"content-length: -1\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        HEAD + b"x: " + b"y" * 1_000_000,
    ],
    ids=["two lengths", "two numbers", "less than nothing", "TLS", "a head without end"],
)
def test_what_is_not_http_is_refused_and_the_connection_closed(strict, text):
    answer, took = talk(strict.port, text)
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 431 ")) or not answer
    assert answer.count(b"HTTP/1.1") <= 1
    assert took < 10


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Authorization", "Bearer new", 200),
        ("authorization", "bearer old", 200),
        ("X-API-Key", "old", 200),
        ("X-API-Key", "other", 401),
        ("X-API-Key", "old,new", 401),
        ("Authorization", "Basic new", 401),
        ("Accept", "*/*", 401),
    ],
)
def test_any_of_the_keys_opens_and_nothing_else_does(strict, name, value, status):
    connection = HTTPConnection("127.0.0.1", strict.port, timeout=30)
    connection.request("POST", "/v1/predict", BODY, {name: value})
    answer = connection.getresponse()
    assert answer.status == status
    assert (answer.getheader("www-authenticate") == "Bearer") == (status == 401)
    connection.close()


@pytest.mark.parametrize("keys", ["none", "empty"])
def test_keys_that_cannot_be_read_are_wrong_usage(model_dir, tmp_path, keys):
    (tmp_path / "empty").write_text("\n")
    with started(model_dir, SERVE_API_KEYS_FILE=str(tmp_path / keys)) as it:
        status, log = it.end()
    assert status == 2
    assert log.startswith("error: SERVE_API_KEYS")


def test_probes_and_metrics_need_no_key_and_all_else_does(strict):
    for path in ("/livez", "/readyz", "/startupz", "/metrics", "/v2/health/ready"):
        assert strict.ask(path)[0] == 200
    for path in ("/openapi.json", "/docs", "/v2", "/no/such/page"):
        assert strict.ask(path)[0] == 401


def test_silent_connections_make_room_for_a_probe(model_dir):
    settings = {"SERVE_MAX_CONNECTIONS": "50", "SERVE_HEADER_TIMEOUT_S": "60", **QUIET}
    for patch in ("", FEW):
        with started(model_dir, patch, **settings) as it, ExitStack() as stack:
            it.wait("/readyz")
            for _ in range(400):
                stack.enter_context(connect(it.port)).sendall(b"GET /li")
            began = time.monotonic()
            assert it.ask("/livez")[0] == 200
            assert time.monotonic() - began < 5


def test_a_connection_that_is_being_answered_is_not_closed_for_another(model_dir):
    settings = {"SERVE_MAX_CONNECTIONS": "4", "SERVE_MAX_WAIT_MS": "2000", **QUIET}
    with started(model_dir, **settings) as it, ExitStack() as stack:
        it.wait("/readyz")
        asking = stack.enter_context(connect(it.port))
        length = str(len(BODY)).encode()
        asking.sendall(HEAD + b"content-length: " + length + b"\r\n\r\n" + BODY)
        for _ in range(20):
            stack.enter_context(connect(it.port))
        assert it.ask("/livez")[0] == 200
        assert asking.recv(65536).startswith(b"HTTP/1.1 200 ")


def listed(one: bytes, count: int) -> bytes:
    return b"[" + b",".join([one] * count) + b"]"


def fields(count: int) -> bytes:
    names = b"".join(b',"%x":0' % number for number in range(count))
    return BODY[:-1] + names + b"}"


def post(body: bytes, path: bytes = b"/v1/predict", more: bytes = b"") -> bytes:
    head = b"POST " + path + b" HTTP/1.1\r\nhost: x\r\nx-api-key: new\r\nconnection: close\r\n"
    return head + more + b"content-length: %d\r\n\r\n" % len(body) + body


def infer(**tensor: bytes) -> bytes:
    """Of one input, which has so much of something."""
    given = {"name": b'"a"', "datatype": b'"BYTES"', "shape": b"[1]", **tensor}
    inner = b",".join(b'"%s":%s' % (name.encode(), value) for name, value in given.items())
    return b'{"inputs":[{' + inner + b"}]}"


INFER = b"/v2/models/it/infer"
BINARY = infer(parameters=b'{"binary_data_size":900000}')
CHUNKS = HEAD + b"x-api-key: new\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n"
CUT = ("chunks of a byte", "many requests at once")
# The most that the limits let through, and what is stopped by them. At most a megabyte each.
HOSTILE = {
    "many fields": post(fields(90_000)),
    "as many fields as may be": post(fields(49_000)),
    "one field again and again": post(b"{" + b",".join([b'"a":0'] * 49_000) + b"}"),
    "many items": post(b'{"instances":' + listed(b"{}", 300_000) + b"}"),
    "as many items as may be": post(b'{"instances":' + listed(b"{}", 24_000) + b"}"),
    "an item of many": post(b'{"instances":[' + listed(b"[]", 24_000) + b"]}"),
    "deep": post(b'{"instances":' + b"[" * 49_000),
    "digits": post(b'{"instances":[' + b"9" * 900_000 + b"]}"),
    "numbers of many digits": post(b'{"instances":' + listed(b"9" * 4000, 240) + b"}"),
    "escapes": post(b'{"instances":{"' + b'\\"' * 450_000 + b'":0}}'),
    "many texts": post(listed(b'","', 300_000)),
    "many inputs": post(b'{"inputs":' + listed(b"{}", 300_000) + b"}", INFER),
    "as many inputs as may be": post(b'{"inputs":' + listed(b"{}", 24_000) + b"}", INFER),
    "many outputs": post(b'{"inputs":[],"outputs":' + listed(b'{"name":""}', 24_000) + b"}", INFER),
    "a tensor of many dimensions": post(infer(shape=listed(b"1", 49_000)), INFER),
    "a tensor of many lists": post(infer(data=listed(b"[]", 24_000)), INFER),
    "many parameters": post(infer(parameters=b"{" + fields(49_000)[1:]), INFER),
    "many binary strings": post(
        BINARY + b"\0" * 900_000, INFER, b"inference-header-content-length: %d\r\n" % len(BINARY)
    ),
    "a length of many digits": post(
        b"{}", INFER, b"inference-header-content-length: " + b"9" * 60_000 + b"\r\n"
    ),
    "many lines in the head": post(b"{}", more=b"a:b\r\n" * 12_000),
    "a long id": post(b"{}", more=b"x-request-id: " + b"a" * 60_000 + b"\r\n"),
    "a long path": post(b"{}", b"/v2/models/" + b"a" * 60_000 + b"/infer"),
    CUT[0]: CHUNKS + b"1\r\n0\r\n" * 160_000,
    CUT[1]: NEXT * 40_000,
}


def cpu_seconds(process: int) -> float:
    """What the event loop's thread has computed: however busy others keep the machine."""
    return int(Path(f"/proc/{process}/task/{process}/schedstat").read_text().split()[0]) / 1e9


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_is_answered_briefly_and_holds_nobody_up(strict, name):
    """What the event loop computes is how long a probe waits."""
    talk(strict.port, HOSTILE[name])
    before = cpu_seconds(strict.process.pid)
    answer, _ = talk(strict.port, HOSTILE[name])
    took = cpu_seconds(strict.process.pid) - before
    # What is not read to its end may be refused by a reset, before the answer has come.
    assert re.match(rb"HTTP/1.1 4(00|04|13|22) ", answer) or (not answer and name in CUT)
    assert answer.count(b"HTTP/1.1") <= 1
    assert len(answer) < 2000
    assert took < 0.1
    assert strict.ask("/livez")[0] == 200


@pytest.mark.parametrize("text", [b",[{" * 200_000, b'\\"\\\\,' * 150_000])
def test_what_looks_like_values_in_a_text_is_none(strict, text):
    body = b'{"texts":{"' + text + b'":0}}'
    answer, _ = talk(strict.port, post(body[:999_000]))
    assert answer.startswith(b"HTTP/1.1 422 ")


@pytest.mark.parametrize(("count", "more"), [(100, False), (50_002, True)])
def test_values_are_counted_to_the_last(count, more):
    body = b" " * 10_000 + listed(b'"a"', count)
    assert problems.has_more_values(body, 50_000) is more
    # Names are none.
    body = b"{" + b",".join(b'"%d" : 0' % number for number in range(count)) + b"}"
    assert problems.has_more_values(body, 50_000) is more
