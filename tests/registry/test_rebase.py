"""`tmplgen image rebase` on images of tiny layers in Debian's docker-registry; skopeo agrees."""

import hashlib
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from .fake import DOCKER, DOCKER_LIST, INDEX, MANIFEST, digest_of
from .images import (
    LAYERS,
    NEW,
    OLD,
    OWN,
    Image,
    app,
    base,
    config_of,
    get,
    layer,
    put_index,
)


@pytest.fixture(scope="session", autouse=True)
def _needs_skopeo():
    if not shutil.which("skopeo"):
        pytest.fail("skopeo is not installed: tools/deps.sh test")


@pytest.fixture
def where(plain, request):
    """A path of this test alone."""
    name = hashlib.sha256(request.node.name.encode()).hexdigest()[:12]
    return f"t{name}"


@pytest.fixture
def pair(plain, where):
    """An old base and a new one, of the same registry; their names."""
    old = base(OLD, "13.0.1").put(plain, f"{where}/nvidia/cuda", "13.0.1-runtime-ubuntu24.04")
    new = base(NEW, "13.0.3").put(plain, f"{where}/nvidia/cuda", "13.0.3-runtime-ubuntu24.04")
    stem = f"{plain.host}/{where}/nvidia/cuda"
    return (
        f"{stem}:13.0.1-runtime-ubuntu24.04@{digest_of(old)}",
        f"{stem}:13.0.3-runtime-ubuntu24.04",
        digest_of(new),
    )


