"""What `image rebase` writes, to a registry in memory that may refuse, break off and lie."""

import json
import signal
import subprocess
import threading
import time

import pytest

from ..common.program import BINARY
from ..common.schemas import check
from .fake import Answer, Fake, digest_of
from .images import NEW, OLD, OWN, app, base, put_index

UPLOADS = "/v2/team/app/blobs/uploads/"
SENT = f"{UPLOADS}1"
TAG = "/v2/team/app/manifests/1"


@pytest.fixture
def fake():
    """With two bases, and an image on the old one; `before` is its manifest."""
    with Fake() as server:
        server.old = f"{server.host}/nvidia/cuda:13.0.1-base-ubuntu24.04"
        server.onto = f"{server.host}/nvidia/cuda:13.0.3-base-ubuntu24.04"
        base(OLD, "13.0.1").put(server, "nvidia/cuda", "13.0.1-base-ubuntu24.04")
        base(NEW, "13.0.3").put(server, "nvidia/cuda", "13.0.3-base-ubuntu24.04")
        server.before = app(server.old).put(server, "team/app", "1")
        server.requests.clear()
        yield server


@pytest.fixture
def other():
    with Fake() as server:
        yield server


@pytest.fixture
def rebase(fake, tmplgen):
    def run(*more, **env):
        words = ["image", "rebase", f"{fake.host}/team/app:1", "--onto", fake.onto, "--json"]
        result = tmplgen(*words, *more, **env)
        made = json.loads(result.out)
        check(made)
        assert made["exit"] == result.code
        return made

    return run


def now(fake):
    return fake.manifests["team/app", "1"][1]


def unchanged(fake, made, why, code="network", exit=1):
    assert (made["exit"], made["error"]["code"]) == (exit, code), made
    assert why in made["error"]["message"]
    assert now(fake) == fake.before


def count(fake, method, path):
    return sum(url.split("?")[0] == path for url in fake.paths(method))


def test_what_is_asked_and_in_which_order(fake, rebase):
    made = rebase()
    assert digest_of(now(fake)) == made["digest"]
    writes = [(method, path.split("?")[0]) for method, path, _ in fake.requests if method[0] == "P"]
    assert writes == [*[("POST", UPLOADS)] * 4, ("PUT", SENT), ("PUT", TAG)]
    mounted = {path for path in fake.paths("POST") if "mount=" in path}
    assert mounted == {f"{UPLOADS}?mount={digest_of(data)}&from=nvidia/cuda" for data, _ in NEW}
    # no layer comes here: configs alone, by the manifests of the three images
    read = [path for path in fake.paths() if "/blobs/" in path]
    assert len(read) == 3
    assert not {digest_of(data) for data, _ in [*OLD, *NEW, *OWN]} & {p[-71:] for p in read}


def test_layers_that_are_there_are_not_mounted(fake, rebase):
    for data, _ in NEW[1:]:
        fake.blob("team/app", data)
    assert rebase()["exit"] == 0
    assert sum("mount=" in path for path in fake.paths("POST")) == 1


def test_registry_that_mounts_nothing(fake, rebase):
    fake.special["POST", UPLOADS] = Answer(status=202, headers={"Location": SENT})
    unchanged(fake, rebase(), "3 of 3 layers", "missing-layers", 3)
    assert fake.paths("PUT") == []


@pytest.mark.parametrize("how", ["option", "configuration"])
def test_bases_of_docker_hub_below_a_mirror(fake, rebase, tmp_path, how):
    """The label says where it is on Docker Hub; the layers are mounted from the mirror."""
    fake.blobs = {("hub/" + name if "cuda" in name else name, digest): data
                  for (name, digest), data in fake.blobs.items()}  # fmt: skip
    fake.manifests = {("hub/" + name if "cuda" in name else name, tag): value
                      for (name, tag), value in fake.manifests.items()}  # fmt: skip
    app("nvidia/cuda:13.0.1-base-ubuntu24.04").put(fake, "team/app", "1")
    fake.onto = "nvidia/cuda:13.0.3-base-ubuntu24.04"
    more, mirror = [], f"{fake.host}/hub"
    if how == "option":
        more = ["--mirror", mirror]
        mirror = "mirror.example.com"
    (tmp_path / "tmplgen").mkdir()
    (tmp_path / "tmplgen" / "config.yml").write_text(f"mirror: {mirror}\n")
    made = rebase(*more, XDG_CONFIG_HOME=tmp_path)
    assert made["exit"] == 0, made
    assert made["to"].startswith("nvidia/cuda:13.0.3-base-ubuntu24.04@sha256:")
    assert any(path.endswith("&from=hub/nvidia/cuda") for path in fake.paths("POST"))


@pytest.mark.parametrize(
    "where", ["{other}/x", "https://example.invalid/x", "http:///", "ftp://x/y"]
)
def test_upload_that_is_wanted_elsewhere(fake, other, rebase, login, where):
    fake.special["POST", UPLOADS] = lambda request: (
        Answer(status=201)
        if "mount=" in request.path
        else Answer(status=202, headers={"Location": where.format(other=other.url)})
    )
    for data, _ in NEW:
        fake.blob("team/app", data)
    made = rebase(DOCKER_CONFIG=login(fake.host))
    assert (made["exit"], made["error"]["code"]) == (1, "answer")
    assert now(fake) == fake.before
    assert other.requests == []


