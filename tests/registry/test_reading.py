"""Many manifests at once, platforms, mirrors: against a registry in memory that may lie."""

import json
import threading

import pytest

from .conftest import HANGS
from .fake import CONFIG, DOCKER, DOCKER_LIST, INDEX, MANIFEST, ROOT, Answer, Fake, digest_of

EMPTY = digest_of(b"{}")


@pytest.fixture
def fake():
    with Fake() as server:
        yield server


def entry(data, os="linux", architecture="amd64", kind=MANIFEST, **more):
    platform = {"os": os, "architecture": architecture, **more}
    return {"mediaType": kind, "digest": digest_of(data), "size": len(data), "platform": platform}


def index(*entries, kind=INDEX):
    return {"schemaVersion": 2, "mediaType": kind, "manifests": list(entries)}


def together(fake, method, paths, count, answer):
    """Nobody who asks for these paths has an answer before `count` of them have asked."""
    gate = threading.Barrier(count, timeout=HANGS)

    def wait(request):
        gate.wait()
        return answer(request)

    fake.special |= {(method, path): wait for path in paths}


def test_a_hundred_tags_at_once(fake, probe):
    fake.token = "abc"
    names = [f"{fake.host}/nvidia/cuda:{i}" for i in range(100)]
    made = [fake.image("nvidia/cuda", str(i), variant=f"v{i}") for i in range(100)]
    paths = [f"/v2/nvidia/cuda/manifests/{i}" for i in range(100)]
    together(fake, "GET", paths, 10, lambda request: fake.content(request.path))
    result = probe("manifests", *names)
    assert result.code == 0, result.err
    assert result.out.splitlines() == [f"there {digest_of(data)}" for data in made]
    # what it is, a token, and then all of them
    assert [path for path in fake.paths() if "/manifests/" not in path] == [
        "/v2/",
        "/token?service=fake&scope=repository:nvidia/cuda:pull",
    ]
    assert len(fake.requests) == 102


def test_tokens_of_many_repositories_are_asked_for_at_once(fake, probe):
    fake.token = "abc"
    for i in range(32):
        fake.image(f"team/r{i}", "1")
    together(fake, "GET", ["/token"], 8, fake.grant)
    result = probe("manifests", *[f"{fake.host}/team/r{i}:1" for i in range(32)])
    assert result.out.count("there ") == 32


def test_one_that_fails_does_not_stop_the_others(fake, probe):
    good = fake.image("a/b", "good")
    fake.put("a/b", "html", b"<html>", "text/html")
    fake.special["GET", "/v2/a/b/manifests/broken"] = Answer(status=500)
    names = [f"{fake.host}/a/b:{tag}" for tag in ("gone", "html", "good", "broken")]
    result = probe("manifests", *names, "127.0.0.1:9/a/b:1")
    assert result.code == 0
    gone, html, there, broken, unreachable = result.out.splitlines()
    assert gone == "gone -"
    assert html.startswith(f"failed {fake.url}/v2/a/b/manifests/html: ")
    assert there == f"there {digest_of(good)}"
    assert broken == f"failed {fake.url}/v2/a/b/manifests/broken: the server answered 500"
    assert unreachable.startswith("failed https://127.0.0.1:9/v2/")


def test_token_that_ended_is_asked_for_again(fake, probe):
    fake.token = "old"
    fake.image("a/b", "1")
    fake.image("a/b", "2")

    def end(_):
        fake.token = "new"
        del fake.special["GET", "/v2/a/b/manifests/1"]
        return Answer(status=401)

    fake.special["GET", "/v2/a/b/manifests/1"] = end
    result = probe("manifests", f"{fake.host}/a/b:1", f"{fake.host}/a/b:2")
    assert result.out.count("there ") == 2


def test_registry_that_never_takes_its_own_token(fake, probe):
    fake.token = "abc"
    header = f'Bearer realm="{fake.url}/token"'
    fake.special["GET", "/v2/a/b/manifests/1"] = Answer(
        status=401, headers={"WWW-Authenticate": header}
    )
    result = probe("manifest", f"{fake.host}/a/b:1")
    assert (result.code, "answered 401" in result.err) == (1, True)
    assert fake.paths().count("/v2/a/b/manifests/1") == 2


def test_registry_that_wants_a_token_for_one_repository_alone(fake, probe):
    fake.image("a/b", "1")
    fake.special["GET", "/v2/"] = ROOT
    fake.token = "abc"
    assert probe("manifest", f"{fake.host}/a/b:1").code == 0