def skopeo(*words):
    done = subprocess.run(["skopeo", *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def inspect(name, *more):
    return json.loads(skopeo("inspect", "--tls-verify=false", *more, f"docker://{name}"))


def test_layers_are_exchanged(plain, where, pair, tmplgen, tmp_path):
    old, new, new_digest = pair
    app(old, env=["APP=1", "TZ=Europe/Paris"]).put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    result = tmplgen("image", "rebase", name, "--onto", new, "--json")
    assert result.code == 0, result.err
    made = result.json
    assert (made["image"], made["from"], made["to"]) == (name, old, f"{new}@{new_digest}")
    seen = inspect(name)
    assert seen["Digest"] == made["digest"]
    assert seen["Layers"] == [digest_of(data) for data, _ in [*NEW, *OWN]]
    assert made["layers"] == [
        {"platform": "linux/amd64", "digest": made["digest"], "removed": 2, "added": 3, "kept": 2}
    ]
    config = inspect(name, "--config")
    assert config["rootfs"]["diff_ids"] == [diff_id for _, diff_id in [*NEW, *OWN]]
    assert len(config["history"]) == 6
    assert config["config"]["Env"] == [
        "PATH=/opt/app/venv/bin:/usr/local/bin:/usr/bin",
        "CUDA_VERSION=13.0.3",
        "NV_CUDA_LIB_VERSION=13.0.3-1",
        "TZ=Europe/Paris",
        "APP=1",
    ]
    labels = config["config"]["Labels"]
    assert labels["maintainer"] == "nvidia 13.0.3"
    assert labels["tmplgen.base"] == f"{new}@{new_digest}"
    assert labels["tmplgen.base.was"] == old
    assert labels["tmplgen.cuda"] == "13.0.1"  # the stack's, whatever the base has
    assert labels["org.opencontainers.image.base.name"] == new
    assert labels["org.opencontainers.image.base.digest"] == new_digest
    # what a client makes of it: every layer has the digest that the config says
    target = tmp_path / "copy"
    skopeo("copy", "--src-tls-verify=false", f"docker://{name}", f"dir:{target}")
    assert digest_of((target / "manifest.json").read_bytes()) == made["digest"]
    assert len(list(target.iterdir())) == 2 + 1 + 5


def test_it_is_pulled_by_buildah(plain, where, pair, tmplgen, tmp_path):
    if not shutil.which("buildah"):
        pytest.skip("buildah is not installed")
    old, new, _ = pair
    app(old).put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    digest = tmplgen("image", "rebase", name, "--onto", new, "--json").json["digest"]
    store = ["buildah", "--root", tmp_path / "root", "--runroot", tmp_path / "run",
             "--storage-driver", "vfs"]  # fmt: skip
    done = subprocess.run(
        [*store, "pull", "-q", "--tls-verify=false", "--policy", "always",
         "--signature-policy", policy(tmp_path), name],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    listed = subprocess.run(
        [*store, "images", "--json"], capture_output=True, text=True, check=True
    )
    assert json.loads(listed.stdout)[0]["digest"] == digest


def policy(folder):
    path = folder / "policy.json"
    path.write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
    return path


def test_check_says_the_same_and_writes_nothing(plain, where, pair, tmplgen):
    old, new, _ = pair
    before = app(old).put(plain, f"{where}/app", "1")
    words = ["image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new]
    said = tmplgen(*words, "--check", "--json").json
    assert get(plain, f"{where}/app", "1") == before
    result = tmplgen(*words, "--check")
    assert result.out.endswith("nothing was written: --check\n")
    assert tmplgen(*words, "--json").json == said


def test_twice_and_back(plain, where, pair, tmplgen):
    old, new, _ = pair
    app(old).put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    first = tmplgen("image", "rebase", name, "--onto", new, "--json").json
    again = tmplgen("image", "rebase", name, "--onto", new, "--json").json
    assert (again["digest"], again["layers"]) == (first["digest"], [])
    result = tmplgen("image", "rebase", name, "--onto", new)
    assert (result.code, "already: nothing to do" in result.out) == (0, True)
    back = tmplgen("image", "rebase", name, "--onto", old)
    assert back.code == 0, back.err
    seen = inspect(name)
    assert seen["Layers"] == [digest_of(data) for data, _ in [*OLD, *OWN]]
    config = inspect(name, "--config")["config"]
    assert sorted(config["Env"]) == sorted(app(old).env)
    labels = config["Labels"]
    assert (labels["tmplgen.base"], labels["tmplgen.base.was"].split("@")[0]) == (old, new)
    oci = "org.opencontainers.image.base."
    assert "@".join((labels[f"{oci}name"], labels[f"{oci}digest"])) == old


def test_base_that_a_child_names_stays(plain, where, pair, tmplgen):
    """It began with the team's image, which is above the base that is exchanged."""
    old, new, _ = pair
    team = {"org.opencontainers.image.base.name": "example.com/team/pytorch:1"}
    app(old, labels=team).put(plain, f"{where}/app", "1")
    assert tmplgen("image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new).code == 0
    labels = config_of(plain, f"{where}/app", "1")["config"]["Labels"]
    assert labels["org.opencontainers.image.base.name"] == "example.com/team/pytorch:1"
    assert labels["tmplgen.base"].startswith(f"{new}@sha256:")


@pytest.mark.parametrize("kind", [INDEX, DOCKER_LIST])
def test_every_platform_of_an_index(plain, where, pair, tmplgen, kind):
    old, new, _ = pair
    inner = DOCKER if kind == DOCKER_LIST else MANIFEST
    for name, layers, version in (("old", OLD, "13.0.1"), ("new", NEW, "13.0.3")):
        images = {"amd64": base(layers, version, kind=inner),
                  "arm64": base([layer("arm", name), *layers], version, kind=inner)}  # fmt: skip
        put_index(plain, f"{where}/nvidia/cuda", f"{version}-base-ubuntu24.04", images, kind)
    stem = f"{plain.host}/{where}/nvidia/cuda"
    old, new = (f"{stem}:{version}-base-ubuntu24.04" for version in ("13.0.1", "13.0.3"))
    statement = Image(layer("statement", "x")).put(plain, f"{where}/app", None, "unknown")
    attestation = {
        "mediaType": MANIFEST, "digest": digest_of(statement), "size": len(statement),
        "platform": {"os": "unknown", "architecture": "unknown"},
        "annotations": {"vnd.docker.reference.type": "attestation-manifest"},
    }  # fmt: skip
    images = {"amd64": app(old, kind=inner),
              "arm64": app(old, below=[layer("arm", "old"), *OLD], kind=inner)}  # fmt: skip
    put_index(plain, f"{where}/app", "1", images, kind, [attestation])
    result = tmplgen("image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new, "--json")
    assert result.code == 0, result.err
    made = result.json
    assert "1 attestations were left behind" in result.err
    assert [row["platform"] for row in made["layers"]] == ["linux/amd64", "linux/arm64"]
    index = json.loads(get(plain, f"{where}/app", "1"))
    assert index["mediaType"] == kind
    assert [entry["digest"] for entry in index["manifests"]] == [
        row["digest"] for row in made["layers"]
    ]
    name = f"{plain.host}/{where}/app@{made['digest']}"
    for architecture, below in (("amd64", NEW), ("arm64", [layer("arm", "new"), *NEW])):
        config = inspect(name, "--config", "--override-arch", architecture)
        assert config["architecture"] == architecture
        assert config["rootfs"]["diff_ids"] == [diff_id for _, diff_id in [*below, *OWN]]


def test_platform_that_the_new_base_lacks(plain, where, pair, tmplgen):
    old, new, _ = pair
    put_index(
        plain, f"{where}/old", "1", {arch: base(OLD, "13.0.1") for arch in ("amd64", "arm64")}
    )
    name = f"{plain.host}/{where}/old:1"
    images = {arch: app(name) for arch in ("amd64", "arm64")}
    before = put_index(plain, f"{where}/app", "1", images)
    result = tmplgen("image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new, "--json")
    assert (result.code, result.json["error"]["code"]) == (3, "missing-platform")
    assert get(plain, f"{where}/app", "1") == before


@pytest.mark.parametrize(("ours", "theirs"), [(MANIFEST, DOCKER), (DOCKER, MANIFEST)])
def test_families_are_kept(plain, where, pair, tmplgen, ours, theirs):
    old, new, _ = pair
    base(NEW, "13.0.3", kind=theirs).put(plain, f"{where}/nvidia/cuda", "13.0.3-base-ubuntu24.04")
    app(old, kind=ours).put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    onto = f"{plain.host}/{where}/nvidia/cuda:13.0.3-base-ubuntu24.04"
    assert tmplgen("image", "rebase", name, "--onto", onto).code == 0
    manifest = json.loads(get(plain, f"{where}/app", "1"))
    assert manifest["mediaType"] == ours
    assert {part["mediaType"] for part in manifest["layers"]} == {LAYERS[ours]}
    inspect(name)


@pytest.mark.parametrize(
    ("labels", "code", "why"),
    [
        ({"tmplgen.system.packages": "libgomp1 git"}, "changed-base", "(libgomp1 git)"),
        ({"tmplgen.writes": "/opt/app /etc"}, "changed-base", "its layers write to '/etc'"),
        ({"tmplgen.writes": "/opt/../etc"}, "changed-base", "its layers write to '/opt/../etc'"),
        ({"tmplgen.writes": "/optional"}, "changed-base", "its layers write to '/optional'"),
        ({"tmplgen.system.packages": None}, "unproven-base", "whether it changed files"),
        ({"tmplgen.writes": None}, "unproven-base", "whether it changed files"),
        ({"tmplgen.base": None}, "unproven-base", "no label says which base"),
        ({"tmplgen.base": "No/Way"}, "unproven-base", "names no image"),
        ({"tmplgen.os": "ubuntu22.04"}, "other-base", "stands on ubuntu22.04, and the new base is"),
    ],
)
def test_labels_that_refuse(plain, where, pair, tmplgen, labels, code, why):
    old, new, _ = pair
    image = app(old, labels=labels)
    image.labels = {name: value for name, value in image.labels.items() if value is not None}
    before = image.put(plain, f"{where}/app", "1")
    for more in ([], ["--check"]):
        words = ["image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new, "--json"]
        made = tmplgen(*words, *more).json
        assert (made["exit"], made["error"]["code"]) == (3, code)
        assert why in made["error"]["message"]
    assert get(plain, f"{where}/app", "1") == before


def refused(tmplgen, name, onto, code, why):
    made = tmplgen("image", "rebase", name, "--onto", onto, "--json").json
    assert (made["exit"], made["error"]["code"]) == (3, code), made
    assert why in made["error"]["message"]
    return made["error"]


def test_base_that_is_not_below(plain, where, pair, tmplgen):
    old, new, _ = pair
    app(old, below=[layer("base", "another"), OLD[1]]).put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    refused(tmplgen, name, new, "unproven-base", "is a base that is not below")


def test_base_tag_that_moved(plain, where, pair, tmplgen):
    """What the label says is proven, not believed."""
    old, new, _ = pair
    tag = old.split("@")[0]
    app(tag).put(plain, f"{where}/app", "1")
    base([layer("base", "moved")], "13.0.1").put(plain, f"{where}/nvidia/cuda", tag.split(":")[-1])
    name = f"{plain.host}/{where}/app:1"
    refused(tmplgen, name, new, "unproven-base", "is a base that is not below")


def test_digest_of_another_label_helps_where_the_tag_moved(plain, where, pair, tmplgen):
    old, new, _ = pair
    tag, digest = old.split("@")
    oci = {
        "org.opencontainers.image.base.name": tag,
        "org.opencontainers.image.base.digest": digest,
    }
    app(tag, labels=oci).put(plain, f"{where}/app", "1")
    base([layer("base", "moved")], "13.0.1").put(plain, f"{where}/nvidia/cuda", tag.split(":")[-1])
    name = f"{plain.host}/{where}/app:1"
    assert tmplgen("image", "rebase", name, "--onto", new).code == 0


def test_old_base_that_is_gone(plain, where, pair, tmplgen):
    old, new, _ = pair
    app(old.split("@")[0] + "x").put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    refused(tmplgen, name, new, "unproven-base", "is not there any more")


def test_base_that_cannot_be_asked(plain, where, pair, tmplgen):
    _, new, _ = pair
    app("127.0.0.1:9/nvidia/cuda:1").put(plain, f"{where}/app", "1")
    made = tmplgen("image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new, "--json").json
    assert (made["exit"], made["error"]["code"]) == (1, "network")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"version": "12.9.1"}, "CUDA 13.0.1, and the new base has 12.9.1"),
        ({"labels": {"org.opencontainers.image.version": "22.04"}}, "the new base is ubuntu22.04"),
        ({"drop": "NV_CUDA_LIB_VERSION"}, "a part that the new one lacks (NV_CUDA_LIB_VERSION)"),
        ({"labels": {"tmplgen.base": "nvidia/cuda:1"}}, "is no base but an image on"),
    ],
)
def test_new_base_of_another_kind(plain, where, pair, tmplgen, change, why):
    old, _, _ = pair
    image = base(NEW, change.get("version", "13.0.3"))
    image.labels |= change.get("labels", {})
    image.env = [line for line in image.env if not line.startswith(change.get("drop", "-"))]
    image.put(plain, f"{where}/other", "1")
    app(old).put(plain, f"{where}/app", "1")
    onto = f"{plain.host}/{where}/other:1"
    refused(tmplgen, f"{plain.host}/{where}/app:1", onto, "other-base", why)


def test_new_base_that_says_nothing_is_known_by_its_tag_alone(plain, where, pair, tmplgen):
    old, _, _ = pair
    image = Image(*NEW)
    stem = f"{plain.host}/{where}"
    for repository, tag in (("nvidia/cuda", "13.0.3-base-ubuntu24.04"), ("other", "13.0.3-x-y1")):
        image.put(plain, f"{where}/{repository}", tag)
    plain_old = Image(*OLD)
    data = plain_old.put(plain, f"{where}/nvidia/cuda", "13.0.1-base-ubuntu24.04")
    name = f"{stem}/nvidia/cuda:13.0.1-base-ubuntu24.04@{digest_of(data)}"
    app(name).put(plain, f"{where}/app", "1")
    why = "nobody says which distribution and CUDA the new base is of"
    refused(tmplgen, f"{stem}/app:1", f"{stem}/other:13.0.3-x-y1", "other-base", why)
    onto = f"{stem}/nvidia/cuda:13.0.3-base-ubuntu24.04"
    result = tmplgen("image", "rebase", f"{stem}/app:1", "--onto", onto)
    assert result.code == 0, result.err


def test_base_of_another_registry_is_to_be_copied_first(
    plain, secure, where, pair, tmplgen, login, tmp_path
):
    old, _, _ = pair
    base(NEW, "13.0.3").put(secure, "nvidia/cuda", "13.0.3-runtime-ubuntu24.04")
    before = app(old).put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    onto = f"{secure.host}/nvidia/cuda:13.0.3-runtime-ubuntu24.04"
    env = {"SSL_CERT_FILE": secure.ca, "DOCKER_CONFIG": login(secure.host)}
    for more in ([], ["--check"]):
        result = tmplgen("image", "rebase", name, "--onto", onto, "--json", *more, **env)
        error = result.json["error"]
        assert (result.code, error["code"]) == (3, "missing-layers")
        assert "3 of 3 layers of the new base are not in its registry" in error["message"]
        assert error["hint"].startswith("copy it there first: skopeo copy --all docker://")
    assert get(plain, f"{where}/app", "1") == before
    # what the hint says
    certificates = tmp_path / "certificates"
    certificates.mkdir()
    shutil.copy(secure.ca, certificates / "ca.crt")
    copied = f"{plain.host}/{where}/nvidia/cuda:13.0.3-runtime-ubuntu24.04"
    skopeo("copy", "--all", "--src-cert-dir", str(certificates), "--dest-tls-verify=false",
           "--authfile", str(env["DOCKER_CONFIG"] / "config.json"),
           f"docker://{onto}", f"docker://{copied}")  # fmt: skip
    assert tmplgen("image", "rebase", name, "--onto", copied).code == 0


def test_with_a_password_and_tls(secure, tmplgen, login):
    old = base(OLD, "13.0.1").put(secure, "nvidia/cuda", "13.0.1-base-ubuntu24.04")
    base(NEW, "13.0.3").put(secure, "nvidia/cuda", "13.0.3-base-ubuntu24.04")
    stem = f"{secure.host}/nvidia/cuda:13.0"
    app(f"{stem}.1-base-ubuntu24.04@{digest_of(old)}").put(secure, "team/app", "1")
    env = {"SSL_CERT_FILE": secure.ca, "DOCKER_CONFIG": login(secure.host)}
    words = ["image", "rebase", f"{secure.host}/team/app:1"]
    result = tmplgen(*words, "--onto", f"{stem}.3-base-ubuntu24.04", **env)
    assert result.code == 0, result.err
    manifest = json.loads(get(secure, "team/app", "1"))
    assert len(manifest["layers"]) == 5


def test_digest_alone_gets_no_tag(plain, where, pair, tmplgen):
    old, new, _ = pair
    before = app(old).put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app@{digest_of(before)}"
    result = tmplgen("image", "rebase", name, "--onto", new, "--json")
    assert result.code == 0, result.err
    assert get(plain, f"{where}/app", "1") == before
    data = get(plain, f"{where}/app", result.json["digest"])
    assert digest_of(data) == result.json["digest"]


def test_annotations_that_name_the_base(plain, where, pair, tmplgen):
    old, new, new_digest = pair
    image = app(old)
    image.annotations = {
        "org.opencontainers.image.base.name": "before",
        "org.opencontainers.image.base.digest": "before",
        "own": "stays",
    }
    image.put(plain, f"{where}/app", "1")
    assert tmplgen("image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new).code == 0
    assert json.loads(get(plain, f"{where}/app", "1"))["annotations"] == {
        "org.opencontainers.image.base.name": new,
        "org.opencontainers.image.base.digest": new_digest,
        "own": "stays",
    }


SAID = {"created_by": "LABEL tmplgen.writes=/opt/app", "empty_layer": True}


@pytest.mark.parametrize(
    ("above", "code", "why"),
    [
        ([{"created_by": "squashed"}], "unproven-base", "no label says what this step wrote"),
        ([SAID, {"created_by": "RUN apt-get install git"}], "unproven-base", "apt-get install git"),
        (
            [{"created_by": "RUN apt-get install git"}, SAID],
            "changed-base",
            "a step may have changed",
        ),
        (
            [{"created_by": "|1 INDEX_URL=pip install  /bin/sh -c apt-get install git"}, SAID],
            "changed-base",
            "a step may have changed",
        ),
        ([{"created_by": "ENV A=1", "empty_layer": True}], "unproven-base", "how it was made"),
        ([SAID, {"created_by": "COPY . /", "empty_layer": True}], "unproven-base", "COPY . /"),
        (
            [SAID, {"created_by": "COPY . " + "\u00e9" * 99}],
            "unproven-base",
            "COPY . " + "\u00e9" * 56 + "...",
        ),
    ],
)
def test_history_that_refuses(plain, where, pair, tmplgen, above, code, why):
    """Labels are inherited by images on top: of their layers they say nothing."""
    old, new, _ = pair
    image = app(old, own=OWN[: sum("empty_layer" not in step for step in above)])
    image.history = [{"created_by": "base"}, {"created_by": "base"}, *above]
    before = image.put(plain, f"{where}/app", "1")
    words = ["image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new, "--json"]
    made = tmplgen(*words).json
    assert (made["exit"], made["error"]["code"]) == (3, code)
    assert why in made["error"]["message"]
    assert get(plain, f"{where}/app", "1") == before


@pytest.mark.parametrize("steps", [[], ["squashed"], ["base", "base", "COPY a"], ["x"] * 5])
def test_history_that_does_not_tell_of_every_layer(plain, where, pair, tmplgen, steps):
    """What hides in it might be a step that changed the base."""
    old, new, _ = pair
    image = app(old)
    image.history = [*[{"created_by": step} for step in steps], SAID]
    image.put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    refused(tmplgen, name, new, "unproven-base", "its history does not tell of every layer")


def test_history_of_a_base_in_another_time(plain, where, pair, tmplgen):
    """Builders that are told the time may tell it of all steps, their base's, too."""
    old, new, _ = pair
    image = app(old)
    entries = [
        {"created_by": f"COPY file:{diff_id[7:15]} in /opt/app/ "} for _, diff_id in image.layers
    ]
    image.history = [{**entry, "created": "1970-01-01T00:00:00Z"} for entry in entries]
    image.history.append(SAID)
    image.put(plain, f"{where}/app", "1")
    assert tmplgen("image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new).code == 0
    history = config_of(plain, f"{where}/app", "1")["history"]
    assert history[len(NEW) :] == image.history[len(OLD) :]


def test_base_without_a_history(plain, where, pair, tmplgen):
    """Some builders write none. What stands on it can be rebased all the same, and again."""
    old, new, _ = pair
    image = base(NEW, "13.0.3")
    image.history = [SAID | {"created_by": "nothing"}]
    image.put(plain, f"{where}/nvidia/cuda", "13.0.3-bare-ubuntu24.04")
    onto = f"{plain.host}/{where}/nvidia/cuda:13.0.3-bare-ubuntu24.04"
    app(old).put(plain, f"{where}/app", "1")
    name = f"{plain.host}/{where}/app:1"
    for there in (onto, new, onto, old):
        result = tmplgen("image", "rebase", name, "--onto", there)
        assert result.code == 0, result.err
    steps = [step["created_by"] for step in config_of(plain, f"{where}/app", "1")["history"]]
    assert len(steps) == len(OLD) + len(OWN) + 1


def test_history_keeps_what_made_no_layer(plain, where, pair, tmplgen):
    old, new, _ = pair
    image = app(old)
    entries = [
        {"created_by": f"COPY file:{diff_id[7:15]} in /opt/app/ "} for _, diff_id in image.layers
    ]
    entries.insert(2, {"created_by": "ENV APP=1", "empty_layer": True})
    entries.append(SAID)
    image.history = entries
    image.put(plain, f"{where}/app", "1")
    assert tmplgen("image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new).code == 0
    history = config_of(plain, f"{where}/app", "1")["history"]
    assert history[len(NEW) :] == entries[2:]


def test_words(plain, where, pair, tmplgen):
    old, new, new_digest = pair
    app(old).put(plain, f"{where}/app", "1")
    result = tmplgen("image", "rebase", f"{plain.host}/{where}/app:1", "--onto", new)
    lines = result.out.splitlines()
    assert lines[:3] == [
        f"from    {old}",
        f"to      {new}@{new_digest}",
        "layers  linux/amd64: 3 for 2, 2 kept",
    ]
    assert lines[3] == f"digest  {inspect(f'{plain.host}/{where}/app:1')['Digest']}"


@pytest.mark.parametrize(
    "words",
    [[], ["a"], ["--onto", "b"], ["A/B", "--onto", "b"], ["a", "--onto", "B/"],
     ["a", "b", "--onto", "c"], ["a", "--onto", "b", "--mirror", "x"]],
)  # fmt: skip
def test_usage(tmplgen, words):
    made = tmplgen("image", "rebase", *words, "--json").json
    assert made["exit"] == 2


BASE_FILE = """\
FROM scratch
COPY base-@ /etc/base
ENV PATH=/usr/bin CUDA_VERSION=@
LABEL org.opencontainers.image.ref.name=ubuntu org.opencontainers.image.version=24.04
"""
APP_FILE = """\
ARG BASE_IMAGE
FROM ${BASE_IMAGE}
COPY app /opt/app/main
ENV PATH=/opt/app/venv/bin:$PATH
ARG BASE_IMAGE
LABEL org.opencontainers.image.base.name="$BASE_IMAGE" tmplgen.base="$BASE_IMAGE" \
    tmplgen.os=ubuntu24.04 tmplgen.cuda=13.0.1 tmplgen.system.packages="" \
    tmplgen.writes=/opt/app
USER 10001:10001
"""


@pytest.mark.full
@pytest.mark.turns(2)
@pytest.mark.parametrize("layers", ["true", "false"])
@pytest.mark.parametrize("form", ["oci", "docker"])
def test_what_a_builder_built(plain, where, tmplgen, tmp_path, layers, form):
    """Built, pushed, rebased, pulled: the new base's file below, the image's own above."""
    store = ["buildah", "--root", tmp_path / "root", "--runroot", tmp_path / "run",
             "--storage-driver", "vfs"]  # fmt: skip
    trust = ["--signature-policy", policy(tmp_path)]

    def buildah(*words):
        done = subprocess.run([*store, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def build(name, text, *more):
        (tmp_path / "Dockerfile").write_text(text)
        buildah("build", "-q", "--isolation", "chroot", "--format", form, "--layers=" + layers,
                *trust, "--tls-verify=false", "-t", name, *more, tmp_path)  # fmt: skip
        buildah("push", "-q", *trust, "--tls-verify=false", name, f"docker://{name}")

    stem = f"{plain.host}/{where}"
    (tmp_path / "app").write_text("the app")
    names = {}
    for version in ("13.0.1", "13.0.3"):
        (tmp_path / f"base-{version}").write_text(version)
        names[version] = f"{stem}/nvidia/cuda:{version}-base-ubuntu24.04"
        build(names[version], BASE_FILE.replace("@", version))
    build(f"{stem}/app:1", APP_FILE, "--build-arg", f"BASE_IMAGE={names['13.0.1']}")
    result = tmplgen("image", "rebase", f"{stem}/app:1", "--onto", names["13.0.3"], "--json")
    assert result.code == 0, result.err
    made = result.json
    pulled = buildah("from", *trust, "--tls-verify=false", "--pull-always", f"{stem}/app:1")
    root = Path(buildah("mount", pulled))
    assert (root / "etc/base").read_text() == "13.0.3"
    assert (root / "opt/app/main").read_text() == "the app"
    config = json.loads(buildah("inspect", pulled))
    assert config["FromImageDigest"] == made["digest"]
    env = config["OCIv1"]["config"]["Env"]
    assert env == ["PATH=/opt/app/venv/bin:/usr/bin", "CUDA_VERSION=13.0.3"]
    assert config["OCIv1"]["config"]["User"] == "10001:10001"
