"""Kinds of hostile servers: what each does with a connection whose request was read.

A kind is a generator of pieces of bytes to send; it ends, and the connection with it. `elsewhere`
is the address of another server, which must never be told who asks.
"""

import gzip
import itertools
import json
import time
from functools import cache

HTML = b"<!doctype html><title>Welcome</title><p>Log in to use this network.</p>"
LONG = 10**12
DIGEST = "sha256:" + "0" * 64
MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
MANIFEST = json.dumps(
    {"schemaVersion": 2, "mediaType": MANIFEST_TYPE, "config": {}, "layers": []}
).encode()


def reply(body=b"", status="200 OK", kind="application/json", length=None, **headers):
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body) if length is None else length}"]
    lines += [f"Content-Type: {kind}"] if kind else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def redirect(to, status="302 Found"):
    return reply(HTML, status, "text/html", Location=to)


def endless(piece, wait=0.0):
    while True:
        yield piece
        time.sleep(wait)


def chunk(data):
    return b"%x\r\n%s\r\n" % (len(data), data)


CHUNKED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


@cache
def bomb():
    return gzip.compress(b"[" * (64 << 20))


@cache
def million_keys():
    return json.dumps({f"k{i}": i for i in range(600_000)}).encode()


def kinds(elsewhere):
    """{name: function of nothing that gives the pieces}"""
    there = f"http://{elsewhere}"
    # fixed answers first
    fixed = {
        "closes at once": b"",
        "garbage": b"\x00\x01\x02garbage\r\n\r\n" * 10,
        "http 0.9": b'{"tags": []}',
        "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
        "html": reply(HTML, kind="text/html"),
        "html that is called a manifest": reply(HTML, kind=MANIFEST_TYPE),
        "html with a digest": reply(HTML, kind="text/html", Docker_Content_Digest=DIGEST),
        "empty 200": reply(b"", kind=None),
        "empty 200 with a digest": reply(b"", kind=MANIFEST_TYPE, Docker_Content_Digest="sha256:1"),
        "204": reply(b"", "204 No Content", None),
        "206 unasked": reply(b"{}", "206 Partial Content", Content_Range="bytes 0-1/2"),
        "304 unasked": b"HTTP/1.1 304 Not Modified\r\n\r\n",
        "wrong digest": reply(MANIFEST, kind=MANIFEST_TYPE, Docker_Content_Digest=DIGEST),
        "json that is none of it": reply(b'{"hello": "world"}'),
        "json null": reply(b"null"),
        "json text": reply(b'"text"'),
        "deep json": reply(b"[" * 200_000),
        "the same key twice": reply(b'{"name": 1, "name": 2}'),
        "no utf-8": reply(b'{"name": "\xff\xfe"}'),
        "nul": reply(b'{"name": "a\\u0000b", "tags": ["\x00"]}'),
        "control characters": reply(
            json.dumps(
                {"errors": [{"code": "\x1b[2J\n::error ::x", "message": "\x07\u202e"}]}
            ).encode(),
            "403 \x1b[31mForbidden",
        ),
        "body too short": reply(b"{}", length=1000),
        "body too long": reply(b"{}" * 1000, length=2),
        "length of 10^12": reply(b"{}", length=LONG),
        "negative length": reply(b"{}", length=-1),
        "404": reply(HTML, "404 Not Found", "text/html"),
        "401 for ever": reply(b"{}", "401 Unauthorized", WWW_Authenticate='Basic realm="x"'),
        "403": reply(HTML, "403 Forbidden", "text/html"),
        "429 for ever": reply(b"", "429 Too Many Requests", Retry_After="0"),
        "retry after 10^9": reply(b"", "503 Busy", Retry_After=10**9),
        "retry after -1": reply(b"", "503 Busy", Retry_After=-1),
        "retry after the year 9999": reply(
            b"", "503 Busy", Retry_After="Fri, 31 Dec 9999 23:59:59 GMT"
        ),
        "500": reply(HTML, "500 Internal Server Error", "text/html"),
        "status 999": reply(HTML, "999 Whatever", "text/html"),
        "token from elsewhere": reply(
            b"", "401 Unauthorized", WWW_Authenticate=f'Bearer realm="{there}/token",service="s"'
        ),
        "token from a file": reply(
            b"",
            "401 Unauthorized",
            WWW_Authenticate='Bearer realm="file:///etc/passwd",service="s"',
        ),
        "to a file": redirect("file:///etc/passwd"),
        "to gopher": redirect("gopher://127.0.0.1/x"),
        "to ftp": redirect("ftp://127.0.0.1/x"),
        "to a user": redirect(f"http://somebody:secret@{elsewhere}/"),
        "to another host": redirect(f"{there}/page"),
        "to itself": redirect("?again"),
        "to a name too long": redirect("/" + "x" * 60_000),
        "to nothing": redirect(""),
        "308 without a place": reply(b"", "308 Permanent Redirect"),
    }
    # and what is long to make, or goes on
    moving = {
        "a million keys": lambda: iter([reply(million_keys())]),
        "gzip bomb": lambda: iter([reply(bomb(), Content_Encoding="gzip")]),
        "never answers": lambda: endless(b"", 0.2),
        "slow headers": lambda: itertools.chain([b"HTTP/1.1 200 OK\r\nX: "], endless(b"x", 0.1)),
        "slow body": lambda: itertools.chain([reply(b"{", length=10_000)], endless(b" ", 0.1)),
        "endless headers": lambda: itertools.chain(
            [b"HTTP/1.1 200 OK\r\n"], endless(b"X-Y: " + b"z" * 1000 + b"\r\n")
        ),
        "endless 100": lambda: endless(b"HTTP/1.1 100 Continue\r\n\r\n"),
        "endless body": lambda: itertools.chain([reply(b"", length=LONG)], endless(b" " * 65_536)),
        "endless chunks": lambda: itertools.chain([CHUNKED], endless(chunk(b" " * 65_536))),
        "tiny chunks": lambda: itertools.chain([CHUNKED], endless(chunk(b" ") * 1000)),
        "endless gzip": lambda: itertools.chain(
            [CHUNKED.replace(b"\r\n\r\n", b"\r\nContent-Encoding: gzip\r\n\r\n")],
            endless(chunk(bomb())),
        ),
    }
    return {name: (lambda data=data: iter([data])) for name, data in fixed.items()} | moving
