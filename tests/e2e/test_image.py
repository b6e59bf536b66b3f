"""The image of a child, on a plain Debian and on the team's image, and its service run."""

import shutil

import pytest
import yaml

from .images import (
    bring_wheels,
    buildah,
    config_of,
    container_of,
    frozen,
    inside,
    layers,
    pulled,
    push_patched,
    skopeo,
)
from .support import TMPLGEN, free_port, run, service

pytestmark = pytest.mark.usefixtures("_root_user")

RELEASES = {"pytorch": "pytorch 2.13.0", "none": "none"}


@pytest.fixture(scope="session", params=RELEASES)
def source(request, tmp_path_factory):
    """A child: CUDA's libraries in wheels, or in the image."""
    if request.param == "pytorch":
        return request.getfixturevalue("child")
    scratch = tmp_path_factory.mktemp("image")
    words = ["--type", "service", "--framework", request.param, "--python", "3.11"]
    run(TMPLGEN, "new", *words, cwd=scratch)
    return scratch / f"{request.param}-service"


@pytest.fixture(scope="session")
def wheels(source, index):
    """The URL of an index with all that the image installs."""
    bring_wheels(source)
    return index


def build(name, source, index, *words, **arguments):
    arguments = {"INDEX_URL": index, "PYTHON_SOURCE": "apt", **arguments}
    buildah(
        "build",
        "--isolation=chroot",
        "--format=docker",
        "--layers",  # those that images have in common are made once
        "--pull=false",  # what is here was not compressed, and its layers can be compared
        *(f"--build-arg={name}={value}" for name, value in arguments.items()),
        *words,
        f"--tag={name}",
        source,
    )
    return name


@pytest.fixture(scope="session")
def image(base, source, wheels):
    """The image, from which only the base, the index and the source of Python were changed."""
    return build(f"localhost/{source.name}", source, wheels, BASE_IMAGE=base)


@pytest.fixture(scope="session")
def container(image):
    return container_of(image)


@pytest.fixture(scope="session")
def config(image):
    return config_of(image)


def test_image_runs_as_nobody_in_particular(config, container):
    assert config["User"] == "10001:10001"
    assert run(*inside(container, "id", "-u")).strip() == "10001"


def test_image_has_no_compiler(container):
    script = "command -v cc gcc make || echo none"
    assert run(*inside(container, "sh", "-c", script)).strip() == "none"


def test_image_says_what_it_is_made_of(config, source):
    framework = source.name.removesuffix("-service")
    assert config["Labels"]["tmplgen.framework"] == RELEASES[framework]


def check_service(container, config, source, scratch):
    port = free_port()
    command = inside(container, *config["Cmd"], SERVE_PORT=port, SERVE_HOST="127.0.0.1")
    with service(command, port, scratch / "log") as it:
        it.wait_ready()
        assert it.predict() == "negative"
        assert "inference_http_requests_total" in it.ask("/metrics")[1]
        package = source.name.replace("-", "_")
        run(*inside(container, "python", "-m", package, "healthcheck", SERVE_PORT=port))


def test_service_of_the_image_predicts_rightly(config, container, source, tmp_path):
    check_service(container, config, source, tmp_path)


def test_gpu_smoke_of_the_image_says_that_there_is_no_gpu(container):
    assert "GPU" in run(*inside(container, "gpu-smoke"), status=77)


# ---------------------------------------------------------------- on the team's image


@pytest.fixture(scope="session")
def member(source, team, tmp_path_factory):
    """The same child, that begins with the team's image."""
    scratch = tmp_path_factory.mktemp("member")
    words = ["--type", "service", "--framework", "none", "--python", "3.11", "--no-git"]
    run(TMPLGEN, "new", *words, "--registry", f"{team.registry.host}/team", cwd=scratch)
    return scratch / source.name


@pytest.fixture(scope="session")
def fallback(base, member, wheels):
    """Its image where no registry has the team's."""
    return build("localhost/fallback", member, wheels, "--target=image", BASE_IMAGE=base)


