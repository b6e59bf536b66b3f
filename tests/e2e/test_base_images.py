"""Base images, built by tmplgen with a real builder on a plain Debian that stands in for CUDA's."""

import json
import tarfile

import pytest

from .images import (
    Images,
    buildah,
    config_of,
    container_of,
    engine_env,
    inside,
    layers,
    make_wheels,
    pulled,
    push_patched,
    skopeo,
)
from .support import package_index, run

pytestmark = pytest.mark.usefixtures("_root_user")


def own_files(name, base_layers, scratch):
    """What the layers above the base write: every path but folders that the base has, too."""
    folder = scratch / "oci"
    buildah("push", "--quiet", "--disable-compression", name, f"oci:{folder}:it")
    index = json.loads((folder / "index.json").read_text())

    def blob(entry):
        return folder / "blobs/sha256" / entry["digest"].removeprefix("sha256:")

    manifest = json.loads(blob(index["manifests"][0]).read_text())
    found = set()
    for layer in manifest["layers"][base_layers:]:
        with tarfile.open(blob(layer)) as archive:
            found |= {f"/{entry.name.strip('/')}" for entry in archive if not entry.isdir()}
    return found


# What a run of a base image has to be, whichever it is.
def check_image(name, scratch, system=False):
    config, container = config_of(name), container_of(name)
    labels = config["Labels"]
    assert config["User"] == "10001:10001"
    assert run(*inside(container, "id", "-u")).strip() == "10001"
    assert "HOME=/tmp" in config["Env"]
    assert labels["org.opencontainers.image.base.name"] == labels["tmplgen.base"]
    assert "@sha256:" in labels["tmplgen.base"]
    script = """
        python -c 'import sys; print(sys.prefix, sys.base_prefix.startswith("/opt/app/python"))'
        command -v gpu-smoke
        command -v cc gcc || echo none
        find / -xdev -user 10001 2>/dev/null | head -3
    """
    told = run(*inside(container, "sh", "-c", script)).split()
    compiler = ["/usr/bin/cc"] if "g++" in labels["tmplgen.system.packages"] else ["none"]
    assert told == ["/opt/app/venv", "True", "/usr/local/bin/gpu-smoke", *compiler]
    assert "GPU" in run(*inside(container, "gpu-smoke"), status=77)
    if not system:  # the labels tell the truth, which `image rebase` relies on
        allowed = tuple(labels["tmplgen.writes"].split())
        assert not {path for path in own_files(name, 1, scratch) if not path.startswith(allowed)}


def test_image_is_what_every_base_image_is(team, tmp_path):
    check_image(team.name, tmp_path)
    row = team.rows()[0]
    labels = config_of(team.name)["Labels"]
    assert labels["tmplgen.image"] == "cuda-runtime"
    assert labels["tmplgen.row"] == row["tag"]
    assert labels["tmplgen.framework"] == "none"
    assert labels["tmplgen.cuda"] == row["resolution"]["cuda"]["version"]
    assert labels["tmplgen.driver.minimum"] == row["resolution"]["driver"]["minimum"]


def test_digests_are_those_of_the_registry(team):
    assert team.built["status"] == "pushed"
    assert skopeo(team.name)["Digest"] == team.built["digest"]
    assert team.built["bytes"] == sum(size for _, size in layers(team.name))


def test_what_pip_found_is_in_the_lock(team):
    lock = (team.folder / "base-images.lock.yml").read_text()
    assert "numpy==2.4.6" in lock


def test_two_builds_from_one_lock_have_one_digest(team, tmp_path):
    """In a store of its own, where nothing of the first build is."""
    again = Images(tmp_path, team.registry, team.plan)
    (tmp_path / "base-images.lock.yml").write_bytes(
        (team.folder / "base-images.lock.yml").read_bytes()
    )
    again.env = engine_env(tmp_path, tmp_path / "store")
    first = team.build(team.index)[0]["digest"]  # with the packages in the lock
    assert again.build(team.index)[0]["digest"] == first