def test_platforms_of_an_index(fake, probe):
    one, two, three = (fake.image("a/b", tag) for tag in "123")
    fake.put(
        "a/b",
        "all",
        index(
            entry(two, architecture="arm64", variant="v8"),
            entry(one),
            entry(three, architecture="arm", variant="v7"),
            entry(three),  # a second one for the same
            entry(b"x", os="unknown", architecture="unknown"),
            entry(b"y", kind="application/vnd.example+json"),
            {key: value for key, value in entry(b"z").items() if key != "platform"},
        ),
    )
    result = probe("platforms", f"{fake.host}/a/b:all")
    assert result.code == 0, result.err
    assert result.out.splitlines() == [
        f"linux/amd64 {digest_of(one)}",
        f"linux/arm/v7 {digest_of(three)}",
        f"linux/arm64 {digest_of(two)}",
    ]


def test_platform_of_a_plain_manifest(fake, probe):
    data = fake.image("a/b", "1", architecture="arm64", variant="v8")
    result = probe("platforms", f"{fake.host}/a/b:1")
    assert (result.code, result.out) == (0, f"linux/arm64 {digest_of(data)}\n")


@pytest.mark.parametrize(
    ("config", "why"),
    [
        (b"{}", "is an image for no platform"),
        (b'{"os": "linux", "architecture": "a/b"}', "is an image for no platform"),
        (b"[1", "the config of"),
    ],
)
def test_config_that_says_no_platform(fake, probe, config, why):
    blob = fake.blob("a/b", config)
    fake.put("a/b", "1", {"schemaVersion": 2, "config": blob, "layers": []}, MANIFEST)
    result = probe("platforms", f"{fake.host}/a/b:1")
    assert (result.code, why in result.err) == (1, True), result.err


@pytest.mark.parametrize(
    ("served", "size", "code", "why"),
    [
        (b'{"os":"linux"}', 2, "limit", "longer than the limit of 2 bytes"),
        (b"{", 2, "answer", "1 bytes came, not 2"),
        (b"[]", 2, "answer", "what came is sha256:"),
        (None, 2, "not-found", "has no blob"),
        (b"{}", 1 << 40, "limit", "is larger than"),
        (b"{}", -1, "answer", "is of no size"),
        (b"{}", "2", "answer", "is of no size"),
    ],
)
def test_config_that_is_not_what_its_descriptor_says(fake, probe, served, size, code, why):
    config = {"mediaType": CONFIG, "digest": EMPTY, "size": size}
    if served is not None:
        fake.blobs["a/b", EMPTY] = served
    fake.put("a/b", "1", {"schemaVersion": 2, "config": config, "layers": []}, MANIFEST)
    result = probe("platforms", f"{fake.host}/a/b:1")
    assert result.code == 1
    assert result.err.startswith(f"{code}: ")
    assert why in result.err


def test_index_inside_an_index(fake, probe):
    inner = fake.put("a/b", "inner", index())
    for kind in (INDEX, DOCKER_LIST):
        fake.put("a/b", "outer", index(entry(inner, kind=kind)))
        result = probe("platforms", f"{fake.host}/a/b:outer")
        assert result.code == 1
        assert "an index inside an index is not followed" in result.err


CONFIG_PART = {"mediaType": CONFIG, "digest": EMPTY, "size": 2}
PLAIN = {"schemaVersion": 2, "config": CONFIG_PART, "layers": []}


@pytest.mark.parametrize(
    ("document", "served", "why"),
    [
        ({**PLAIN, "mediaType": MANIFEST}, DOCKER, "and the registry that it is"),
        ({**PLAIN, "mediaType": INDEX}, INDEX, "and holds a manifest"),
        (PLAIN, INDEX, "and holds a manifest"),
        (index(kind=None), MANIFEST, "and holds an index"),
        (PLAIN, "text/html", "'text/html' is no manifest of an image"),
        ({**PLAIN, "mediaType": "x/y"}, "x/y", "'x/y' is no manifest of an image"),
        ({**PLAIN, "manifests": []}, MANIFEST, "a manifest and an index at once"),
        ({"manifests": [], "layers": []}, INDEX, "a manifest and an index at once"),
        ({"schemaVersion": 1, "fsLayers": []}, None, "(schema1)"),
        (PLAIN, "application/vnd.docker.distribution.manifest.v1+prettyjws", "(schema1)"),
    ],
)
def test_wrong_media_types(fake, probe, document, served, why):
    fake.put("a/b", "1", document, served)
    result = probe("manifest", f"{fake.host}/a/b:1")
    assert (result.code, result.err.split(":")[0]) == (1, "answer")
    assert why in result.err


