"""What is no registry's answer is never taken for an image: each kind of server, each command."""

import json
import os

import pytest

from ..common.measure import MIB, run_measured
from ..common.program import BINARY
from ..common.schemas import check
from .fake import Answer, Fake, digest_of
from .images import NEW, OLD, app, base

MANIFEST = "application/vnd.oci.image.manifest.v1+json"
VERSION = {"Docker-Distribution-API-Version": "registry/2.0"}
PAGE = b"<html><title>Sign in</title></html>"
IMAGE = json.dumps(
    {
        "schemaVersion": 2,
        "mediaType": MANIFEST,
        "config": {"digest": digest_of(b"{}"), "size": 2},
        "layers": [],
    }
).encode()
GOOD = {"Content-Type": MANIFEST, "Docker-Content-Digest": digest_of(IMAGE)}
HTML = {"Content-Type": "text/html"}


def without(*names):
    return {name: value for name, value in GOOD.items() if name not in names}


def sends_to(url):
    return Answer(), Answer(status=302, headers={"Location": url})


# Kind of server: its answer under /v2/, and to everything else.
PROVEN = {
    "registry": (Answer(headers=VERSION), Answer(IMAGE, headers=GOOD)),
    "version-on-the-answer": (Answer(), Answer(IMAGE, headers=GOOD | VERSION)),
    "no-version-but-a-manifest": (Answer(), Answer(IMAGE, headers=GOOD)),
    "no-digest-but-a-manifest": (
        Answer(headers=VERSION),
        Answer(IMAGE, headers=without("Docker-Content-Digest")),
    ),
    "keeps-files": (Answer(), Answer(IMAGE, headers={"Content-Type": "application/json"})),
}
UNPROVEN = {
    "page": (Answer(PAGE, headers=HTML), Answer(PAGE, headers=HTML)),
    "page-of-a-registry": (Answer(headers=VERSION), Answer(PAGE, headers=HTML)),
    "page-as-json": (Answer(), Answer(PAGE, headers={"Content-Type": "application/json"})),
    "page-as-manifest": (Answer(), Answer(PAGE, headers=GOOD)),
    "manifest-as-page": (Answer(headers=VERSION), Answer(IMAGE, headers=GOOD | HTML)),
    "portal-that-finds-nothing": (Answer(), Answer(PAGE, 404, HTML)),
    "empty": (Answer(), Answer()),
    "empty-of-a-registry": (Answer(headers=VERSION), Answer()),
    "no-content": (Answer(), Answer(status=204)),
    "partial": (Answer(), Answer(IMAGE, 206, GOOD)),
    "not-modified": (Answer(), Answer(status=304)),
    "other-json": (Answer(), Answer(b'{"login": true}')),
    "list": (Answer(), Answer(b"[]")),
    "null": (Answer(), Answer(b"null")),
    "nul": (Answer(), Answer(b"\0" * 9)),
    "no-utf-8": (Answer(), Answer(b'{"config": {"\xff": 1}}')),
    "twice-the-same-key": (Answer(), Answer(b'{"config": {}, "config": {}}')),
    "deep": (Answer(), Answer(b"[" * 100_000)),
    "many-keys": (
        Answer(),
        Answer(b"{%s}" % b",".join(b'"%d":0' % i for i in range(300_000))),
    ),
    "other-digest": (
        Answer(),
        Answer(IMAGE, headers=GOOD | {"Docker-Content-Digest": "sha256:" + "0" * 64}),
    ),
    "no-such-digest": (
        Answer(),
        Answer(IMAGE, headers=GOOD | {"Docker-Content-Digest": "sha256:xyz"}),
    ),
    "first-format": (Answer(), Answer(b'{"schemaVersion": 1, "config": {}}')),
    "manifest-and-index": (Answer(), Answer(b'{"config": {}, "manifests": []}')),
    "redirect-to-itself": sends_to("/v2/again"),
    "redirect-to-a-file": sends_to("file:///etc/passwd"),
    "redirect-to-gopher": sends_to("gopher://127.0.0.1/"),
    "redirect-to-ftp": sends_to("ftp://127.0.0.1/"),
    "redirect-with-a-user": sends_to("http://u:p@127.0.0.1:9/"),
    "comes-back-late": (Answer(), Answer(status=429, headers={"Retry-After": "1000000000"})),
    "comes-back-never": (Answer(), Answer(status=503, headers={"Retry-After": "99999"})),
    "turns-away": (Answer(), Answer(status=401)),
    "forbids": (Answer(), Answer(status=403)),
    "breaks": (Answer(), Answer(status=500)),
    "token-in-a-file": (
        Answer(status=401, headers={"WWW-Authenticate": 'Bearer realm="file:///etc/passwd"'}),
        Answer(IMAGE, headers=GOOD),
    ),
    "reason-with-escapes": (
        Answer(),
        Answer(b'{"errors": [{"code": "\\u001b[31m", "message": "a\\nb"}]}', 400),
    ),
    "too-long": (Answer(), Answer(b" " * (5 << 20) + IMAGE)),
}  # fmt: skip