@pytest.mark.parametrize("where", ["{fake}" + SENT, SENT, f"{SENT}?a=b", "1", "?x=y#fragment"])
def test_locations_that_are_taken(fake, rebase, where):
    for data, _ in NEW:
        fake.blob("team/app", data)
    location = where.format(fake=fake.url)
    fake.special["POST", UPLOADS] = Answer(status=202, headers={"Location": location})
    assert rebase()["exit"] == 0
    sent = [path for path in fake.paths("PUT") if "digest=" in path]
    assert len(sent) == 1
    assert "#" not in sent[0]


def test_upload_without_a_location(fake, rebase):
    for data, _ in NEW:
        fake.blob("team/app", data)
    fake.special["POST", UPLOADS] = Answer(status=202)
    unchanged(fake, rebase(), "does not say where to send", "answer")


def test_upload_that_broke_off_after_it_arrived_is_not_sent_twice(fake, rebase):
    def break_off(request):
        fake.blob("team/app", request.body)
        request.close_connection = True
        request.connection.close()
        raise ConnectionAbortedError

    fake.special["PUT", SENT] = break_off
    assert rebase()["exit"] == 0
    assert count(fake, "PUT", SENT) == 1


def test_upload_that_breaks_off_is_begun_once_more(fake, rebase):
    def break_off(request):
        request.close_connection = True
        request.connection.close()
        raise ConnectionAbortedError

    fake.special["PUT", SENT] = break_off
    unchanged(fake, rebase(), "team/app/blobs/uploads/1")
    assert count(fake, "PUT", SENT) == 2


def test_upload_is_not_repeated_blindly(fake, rebase):
    fake.special["PUT", SENT] = Answer(status=503)
    unchanged(fake, rebase(), "answered 503")
    assert count(fake, "PUT", SENT) == 2
    assert count(fake, "POST", UPLOADS) == 3 + 2


def busy(fake, path, times):
    """429 so often, then as always."""
    left = [times]

    def answer(request):
        if not left[0]:
            del fake.special["PUT", path]
            return fake.answer(request, None)
        left[0] -= 1
        return Answer(status=429, headers={"Retry-After": "1"})

    fake.special["PUT", path] = answer


@pytest.mark.parametrize("path", [SENT, TAG])
def test_too_many_requests_are_waited_for(fake, rebase, path):
    busy(fake, path, 1)
    assert rebase()["exit"] == 0
    assert count(fake, "PUT", path) == 2


def test_manifest_that_becomes_something_else(fake, rebase):
    wrong = "sha256:" + "0" * 64
    fake.special["PUT", TAG] = Answer(status=201, headers={"Docker-Content-Digest": wrong})
    unchanged(fake, rebase(), f"became {wrong}", "answer")


def test_refusal_of_the_registry_is_told(fake, rebase):
    body = b'{"errors": [{"code": "DENIED", "message": "quota \\u001b[31mexceeded", "detail": 1}]}'
    fake.special["PUT", TAG] = Answer(body, 403)
    made = rebase()
    unchanged(fake, made, "answered 403 (DENIED: quota ")
    assert made["error"]["hint"] == "it wants other credentials"


@pytest.mark.parametrize("body", [b"<html>", b'{"errors": []}', b'{"errors": [5]}', b"x" * 9999])
def test_refusal_without_a_reason(fake, rebase, body):
    fake.special["PUT", TAG] = Answer(body, 403)
    made = rebase()
    unchanged(fake, made, "answered 403")
    assert made["error"]["message"].endswith("answered 403")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_manifest_does_not_follow_a_redirect_elsewhere(fake, other, rebase, status):
    fake.special["PUT", TAG] = Answer(status=status, headers={"Location": f"{other.url}/x"})
    unchanged(fake, rebase(), f"answered {status}")
    assert other.requests == []


def test_redirect_on_the_same_host_keeps_what_is_sent(fake, rebase):
    fake.special["PUT", TAG] = Answer(status=307, headers={"Location": "/v2/team/app/manifests/2"})
    made = rebase()
    assert digest_of(fake.manifests["team/app", "2"][1]) == made["digest"]


def test_index_whose_second_image_fails_keeps_its_tag(fake, rebase):
    for version, layers in (("13.0.1", OLD), ("13.0.3", NEW)):
        images = {arch: base(layers, version) for arch in ("amd64", "arm64")}
        put_index(fake, "nvidia/cuda", f"{version}-base-ubuntu24.04", images)
    images = {arch: app(fake.old) for arch in ("amd64", "arm64")}
    fake.before = put_index(fake, "team/app", "1", images)
    said = rebase("--check")
    second = f"/v2/team/app/manifests/{said['layers'][1]['digest']}"
    fake.special["PUT", second] = Answer(status=500)
    unchanged(fake, rebase(), "answered 500")
    del fake.special["PUT", second]
    assert rebase() == said
    assert digest_of(now(fake)) == said["digest"]