@pytest.fixture(scope="session")
def team_image(team, member):
    """The one that `tmplgen image build` made, by the name that the child's record has."""
    record = yaml.safe_load((member / ".tmplgen.yml").read_text())
    image = record["resolution"]["team_image"]
    name = f"{image['repository']}:{image['tag']}"
    assert name == team.name
    return name


@pytest.fixture(scope="session")
def member_image(team_image, member, wheels):
    """Its image, of which nobody changed the base."""
    return build("localhost/member", member, wheels)


ON_TEAM = pytest.mark.parametrize("source", ["none"], indirect=True)


@ON_TEAM
def test_packages_are_the_same_straight_and_on_the_teams_image_and_without_it(
    image, fallback, member_image
):
    straight = frozen(image)
    assert any(line.startswith("numpy==") for line in straight)
    assert frozen(fallback) == straight
    assert frozen(member_image) == straight


@ON_TEAM
def test_a_child_adds_less_than_100_mb_to_the_teams_image(team_image, member_image):
    base, whole = layers(team_image), layers(member_image)
    assert whole[: len(base)] == base
    assert sum(size for _, size in whole[len(base) :]) < 100_000_000


@ON_TEAM
def test_a_change_of_code_makes_no_large_layer_anew(team_image, member, wheels, tmp_path):
    """On the team's image, from a warm cache: a node pulls what changed, and no more."""
    changed = shutil.copytree(member, tmp_path / "changed")
    code = next(changed.glob("src/*/__init__.py"))
    code.write_text(f"{code.read_text()}CHANGED = True\n")
    found = []
    for name, source in (("localhost/before", member), ("localhost/after", changed)):
        build(name, source, wheels)
        found.append(dict(layers(name)))
    before, after = found
    anew = {digest: size for digest, size in after.items() if digest not in before}
    print(f"of {len(after)} layers, {sum(after.values())} bytes, these are new: {anew}")
    assert anew
    assert max(anew.values()) < 5_000_000


@ON_TEAM
def test_images_name_the_base_that_they_were_built_on(base, config, team_image, member_image):
    label = "org.opencontainers.image.base.name"
    assert config["Labels"][label] == base
    member = config_of(member_image)
    assert member["Labels"][label] == team_image
    assert member["Labels"]["tmplgen.image"] == "cuda-runtime"
    assert member["User"] == "10001:10001"
    assert "HOME=/tmp" in member["Env"]


@ON_TEAM
def test_no_compiler_comes_on_the_teams_image(member_image):
    container = container_of(member_image)
    script = "command -v cc gcc make || echo none; ls /opt"
    assert run(*inside(container, "sh", "-c", script)).split() == ["none", "app"]


@ON_TEAM
def test_a_pushed_child_is_rebased_and_serves(team, member_image, source, tmp_path):
    """skopeo and buildah agree with every digest."""
    name, digest = f"{team.registry.host}/team/member:1", tmp_path / "digest"
    words = ["--quiet", "--tls-verify=false", "--digestfile", digest]
    buildah("push", *words, member_image, f"docker://{name}")
    assert digest.read_text() == skopeo(name)["Digest"] == pulled(name)
    base = team.rows()[0]["base"]
    onto = f"{team.registry.host}/patched/{base['repository']}:{base['tag']}"
    push_patched(onto, tmp_path)
    before = skopeo(name)["Layers"]
    made = team("rebase", name, "--onto", onto)
    assert made["digest"] == skopeo(name)["Digest"] == pulled(name)
    assert skopeo(name)["Layers"][-len(before) + 1 :] == before[1:]
    assert config_of(name)["Labels"]["tmplgen.base"].startswith(onto)
    container = container_of(name)
    assert run(*inside(container, "cat", "/etc/patched")) == "yes\n"
    check_service(container, config_of(name), source, tmp_path)


@ON_TEAM
def test_tests_of_a_child_run_on_the_teams_image(member_image, member, wheels):
    name = build("localhost/member-test", member, wheels, "--target=test")
    container = container_of(name)
    words = ["-p", "no:cacheprovider", "tests/test_backend.py", "tests/test_model.py"]
    assert " passed" in run(*inside(container, "python", "-m", "pytest", *words))
