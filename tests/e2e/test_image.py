"""The child's Dockerfile, built by a real builder on a plain Debian, and its service run."""

import hashlib
import json
import shutil

import pytest

from .support import (
    CACHE,
    TMPLGEN,
    WORK,
    bare_root,
    free_port,
    package_index,
    run,
    service,
    storage_driver,
)

pytestmark = pytest.mark.usefixtures("_root_user")

STORAGE = [
    "--root",
    WORK / "containers",
    "--runroot",
    WORK / "containers-run",
    "--storage-driver",
    storage_driver(),
]
BASE = "localhost/plain-debian"
RELEASES = {"pytorch": "pytorch 2.13.0", "none": "none 2.4.6"}


def buildah(command, *words, **more):
    return run("buildah", *STORAGE, command, *words, **more)


@pytest.fixture(scope="session", params=RELEASES)
def source(request, tmp_path_factory):
    """A child that is set up: CUDA's libraries in wheels, or in the image."""
    if request.param == "pytorch":
        return request.getfixturevalue("installed")
    scratch = tmp_path_factory.mktemp("image")
    words = ["--type", "service", "--framework", request.param, "--python", "3.11"]
    run(TMPLGEN, "new", *words, cwd=scratch)
    child = scratch / f"{request.param}-service"
    run("make", "setup", "DEVICE=cpu", cwd=child)
    return child


@pytest.fixture(scope="session")
def wheels(source):
    """Everything that the image installs, as wheels; kept while the child asks for the same."""
    lists = sorted((source / "requirements").glob("*.txt"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in lists)).hexdigest()[:16]
    folder = CACHE / f"wheels-{digest}"
    if not folder.exists():
        scratch = CACHE / "wheels.new"
        shutil.rmtree(scratch, ignore_errors=True)
        wanted = [word for path in lists for word in ("--requirement", path)]
        pip = [source / ".venv/bin/python", "-m", "pip", "--disable-pip-version-check"]
        run(*pip, "download", "--quiet", "--dest", scratch, *wanted, "hatchling>=1.26")
        scratch.rename(folder)
    return folder


@pytest.fixture(scope="session")
def base():
    """A plain Debian in the place of the CUDA image."""
    for folder in ("containers", "containers-run"):
        shutil.rmtree(WORK / folder, ignore_errors=True)
    root = bare_root(WORK / "image-root", "ca-certificates")
    container = buildah("from", "scratch").split()[-1]
    buildah("copy", "--quiet", container, root, "/")
    buildah("commit", "--quiet", container, BASE)
    buildah("rm", container)
    shutil.rmtree(root)
    yield BASE
    for folder in ("containers", "containers-run"):
        shutil.rmtree(WORK / folder, ignore_errors=True)


@pytest.fixture(scope="session")
def image(base, source, wheels):
    """The image, from which only the base, the index and the source of Python were changed."""
    name = f"localhost/{source.name}"
    with package_index(wheels) as url:
        buildah(
            "build",
            "--isolation=chroot",
            "--format=docker",
            f"--build-arg=BASE_IMAGE={base}",
            f"--build-arg=INDEX_URL={url}",
            "--build-arg=PYTHON_SOURCE=apt",
            f"--tag={name}",
            source,
        )
    return name


@pytest.fixture(scope="session")
def container(image):
    return buildah("from", image).split()[-1]


def inside(container, *command, **env):
    settings = [f"--env={name}={value}" for name, value in env.items()]
    return ["buildah", *STORAGE, "run", "--isolation=chroot", *settings, container, "--", *command]


@pytest.fixture(scope="session")
def config(image):
    return json.loads(buildah("inspect", "--type", "image", image))["OCIv1"]["config"]


def test_image_runs_as_nobody_in_particular(config, container):
    assert config["User"] == "10001:10001"
    assert run(*inside(container, "id", "-u")).strip() == "10001"


def test_image_has_no_compiler(container):
    script = "command -v cc gcc make || echo none"
    assert run(*inside(container, "sh", "-c", script)).strip() == "none"


def test_image_says_what_it_is_made_of(config, source):
    framework = source.name.removesuffix("-service")
    assert config["Labels"]["tmplgen.framework"] == RELEASES[framework]


def test_service_of_the_image_predicts_rightly(config, container, source, tmp_path):
    port = free_port()
    command = inside(container, *config["Cmd"], SERVE_PORT=port, SERVE_HOST="127.0.0.1")
    with service(command, port, tmp_path / "log") as it:
        it.wait_ready()
        assert it.predict() == "negative"
        assert "http_requests_total" in it.ask("/metrics")[1]
        package = source.name.replace("-", "_")
        run(*inside(container, "python", "-m", package, "healthcheck", SERVE_PORT=port))


def test_gpu_smoke_of_the_image_says_that_there_is_no_gpu(container):
    assert "GPU" in run(*inside(container, "gpu-smoke"), status=77)