def test_tag_that_moved_meanwhile(fake, rebase):
    def move(request):
        del fake.special["PUT", SENT]
        fake.before = app(fake.old, env=["NEW=1"]).put(fake, "team/app", "1")
        return fake.answer(request, None)

    fake.special["PUT", SENT] = move
    unchanged(fake, rebase(), "was pushed anew meanwhile", "changed-meanwhile", 3)


def test_scopes_of_tokens(fake, rebase):
    fake.token = "abc"
    assert rebase()["exit"] == 0
    scopes = [path.partition("scope=")[2] for path in fake.paths() if "/token" in path]
    assert scopes == [
        "repository:team/app:pull",
        "repository:nvidia/cuda:pull",
        "repository:team/app:pull,push&scope=repository:nvidia/cuda:pull".replace(",", "%2C"),
        "repository:team/app:pull,push".replace(",", "%2C"),
    ]
    used = {method: authorization for method, _, authorization in fake.requests}
    assert used["POST"] == "Bearer abc-repository:team/app:pull,push"


def test_image_of_docker_hub_is_not_pushed_to_a_mirror(fake, tmplgen):
    words = ["image", "rebase", "me/app:1", "--onto", fake.onto, "--mirror", fake.host, "--json"]
    made = json.loads(tmplgen(*words).out)
    check(made)
    assert (made["exit"], made["error"]["code"]) == (2, "usage")
    assert fake.requests == []


def test_check_asks_and_writes_nothing(fake, rebase):
    assert rebase("--check")["exit"] == 0
    assert fake.paths("POST") == fake.paths("PUT") == []


@pytest.mark.parametrize("layers", [[], [5], [{}], [{"digest": "sha256:x", "size": 1}], None, {}])
def test_new_base_whose_layers_are_none(fake, rebase, layers):
    kind, data = fake.manifests["nvidia/cuda", "13.0.3-base-ubuntu24.04"]
    manifest = json.loads(data)
    manifest["layers"] = layers
    fake.put("nvidia/cuda", "13.0.3-base-ubuntu24.04", manifest, kind)
    made = rebase()
    assert made["exit"] == 1
    assert now(fake) == fake.before


@pytest.mark.parametrize("which", ["old", "new", "app"])
@pytest.mark.parametrize(
    "change",
    [{"rootfs": None}, {"rootfs": {"diff_ids": []}}, {"rootfs": {"diff_ids": [1, 2]}},
     {"config": None}, {"config": []}, {"config": {"Env": 5, "Labels": []}},
     {"config": {"Env": ["x", 1, None], "Labels": {"tmplgen.base": 5}}}, {"history": 5},
     {"history": [None] * 3}],
)  # fmt: skip
def test_configs_that_are_odd(fake, rebase, which, change):
    repository, tag = {"old": ("nvidia/cuda", "13.0.1-base-ubuntu24.04"),
                       "new": ("nvidia/cuda", "13.0.3-base-ubuntu24.04"),
                       "app": ("team/app", "1")}[which]  # fmt: skip
    kind, data = fake.manifests[repository, tag]
    manifest = json.loads(data)
    config = json.loads(fake.blobs[repository, manifest["config"]["digest"]])
    blob = fake.blob(repository, json.dumps({**config, **change}).encode())
    manifest["config"] |= {"digest": blob["digest"], "size": blob["size"]}
    fake.put(repository, tag, manifest, kind)
    fake.before = now(fake)
    made = rebase()
    assert made["exit"] in (0, 1, 3)
    if made["exit"]:
        assert now(fake) == fake.before


# ---------------------------------------------------------------- time, and signals


def drip(request):
    """A body without an end, byte by byte."""
    request.send_response(200)
    request.send_header("Content-Length", "1000000")
    request.end_headers()
    while True:
        request.wfile.write(b" ")
        request.wfile.flush()
        time.sleep(0.05)


def hold(_):
    """No answer as long as the test goes on."""
    threading.Event().wait()


@pytest.mark.parametrize("answer", [drip, hold])
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_registry_that_takes_its_time(fake, rebase, answer, method):
    """Neither ends: tmplgen does."""
    fake.special[method, TAG] = answer
    unchanged(fake, rebase("--timeout", "1"), "/v2/team/app/manifests/1: ")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signal_before_the_tag_leaves_the_image_as_it_was(fake, tmp_path, number, code):
    waiting = threading.Event()

    def wait(request):
        waiting.set()
        return hold(request)

    fake.special["PUT", TAG] = wait
    words = [BINARY, "image", "rebase", f"{fake.host}/team/app:1", "--onto", fake.onto, "--json"]
    process = subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, env={"HOME": str(tmp_path)}, cwd=tmp_path
    )
    assert waiting.wait(20)
    process.send_signal(number)
    out, _ = process.communicate(timeout=10)
    assert process.returncode == code
    made = json.loads(out)
    check(made)
    assert made["error"]["code"] == "interrupted"
    assert now(fake) == fake.before
