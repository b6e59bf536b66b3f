"""Where passwords come from: docker's and podman's files, credential helpers, identity tokens."""

import base64
import json
import os
from urllib.parse import parse_qs

import pytest

from .conftest import PASSWORD, USER
from .fake import Answer, Fake, digest_of

HELPER = """\
#!/bin/sh
[ "$1" = get ] || exit 9
read -r host || [ -n "$host" ]
echo "$host" >>{log}
{answer}
"""


@pytest.fixture
def wanted(secure):
    data = secure.push("team/base", "1.0")
    return f"{secure.host}/team/base:1.0", digest_of(data)


@pytest.fixture
def world(tmp_path, secure):
    """Files below a home of their own; the environment to find them."""

    class World:
        log = tmp_path / "asked"
        env = {"SSL_CERT_FILE": secure.ca}

        def file(self, name, document, variable=None):
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(document if isinstance(document, str) else json.dumps(document))
            if variable:
                self.env = {**self.env, variable: path}
            return path

        def helper(self, answer, name="test"):
            path = self.file(
                f"bin/docker-credential-{name}", HELPER.format(log=self.log, answer=answer)
            )
            path.chmod(0o755)
            self.env = {**self.env, "PATH": f"{path.parent}:{os.environ['PATH']}"}

        def asked(self):
            return self.log.read_text().split() if self.log.exists() else []

    return World()


def auth(user=USER, password=PASSWORD):
    return {"auth": base64.b64encode(f"{user}:{password}".encode()).decode()}


def says(user, secret):
    return "echo '" + json.dumps({"ServerURL": "x", "Username": user, "Secret": secret}) + "'"


@pytest.mark.parametrize("how", ["store", "one", "both"])
def test_helper(secure, wanted, world, probe, how):
    config = {"auths": {secure.host: {}}}
    if how != "one":
        config["credsStore"] = "nothing" if how == "both" else "test"
    if how != "store":
        config["credHelpers"] = {secure.host: "test", "other.example.com": "nothing"}
    world.file(".docker/config.json", config)
    world.helper(says(USER, PASSWORD))
    result = probe("manifests", wanted[0], wanted[0], **world.env)
    assert result.out.splitlines() == [f"there {wanted[1]}"] * 2
    assert world.asked() == [secure.host]


def test_matrix_verify_asks_the_helper(secure, world, tmplgen, catalog):
    world.file(".docker/config.json", {"credsStore": "test"})
    world.helper(says(USER, PASSWORD))
    where = f"{secure.host}/nothing"
    words = ["matrix", "verify", "images", "--registry", where, "--catalog", catalog, "--json"]
    made = json.loads(tmplgen(*words, **world.env).out)
    assert made["exit"] == 6 and made["image_counts"]["there"] == 0
    assert world.asked() == [secure.host]


def test_helper_that_knows_nothing_leaves_it_to_the_files(secure, wanted, world, probe):
    world.file(".docker/config.json", {"credsStore": "test"})
    world.file(".config/containers/auth.json", {"auths": {secure.host: auth()}})
    world.helper("echo 'credentials not found in native keychain'; exit 1")
    assert probe("manifest", wanted[0], **world.env).out.split()[0] == wanted[1]
    assert world.asked() == [secure.host]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("exit 3", "docker-credential-test, which should know, failed"),
        ("echo no json", "docker-credential-test, which should know, failed"),
        ('echo \'{"Username": "x"}\'', "docker-credential-test, which should know, failed"),
        (None, "docker-credential-test, which should know, is not there"),
    ],
)
def test_helper_that_fails_is_named(secure, wanted, world, tmplgen, answer, why):
    world.file(".docker/config.json", {"credsStore": "test"})
    if answer:
        world.helper(answer)
    words = ["image", "rebase", wanted[0], "--onto", wanted[0], "--json"]
    error = json.loads(tmplgen(*words, **world.env).out)["error"]
    assert error["message"].endswith("it wants a user and a password")
    assert error["hint"] == why