@pytest.mark.parametrize(
    ("kind", "served", "told"),
    [
        (MANIFEST, MANIFEST, MANIFEST),
        (DOCKER, DOCKER + "; charset=utf-8", DOCKER),
        (None, DOCKER, DOCKER),
        (DOCKER, "application/json", DOCKER),
        (None, "application/octet-stream", MANIFEST),
        (None, None, MANIFEST),
    ],
)
def test_media_types_that_are_taken(fake, probe, kind, served, told):
    document = {**PLAIN, "mediaType": kind} if kind else PLAIN
    fake.put("a/b", "1", document, served)
    result = probe("manifest", f"{fake.host}/a/b:1")
    assert result.code == 0, result.err
    assert result.out.split()[1] == told


@pytest.mark.parametrize("path", ["", "/cache/hub"])
def test_mirror_of_docker_hub(fake, probe, path):
    where = path.lstrip("/") + "/" if path else ""
    made = [fake.image(f"{where}{name}", "1", variant=name) for name in ("nvidia/cuda", "own/x")]
    made.append(fake.image(f"{where}library/ubuntu", "24.04"))
    names = ("nvidia/cuda:1", "docker.io/own/x:1", "ubuntu:24.04")
    result = probe("manifests", *names, PROBE_MIRROR=fake.host + path)
    assert result.out.splitlines() == [f"there {digest_of(data)}" for data in made]


def test_mirror_is_for_docker_hub_alone(fake, probe):
    data = fake.image("a/b", "1")
    result = probe("manifests", f"{fake.host}/a/b:1", PROBE_MIRROR="127.0.0.1:9/x")
    assert result.out == f"there {digest_of(data)}\n"


def test_what_a_mirror_lacks_is_named_there(fake, probe):
    result = probe("manifest", "ubuntu:24.04", PROBE_MIRROR=f"{fake.host}/hub")
    assert result.err == f"not-found: {fake.host}/hub/library/ubuntu has no 24.04\n"


@pytest.mark.parametrize(
    "mirror",
    ["mirror", "https://example.com", "example.com/", "example.com/a:1",
     "example.com/A", "a b.com", "/x", "docker.io/x"],
)  # fmt: skip
def test_bad_mirror(probe, mirror):
    result = probe("manifest", "ubuntu:24.04", PROBE_MIRROR=mirror)
    assert (result.code, result.err) == (2, f"invalid-image: '{mirror}' is no mirror of images\n")


@pytest.mark.parametrize("mirror", ["u:secret@example.com/hub", "secret@example.com/hub",
                                    "u:secret/secret@example.com/hub"])  # fmt: skip
def test_a_mirror_with_a_password_is_refused_without_it(probe, mirror):
    result = probe("manifest", "ubuntu:24.04", PROBE_MIRROR=mirror)
    assert result.code == 2
    assert "'example.com/hub' must be named without user and password" in result.err
    assert "secret" not in result.out + result.err


@pytest.mark.parametrize("name", ["u:secret@r.io/a:1", "https://u:secret@r.io/a:1",
                                  "u:secret@r.io/a@sha256:" + 64 * "0"])  # fmt: skip
def test_a_name_with_a_password_is_refused_without_it(probe, tmplgen, name):
    result = probe("manifest", name)
    assert result.code == 2 and "secret" not in result.out + result.err
    rest = name.split("secret@")[1]
    for words in ([name, "--onto", "ubuntu:24.04"], ["r.io/x:1", "--onto", name]):
        said = tmplgen("image", "rebase", *words)
        assert said.code == 2 and "secret" not in said.out + said.err
        assert f"'{rest}' must be named without user and password" in said.err


def test_index_of_a_document_that_is_no_object(fake, probe):
    for document in ([], "text", 5, None, {"manifests": {}}, {"config": []}):
        fake.put("a/b", "1", json.dumps(document).encode(), MANIFEST)
        assert probe("manifest", f"{fake.host}/a/b:1").code == 1


# ---------------------------------------------------------------- what else may come


@pytest.fixture
def storage():
    with Fake() as server:
        yield server


def test_config_in_a_storage_of_its_own_gets_no_secret(fake, storage, probe, login):
    fake.token = "abc"
    data = fake.image("a/b", "1")
    config = json.loads(data)["config"]["digest"]
    path = f"/v2/a/b/blobs/{config}"
    storage.special["GET", "/bucket"] = Answer(fake.blobs["a/b", config])

    def redirect(request):
        if not request.headers.get("Authorization"):
            return Answer(status=401)
        return Answer(status=307, headers={"Location": f"{storage.url}/bucket?signed=1"})

    fake.special["GET", path] = redirect
    result = probe("platforms", f"{fake.host}/a/b:1", DOCKER_CONFIG=login(fake.host))
    assert (result.code, result.out) == (0, f"linux/amd64 {digest_of(data)}\n")
    assert [authorization for *_, authorization in storage.requests] == [None]
    assert storage.paths() == ["/bucket?signed=1"]