class Kind(Fake):
    """Answers everything alike."""

    def answer(self, request, _authorization):
        return self.root if request.path == "/v2/" else self.rest


@pytest.fixture
def server(request):
    with Kind() as made:
        made.root, made.rest = (PROVEN | UNPROVEN)[request.param]
        yield made


def commands(host):
    return {
        "look": ["matrix", "verify", "images", "--registry", host, "--json", "--timeout", "4"],
        "lock": ["image", "lock", "pytorch", "--gpu", "T4", "--mirror", host, "--json"],
        "rebase": ["image", "rebase", f"{host}/a/b:1", "--onto", f"{host}/c:2", "--json"],
    }


@pytest.mark.parametrize("server", PROVEN, indirect=True)
def test_registries_of_all_kinds_prove_an_image(server, tmplgen, catalog):
    result = tmplgen(*commands(server.host)["look"], "--catalog", catalog)
    made = json.loads(result.out)
    check(made)
    assert (result.code, made["image_counts"]["failed"]) == (0, 0), result.out
    assert {row["digest"] for row in made["images"]} == {digest_of(IMAGE)}


@pytest.mark.turns(16)
@pytest.mark.parametrize("command", ["look", "lock", "rebase"])
@pytest.mark.parametrize("server", UNPROVEN, indirect=True)
def test_nothing_else_proves_one(server, command, catalog, tmp_path):
    words = commands(server.host)[command]
    words += ["--catalog", catalog] if command == "look" else []
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}
    result = run_measured([BINARY, *words], cwd=tmp_path, env=env, seconds=30)
    made = json.loads(result.out)
    check(made)
    assert (result.code, made["exit"]) == (1, 1), result.out + result.err
    assert not any(c < " " and c != "\n" or c == "\x7f" for c in result.err + result.out)
    assert not list(tmp_path.glob("*.lock*"))
    assert result.peak < 600 * MIB


def test_a_tag_that_a_registry_has_not_is_gone(tmplgen, catalog):
    with Kind() as server:
        server.root, server.rest = Answer(headers=VERSION), Answer(status=404)
        result = tmplgen(*commands(server.host)["look"], "--catalog", catalog)
    assert (result.code, json.loads(result.out)["image_counts"]["failed"]) == (6, 0)


def test_a_digest_that_the_answer_denies(probe):
    with Kind() as server:
        server.root = Answer(headers=VERSION)
        server.rest = Answer(IMAGE, headers=GOOD | {"Docker-Content-Digest": "sha256:" + "0" * 64})
        result = probe("manifest", f"{server.host}/a/b@{digest_of(IMAGE)}")
    assert (result.code, result.err.split(":")[0]) == (1, "answer")


def test_a_page_is_no_push(tmplgen):
    """200 with a page, where 201 says that the manifest was taken."""
    with Fake() as fake:
        old = f"{fake.host}/nvidia/cuda:13.0.1-base-ubuntu24.04"
        base(OLD, "13.0.1").put(fake, "nvidia/cuda", "13.0.1-base-ubuntu24.04")
        base(NEW, "13.0.3").put(fake, "nvidia/cuda", "13.0.3-base-ubuntu24.04")
        app(old).put(fake, "team/app", "1")
        fake.special["PUT", "/v2/team/app/manifests/1"] = Answer(PAGE, headers=HTML)
        words = ["image", "rebase", f"{fake.host}/team/app:1", "--onto"]
        result = tmplgen(*words, f"{fake.host}/nvidia/cuda:13.0.3-base-ubuntu24.04")
    assert result.code == 1


def test_slow_answers_have_one_limit_together(probe):
    """Each of them is in time; all together are not."""
    with Fake(latency=0.4) as fake:
        fake.image("a", "1")
        names = [f"{fake.host}/a:1"] * 160
        result = probe("manifests", *names, PROBE_RUN_SECONDS=1)
        asked = len(fake.requests)
        assert probe("manifests", *names[:16]).code == 0
    assert (result.code, result.err.split(":")[0]) == (1, "limit")
    assert "1 s in all" in result.err
    assert asked < len(names)  # they take 4 s, where 16 are asked for at once