WANTED = "it wants a user and a password"


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize(
    ("config", "hint"),
    [
        ({"credsStore": "none"}, "docker-credential-none, which should know, is not there"),
        ({}, "docker login {0}, or podman login {0}"),
        ({"auths": {"{0}": auth()}}, None),
    ],
)
def test_token_that_nobody_gets(fake, world, tmplgen, status, config, hint):
    """As a registry without tokens says it; with a password it is the password that is wrong."""
    fake.special["GET", "/token"] = Answer(status=status)
    world.file(".docker/config.json", json.dumps(config).replace("{0}", fake.host))
    where = f"{fake.host}/a/b:1"
    words = ["image", "rebase", where, "--onto", where, "--json"]
    error = json.loads(tmplgen(*words, **world.env).out)["error"]
    if hint:
        assert error["message"].endswith(f"{fake.host}: {WANTED}")
        assert error["hint"] == hint.format(fake.host)
    else:
        assert error["message"].endswith(f"/token: the server answered {status}")
        assert error["hint"] == "it wants other credentials"


def test_token_of_nobody_that_does_not_do(fake, world, tmplgen):
    """Docker Hub and GitLab give one to everybody, for what is public."""
    fake.special["GET", "/v2/a/b/manifests/1"] = Answer(status=401)
    where = f"{fake.host}/a/b:1"
    words = ["image", "rebase", where, "--onto", where, "--json"]
    error = json.loads(tmplgen(*words, **world.env).out)["error"]
    assert error["message"].endswith("the server answered 401")
    assert error["hint"].startswith(f"docker login {fake.host}")


def test_hint_is_told_for_each_of_many(fake, world, probe):
    fake.special["GET", "/token"] = Answer(status=401)
    result = probe("manifests", f"{fake.host}/a/b:1", f"{fake.host}/c/d:1", **world.env)
    said = f"failed {fake.host}: {WANTED}; docker login {fake.host}, or podman login {fake.host}"
    assert result.out.splitlines() == [said] * 2


@pytest.mark.parametrize("name", ["../evil", "a b", "x;id", ""])
def test_helper_whose_name_is_none(secure, wanted, world, probe, name):
    world.file(".docker/config.json", {"credsStore": name, "auths": {secure.host: auth()}})
    assert probe("manifest", wanted[0], **world.env).code == 0


def test_helper_is_not_asked_by_who_wants_no_password(plain, world, probe):
    plain.push("team/base", "1.0")
    world.file(".docker/config.json", {"credsStore": "test"})
    world.helper(says(USER, PASSWORD))
    assert probe("manifest", f"{plain.host}/team/base:1.0", **world.env).code == 0
    assert world.asked() == []


def test_files_are_looked_through_one_after_the_other(secure, wanted, world, probe, tmp_path):
    world.file(".docker/config.json", {"auths": {"other.example.com": auth("x", "y")}})
    assert probe("manifest", wanted[0], **world.env).code == 1
    world.file("run/containers/auth.json", {"auths": {secure.host: auth()}})
    result = probe("manifest", wanted[0], XDG_RUNTIME_DIR=tmp_path / "run", **world.env)
    assert result.code == 0, result.err


def test_authentication_file_is_the_only_one(secure, wanted, world, probe):
    world.file(".docker/config.json", {"auths": {secure.host: auth()}})
    world.file("only.json", {"auths": {}}, "REGISTRY_AUTH_FILE")
    assert probe("manifest", wanted[0], **world.env).code == 1
    world.file("only.json", {"auths": {secure.host: auth()}})
    assert probe("manifest", wanted[0], **world.env).code == 0


