"""docker-registry that wants a token, as Docker Hub and GitLab do: `auth: token` and a server."""

import base64
import json
import subprocess
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from .conftest import openssl, running
from .fake import Answer, Fake, digest_of
from .images import NEW, OLD, app, base

SERVICE, ISSUER = "the registry", "the tests"
USERS = {"reader": "s3cret/with:signs", "writer": "another"}


def encoded(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Tokens:
    """Signs what each user may: all read what is public, users all, and `writer` writes."""

    def __init__(self, folder):
        self.key, self.certificate = folder / "token.key", folder / "token.pem"
        openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
                "/CN=tokens", "-keyout", self.key, "-out", self.certificate)  # fmt: skip
        lines = self.certificate.read_text().splitlines()
        self.chain = ["".join(line for line in lines if "-----" not in line)]

    def sign(self, claims):
        header = {"typ": "JWT", "alg": "RS256", "x5c": self.chain}
        parts = [encoded(json.dumps(part).encode()) for part in (header, claims)]
        text = ".".join(parts).encode()
        done = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.key],
            input=text, capture_output=True, check=True,
        )  # fmt: skip
        return f"{text.decode()}.{encoded(done.stdout)}"

    @staticmethod
    def granted(user, name, actions):
        may = {"pull", "push"} if user == "writer" else {"pull"}
        if user is None and not name.startswith("public/"):
            may = set()
        return sorted(may & set(actions.split(",")))

    def answer(self, request):
        query = parse_qs(urlsplit(request.path).query)
        user = None
        said = request.headers.get("Authorization")
        if said:
            user, _, password = (
                base64.b64decode(said.removeprefix("Basic ")).decode().partition(":")
            )
            if USERS.get(user) != password:
                return Answer(b'{"details": "incorrect username or password"}', 401)
        scopes = [scope.split(":") for scope in query.get("scope", [])]
        access = [
            {"type": kind, "name": name, "actions": self.granted(user, name, actions)}
            for kind, name, actions in scopes
        ]
        now = int(time.time())
        claims = {"iss": ISSUER, "sub": user or "", "aud": query["service"][0], "exp": now + 60,
                  "nbf": now - 10, "iat": now, "jti": str(now), "access": access}  # fmt: skip
        return Answer(json.dumps({"token": self.sign(claims), "expires_in": 60}).encode())


@pytest.fixture(scope="session")
def tokened(tmp_path_factory):
    """A registry without TLS, on this machine; `tokens` is what signs for it."""
    folder = tmp_path_factory.mktemp("tokened")
    tokens = Tokens(folder)
    with Fake() as server:
        server.special["GET", "/token"] = tokens.answer
        auth = (
            f"auth: {{token: {{realm: '{server.url}/token', service: {SERVICE},"
            f" issuer: {ISSUER}, rootcertbundle: {tokens.certificate}}}}}\n"
        )
        with running(folder, auth=auth) as registry:
            registry.server = server
            claims = {"iss": ISSUER, "aud": SERVICE, "exp": int(time.time()) + 3600,
                      "nbf": 0, "iat": 0, "jti": "push", "sub": "the tests"}  # fmt: skip
            names = ("public/base", "team/app", "team/nvidia/cuda")
            claims["access"] = [
                {"type": "repository", "name": name, "actions": ["pull", "push"]} for name in names
            ]
            registry.headers["Authorization"] = f"Bearer {tokens.sign(claims)}"
            yield registry


@pytest.fixture(scope="session")
def images(tokened):
    """Two bases and an image on the old one; names of all three."""
    stem = f"{tokened.host}/team/nvidia/cuda:13.0"
    base(OLD, "13.0.1").put(tokened, "public/base", "1")
    old = base(OLD, "13.0.1").put(tokened, "team/nvidia/cuda", "13.0.1-base-ubuntu24.04")
    base(NEW, "13.0.3").put(tokened, "team/nvidia/cuda", "13.0.3-base-ubuntu24.04")
    old = f"{stem}.1-base-ubuntu24.04@{digest_of(old)}"
    data = app(old).put(tokened, "team/app", "1")
    return f"{tokened.host}/team/app:1", f"{stem}.3-base-ubuntu24.04", digest_of(data)


def test_anybody_reads_what_is_public(tokened, images, probe):
    result = probe("platforms", f"{tokened.host}/public/base:1")
    assert result.code == 0, result.err
    assert result.out.startswith("linux/amd64 sha256:")


def test_nobody_reads_what_is_not(tokened, images, probe):
    result = probe("manifest", images[0])
    assert result.code == 1
    assert "answered 401 (UNAUTHORIZED: authentication required)" in result.err


def test_user_reads_and_the_token_is_asked_for_once(tokened, images, probe, login):
    before = len(tokened.server.requests)
    result = probe("manifests", *[images[0]] * 5, DOCKER_CONFIG=login(tokened.host))
    assert result.out.splitlines() == [f"there {images[2]}"] * 5
    assert len(tokened.server.requests) == before + 1


def test_wrong_password_at_the_token_server(tokened, images, probe, login):
    config = login(tokened.host, password="no")
    result = probe("manifest", images[0], DOCKER_CONFIG=config)
    assert result.code == 1
    assert f"{tokened.server.url}/token: the server answered 401" in result.err


def test_who_may_not_push_does_not(tokened, images, tmplgen, probe, login):
    env = {"DOCKER_CONFIG": login(tokened.host)}
    words = ["image", "rebase", images[0], "--onto", images[1]]
    assert tmplgen(*words, "--check", **env).code == 0
    result = tmplgen(*words, **env)
    assert result.code == 1
    assert "answered 401 (UNAUTHORIZED" in result.err
    assert "other credentials" in result.err
    assert probe("manifest", images[0], **env).out.split()[0] == images[2]


def test_who_may_push_rebases(tokened, images, tmplgen, login):
    env = {"DOCKER_CONFIG": login(tokened.host, "writer", USERS["writer"])}
    result = tmplgen("image", "rebase", images[0], "--onto", images[1], "--json", **env)
    assert result.code == 0, result.err
    asked = [path for _, path, _ in tokened.server.requests]
    assert any(
        path.endswith(
            "scope=repository:team/app:pull%2Cpush&scope=repository:team/nvidia/cuda:pull"
        )
        for path in asked
    )
    seen = subprocess.run(
        ["skopeo", "inspect", "--tls-verify=false", "--creds", f"writer:{USERS['writer']}",
         f"docker://{images[0]}"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(seen.stdout)["Digest"] == json.loads(result.out)["digest"]