def test_storage_that_wants_a_secret_gets_none(fake, storage, probe, login):
    """A 401 of another host is not the registry's, and says nothing of how to ask it."""
    fake.token = "abc"
    data = fake.image("a/b", "1")
    path = f"/v2/a/b/blobs/{json.loads(data)['config']['digest']}"
    header = f'Bearer realm="{storage.url}/token"'
    storage.special["GET", "/bucket"] = Answer(status=401, headers={"WWW-Authenticate": header})
    fake.special["GET", path] = Answer(status=307, headers={"Location": f"{storage.url}/bucket"})
    result = probe("platforms", f"{fake.host}/a/b:1", DOCKER_CONFIG=login(fake.host))
    assert result.code == 1
    assert [authorization for *_, authorization in storage.requests] == [None]


def test_realm_that_leads_to_another_host_after_the_fact(fake, storage, probe, login):
    """A repository may say what it wants when the registry did not: the password stays at home."""
    header = f'Bearer realm="http://localhost:{storage.port}/token"'
    fake.special["GET", "/v2/a/b/manifests/1"] = Answer(
        status=401, headers={"WWW-Authenticate": header}
    )
    storage.token = "abc"
    assert probe("manifest", f"{fake.host}/a/b:1", DOCKER_CONFIG=login(fake.host)).code == 1
    assert [authorization for *_, authorization in storage.requests] == [None]


@pytest.mark.parametrize("wait", ["1", None])
def test_too_many_requests_are_waited_for(fake, probe, wait):
    made = [fake.image("a/b", str(i), variant=f"v{i}") for i in range(8)]
    gate = threading.Barrier(8, timeout=HANGS)  # they wait together, not one after the other
    left = {f"/v2/a/b/manifests/{i}": 1 for i in range(8)}

    def answer(request):
        if not left[request.path]:
            gate.wait()
            return fake.content(request.path)
        left[request.path] -= 1
        return Answer(status=429, headers={"Retry-After": wait} if wait else {})

    for path in left:
        fake.special["GET", path] = answer
    result = probe("manifests", *[f"{fake.host}/a/b:{i}" for i in range(8)])
    assert result.out.splitlines() == [f"there {digest_of(data)}" for data in made]


def test_registry_that_asks_for_too_long_a_wait(fake, probe):
    answer = Answer(status=429, headers={"Retry-After": "86400"})
    fake.special["GET", "/v2/a/b/manifests/1"] = answer
    result = probe("manifests", f"{fake.host}/a/b:1")
    assert result.out.startswith(f"failed {fake.url}/v2/a/b/manifests/1: the server answered 429")


def test_tag_that_is_deleted_while_it_is_looked_at(fake, probe):
    data = fake.image("a/b", "1")
    fake.put("a/b", "all", index(entry(data)))
    config = json.loads(data)["config"]["digest"]
    del fake.blobs["a/b", config]
    result = probe("platforms", f"{fake.host}/a/b:1")
    assert result.err == f"not-found: {fake.host}/a/b has no blob {config}\n"


@pytest.mark.parametrize(
    ("headers", "body", "why"),
    [
        ({"Content-Length": "100"}, b"{", "/manifests/1: "),
        ({"Content-Length": "9999999999"}, b"{", "/manifests/1: "),
        ({}, b"{" + b" " * (5 << 20), "longer than the limit of 4194304 bytes"),
        ({"X-Long": "x" * 70000}, b"{", "/manifests/1: "),
        ({}, b"\xff\xfe{}", "not valid"),
        ({}, b'{"manifests": [], "manifests": []}', "duplicate"),
        ({"Location": "/"}, b"{}", "neither a manifest nor an index"),
    ],
)
def test_bodies_that_are_not_as_they_should_be(fake, probe, headers, body, why):
    good = fake.image("a/b", "2")

    def answer(request):
        request.close_connection = True
        return Answer(body, headers=headers)

    fake.special["GET", "/v2/a/b/manifests/1"] = answer
    result = probe("manifests", f"{fake.host}/a/b:1", f"{fake.host}/a/b:2")
    broken, there = result.out.splitlines()
    assert broken.startswith("failed ")
    assert why in broken
    assert there == f"there {digest_of(good)}"


def test_index_of_very_many_entries(fake, probe):
    data = fake.image("a/b", "1")
    fake.put("a/b", "all", index(*[entry(data)] * 1001))
    result = probe("platforms", f"{fake.host}/a/b:all")
    assert (result.code, result.err.split(":")[0]) == (1, "limit")
