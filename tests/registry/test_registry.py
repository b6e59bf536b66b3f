"""The registry client against Debian's docker-registry on this machine."""

import hashlib
import json

import pytest


def digest_of(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def test_manifest_by_tag_and_by_digest(plain, probe):
    data = plain.push("team/base", "1.0")
    for name in (f"{plain.host}/team/base:1.0", f"{plain.host}/team/base@{digest_of(data)}"):
        result = probe("manifest", name)
        assert result.code == 0, result.err
        digest, kind, size = result.out.split()
        assert (digest, int(size)) == (digest_of(data), len(data))
        assert kind == "application/vnd.oci.image.manifest.v1+json"


def test_what_is_not_there(plain, probe):
    plain.push("team/base", "1.0")
    result = probe("manifest", f"{plain.host}/team/base:2.0")
    assert result.code == 1
    assert result.err.startswith("not-found: ")
    assert probe("manifest", f"{plain.host}/team/nothing:1").code == 1


def test_password_from_the_docker_configuration(secure, probe, login):
    data = secure.push("team/base", "1.0")
    env = {"SSL_CERT_FILE": secure.ca, "DOCKER_CONFIG": login(secure.host)}
    result = probe("manifest", f"{secure.host}/team/base:1.0", **env)
    assert result.code == 0, result.err
    assert result.out.split()[0] == digest_of(data)


def test_password_of_another_registry_is_not_used(secure, probe, login):
    secure.push("team/base", "1.0")
    env = {"SSL_CERT_FILE": secure.ca, "DOCKER_CONFIG": login("127.0.0.1:1")}
    result = probe("manifest", f"{secure.host}/team/base:1.0", **env)
    assert result.code == 1
    assert "wants a user and a password" in result.err


def test_wrong_password(secure, probe, login):
    env = {"SSL_CERT_FILE": secure.ca, "DOCKER_CONFIG": login(secure.host, password="no")}
    result = probe("manifest", f"{secure.host}/team/base:1.0", **env)
    assert result.code == 1
    assert "401" in result.err
    assert "no" not in result.err.split(":")[0]


def test_unknown_certificate_is_refused(secure, probe, login):
    result = probe("manifest", f"{secure.host}/team/base:1.0", DOCKER_CONFIG=login(secure.host))
    assert result.code == 1
    assert result.err.startswith("network: ")


def test_certificate_of_another_host_is_refused(secure, probe, login):
    name = f"127.0.0.2:{secure.port}"
    env = {"SSL_CERT_FILE": secure.ca, "DOCKER_CONFIG": login(name)}
    assert probe("manifest", f"{name}/team/base:1.0", **env).code == 1


def test_broken_configuration_is_told_without_its_content(plain, probe, tmp_path):
    folder = tmp_path / "docker"
    folder.mkdir()
    (folder / "config.json").write_text('{"auths": {"x": {"auth": "c2VjcmV0" }')
    result = probe("manifest", f"{plain.host}/a:1", DOCKER_CONFIG=folder)
    assert result.code == 2
    assert "c2VjcmV0" not in result.err


@pytest.fixture
def all_tags(tmplgen, catalog):
    made = tmplgen("matrix", "list", "images", "--json", "--catalog", catalog)
    rows = json.loads(made.out)["images"]
    assert 2 < len(rows) < 12
    return [(tag, row["state"]) for row in rows for tag in row["tags"]]


def test_matrix_verify_looks_for_every_tag(plain, tmplgen, catalog, all_tags):
    there = [tag for tag, state in all_tags if state != "eol"]
    plain.push("nvidia/cuda", *there)
    where = ["matrix", "verify", "images", "--registry", plain.host, "--catalog", catalog]
    made = tmplgen(*where, "--json").json
    counts = made["image_counts"]
    assert counts["there"] == len(there)
    missing = [row for row in made["images"] if row["differs"]]
    assert {row["image"].split("/")[1].split(":")[0] for row in missing} == {"ubuntu"}
    assert made["exit"] == 6
    plain.push("ubuntu", *[row["image"].rsplit(":", 1)[1] for row in missing])
    result = tmplgen(*where)
    assert result.code == 0, result.out + result.err
    assert "tags are there" in result.out


def test_matrix_verify_names_the_tag_that_is_gone(secure, tmplgen, login, catalog, all_tags):
    there = [tag for tag, state in all_tags if state != "eol"]
    secure.push("mirror/nvidia/cuda", *there[1:])
    env = {"SSL_CERT_FILE": secure.ca, "DOCKER_CONFIG": login(secure.host)}
    where = f"{secure.host}/mirror"
    words = ["matrix", "verify", "images", "--registry", where, "--catalog", catalog]
    result = tmplgen(*words, **env)
    assert result.code == 6
    assert f"{where}/nvidia/cuda:{there[0]}: the row says" in result.out
    assert f"{where}/nvidia/cuda:{there[1]}: the row says" not in result.out


def test_registry_that_is_not_there(tmplgen):
    made = tmplgen("matrix", "verify", "images", "--registry", "127.0.0.1:9", "--json").json
    assert made["exit"] == 1
    assert made["error"]["code"] == "network"


def test_images_want_a_registry(tmplgen):
    assert tmplgen("matrix", "verify", "images").code == 2
    assert tmplgen("matrix", "verify", "images", "--registry", "No/Way").code == 2