@pytest.mark.parametrize(
    ("keys", "works"),
    [
        (["{host}"], True),
        (["https://{host}/v2/"], True),
        (["http://{host}"], True),
        (["{host}/v1/"], True),
        (["{host}/team"], True),
        (["{host}/team/base"], True),
        (["{host}/te"], False),
        (["{host}/team/base/more"], False),
        (["{host}.example.com"], False),
        (["x{host}"], False),
        (["{host}/team", "!{host}"], True),
        (["!{host}", "{host}/team"], True),
        (["{host}", "!{host}/team"], False),
        (["{host}", "!{host}/other"], True),
    ],
)
def test_keys_of_a_file(secure, wanted, world, probe, keys, works):
    """Those with a '!' have another password."""
    auths = {
        key.lstrip("!").format(host=secure.host): auth(password="no") if key[0] == "!" else auth()
        for key in keys
    }
    world.file(".docker/config.json", {"auths": auths})
    assert (probe("manifest", wanted[0], **world.env).code == 0) == works


@pytest.fixture
def fake():
    with Fake() as server:
        server.token = "abc"
        server.data = server.image("a/b", "1")
        server.forms = []

        def exchange(request):
            form = parse_qs(request.body.decode())
            server.forms.append(form)
            if form["refresh_token"] != ["se cret&x=1"]:
                return Answer(b'{"error": "invalid_grant"}', 400)
            return Answer(json.dumps({"access_token": "abc-exchanged"}).encode())

        server.special["POST", "/token"] = exchange
        yield server


@pytest.mark.parametrize("how", ["file", "helper"])
def test_identity_is_exchanged(fake, world, probe, how):
    if how == "file":
        entry = {**auth("00000000-0000-0000-0000-000000000000", ""), "identitytoken": "se cret&x=1"}
        world.file(".docker/config.json", {"auths": {fake.host: entry}})
    else:
        world.file(".docker/config.json", {"credsStore": "test"})
        world.helper(says("<token>", "se cret&x=1"))
    result = probe("manifest", f"{fake.host}/a/b:1", **world.env)
    assert result.code == 0, result.err
    assert fake.forms == [{
        "grant_type": ["refresh_token"], "client_id": ["tmplgen"], "service": ["fake"],
        "scope": ["repository:a/b:pull"], "refresh_token": ["se cret&x=1"],
    }]  # fmt: skip
    sent = {path.split("?")[0]: authorization for _, path, authorization in fake.requests}
    assert sent["/token"] is None
    assert sent["/v2/a/b/manifests/1"] == "Bearer abc-exchanged"


def test_identity_that_is_not_taken(fake, world, probe):
    entry = {"identitytoken": "old"}
    world.file(".docker/config.json", {"auths": {fake.host: entry}})
    result = probe("manifest", f"{fake.host}/a/b:1", **world.env)
    assert (result.code, "/token: the server answered 400" in result.err) == (1, True)


def test_identity_stays_at_home(fake, world, probe):
    """A token server of another host gets neither a password nor an identity."""
    with Fake() as other:
        header = f'Bearer realm="http://localhost:{other.port}/token",service="x"'
        fake.special["GET", "/v2/"] = Answer(status=401, headers={"WWW-Authenticate": header})
        other.token = "abc"
        world.file(".docker/config.json", {"auths": {fake.host: {"identitytoken": "secret"}}})
        assert probe("manifest", f"{fake.host}/a/b:1", **world.env).code == 0
        assert [(method, said) for method, _, said in other.requests] == [("GET", None)]
        other.special["GET", "/token"] = Answer(status=401)
        said = probe("manifests", f"{fake.host}/a/b:1", **world.env).out
        assert said == (
            f"failed {fake.host}: {WANTED}; http://localhost:{other.port}/token is not of the "
            "registry's own domain: its password is not sent there\n"
        )


@pytest.mark.parametrize("text", ["{", "[]", '{"auths": []}', '{"auths": {"x": 5}}',
                                  '{"credHelpers": 5, "credsStore": []}'])  # fmt: skip
def test_odd_files(plain, world, probe, text):
    plain.push("team/base", "1.0")
    world.file(".config/containers/auth.json", text)
    result = probe("manifest", f"{plain.host}/team/base:1.0", **world.env)
    assert result.code == (2 if text == "{" else 0)