def test_another_base_below_the_pushed_image(team, tmp_path):
    """No layer is pulled for it; skopeo and buildah agree, and what is in it runs."""
    base = team.rows()[0]["base"]
    onto = f"{team.mirror}/{base['repository']}:{base['tag']}"
    name = team.name.replace("/team/", "/rebased/")
    buildah("push", "--quiet", "--tls-verify=false", team.name, f"docker://{name}")
    push_patched(onto, tmp_path)
    old = skopeo(name)["Layers"]
    made = team("rebase", name, "--onto", onto)
    assert skopeo(name)["Digest"] == made["digest"]
    new = skopeo(name)["Layers"]
    assert new[-len(old) + 1 :] == old[1:]
    assert pulled(name) == made["digest"]
    script = "cat /etc/patched; python -c 'import numpy; print(numpy.__version__)'"
    assert run(*inside(container_of(name), "sh", "-c", script)).split() == ["yes", "2.4.6"]
    # the lock sees it, too
    assert team("verify", "--mirror", team.mirror, status=6)["checked"][0]["status"] == "moved"
    buildah("push", "--quiet", "--tls-verify=false", "localhost/plain-debian", f"docker://{onto}")
    assert team("verify", "--mirror", team.mirror)["checked"][0]["status"] == "same"


# ---------------------------------------------------------------- every image

PYTHON = {"python": "3.11"}
EVERY = {
    "cuda-base": PYTHON,
    "cuda-runtime": PYTHON,
    "cuda-install": {**PYTHON, "cuda": "13.0"},
    "cuda-devel": PYTHON,
    "pytorch": PYTHON,
    "transformers": PYTHON,
    "tensorflow": PYTHON,
    "jax": PYTHON,
    "onnxruntime": PYTHON,
    "xgboost": PYTHON,
    "tmplgen": {"variant": "cpu", "image": "debian:12", "python": "3.11"},
}


@pytest.fixture(scope="session")
def all_images(base, image_registry, tmp_path_factory):
    """All of them in one run, on wheels that are made up."""
    rows = [{"image": name, "request": request} for name, request in EVERY.items()]
    images = Images(tmp_path_factory.mktemp("all"), image_registry, rows)
    images.push_bases()
    images("lock", "--mirror", images.mirror)
    wanted = {"safetensors==0.8.0", "numpy==2.4.6"}
    for row in images.rows():
        wanted |= set(row["resolution"]["requirements"])
    wheels = make_wheels(images.folder / "wheels", sorted(wanted))
    with package_index(wheels) as index:
        images.built = {row["image"]: row for row in images.build(index, "--push", "--jobs=2")}
        yield images


@pytest.mark.soak
@pytest.mark.parametrize("name", EVERY)
def test_every_image_of_the_catalog(all_images, name, tmp_path):
    built = all_images.built[name]
    assert built["status"] == "pushed", built
    assert skopeo(built["name"])["Digest"] == built["digest"]
    if name == "tmplgen":
        assert "tmplgen" in run(*inside(container_of(built["name"]), "tmplgen", "version"))
    else:
        check_image(built["name"], tmp_path, system=name in ("cuda-install", "cuda-devel"))


@pytest.mark.soak
def test_images_on_one_base_share_what_can_be_shared(all_images):
    """Base, Python, environment, gpu-smoke, and PyTorch where two have the same."""
    found = {name: [digest for digest, _ in layers(built["name"])]
             for name, built in all_images.built.items()}  # fmt: skip
    plain = found["cuda-base"]
    for name in ("cuda-runtime", "pytorch", "transformers", "tensorflow", "jax", "xgboost"):
        assert found[name][: len(plain)] == plain, name


@pytest.mark.soak
@pytest.mark.parametrize("name", ["cuda-install", "cuda-devel", "tmplgen"])
def test_an_image_with_system_packages_is_not_rebased(all_images, name, tmp_path):
    onto = f"{all_images.mirror}/nvidia/cuda:13.0.9-base-ubuntu24.04"
    push_patched(onto, tmp_path)
    said = all_images("rebase", all_images.built[name]["name"], "--onto", onto, "--check", status=3)
    assert said["error"]["code"] == "changed-base"
