"""Fixtures of the end-to-end tests: one child, made once, and what it takes to run it."""

import os
import shutil
from functools import cache
from pathlib import Path

import pytest
from xdist.scheduler import LoadScopeScheduling

from ..registry.conftest import running
from .images import BASE, WHEELS, Images, download, forget_store, make_base
from .readers import RECORDER
from .support import (
    TMPLGEN,
    TOP,
    install_node_modules,
    one_at_a_time,
    package_index,
    run,
    seed,
    set_up,
    venv_of,
)

# Files that share what takes long to make: one worker runs them. Any other file has one to itself.
SHARING = {
    "images": [
        "test_base_images",
        "test_image",
        "test_child",
        "test_inference_clients",
        "test_team_children",
        "test_ci_scripts",
        "test_frameworks",
        "test_good_repository",
        "test_swaps",
        "test_batch_swaps",
    ],
    "pipelines": [
        "test_pipelines",
        "test_bot_pipelines",
        "test_cluster_pipelines",
        "test_gpu_pipelines",
        "test_image_pipelines",
        "test_workflow",
        "test_library",
        "test_stores",
    ],
}

# Files for children: tests among them are those of a child.
collect_ignore_glob = ["swaps*"]

# Of these files and cases, one is run: which one, the number of commits says, or SEED. All are with
# ONE_IN=1, or where a file of them is named.
TAKE_TURNS = (
    "test_bare_machine",
    "test_base_images",
    "test_batch_swaps",
    "test_ci_scripts",
    "test_frameworks",
    "test_image [pytorch]",
    "test_inference_clients",
    "test_packages",
    "test_portable_elsewhere",
    "test_source_elsewhere",
    "test_stores",
    "test_swaps",
    "test_update_from_020",
)


def takes_turn(item):
    """Which of them it belongs to, None where each run has it."""
    files = [(name, *name.partition(" ")[::2]) for name in TAKE_TURNS]
    found = (it for it, file, case in files if item.path.stem == file and case in item.name)
    return next(found, None)


def pytest_collection_modifyitems(config, items):
    named = any(name.split()[0] in word for word in config.args for name in TAKE_TURNS)
    if named or os.environ.get("ONE_IN") == "1":
        return
    # By fives: each of them counts commits too, for what it takes in its own turns.
    kept = {None, TAKE_TURNS[seed() // 5 % len(TAKE_TURNS)]}
    config.hook.pytest_deselected(items=[it for it in items if takes_turn(it) not in kept])
    items[:] = [it for it in items if takes_turn(it) in kept]


@pytest.fixture(scope="session")
def portable():
    """The one file for this processor."""
    with one_at_a_time("portable"):
        run("make", "-j2", "dist/tmplgen-x86_64-linux", cwd=TOP)
    return TOP / "dist/tmplgen-x86_64-linux"


class Sharing(LoadScopeScheduling):
    def _split_scope(self, nodeid):
        file = Path(nodeid.split("::")[0]).stem
        return next((name for name, files in SHARING.items() if file in files), file)


def pytest_xdist_make_scheduler(config, log):
    return Sharing(config, log)


@pytest.fixture(scope="session")
def child(tmp_path_factory):
    """A service on the release of PyTorch that pip has as a CPU build."""
    scratch = tmp_path_factory.mktemp("child")  # not in this repository: `new` would not commit
    words = ["--type", "service", "--framework", "pytorch==2.13.0", "--python", "3.11"]
    run(TMPLGEN, "new", *words, cwd=scratch)
    yield scratch / "pytorch-service"
    shutil.rmtree(scratch)


@pytest.fixture(scope="session")
def installed(child):
    """The child after `make setup DEVICE=cpu`."""
    with set_up(child, "pytorch"):
        yield child


@pytest.fixture(scope="session")
def trained(installed):
    """The child after `make model`."""
    run("make", "model", cwd=installed, VENV=venv_of("pytorch"))
    return installed


# One child of each type, with a pipeline for every CI system and all that it can hold.
EVERY_CI = {
    "service": ["--framework=none", "--registry=registry.example.org/team"],
    "batch": ["--framework=pytorch==2.13.0", "--registry=registry.example.org/team"],
    "library": ["--framework=none", "--set=docs=true", "--registry=registry.example.org/team"],
}
# And of the types that platform teams have for themselves.
TEAMS_CI = {kind: ["--registry=registry.example.org/team"] for kind in ("images", "cluster")}


@pytest.fixture(scope="session")
def make_ci(tmp_path_factory):
    """Makes a child with all three pipelines, as a clone of some server's main branch."""

    @cache
    def make(kind):
        python = ["--python", "3.11"] if kind in EVERY_CI else []
        words = ["--type", kind, *(EVERY_CI | TEAMS_CI)[kind], *python]
        return make_clone(tmp_path_factory.mktemp(kind) / "child", words)

    return make


@pytest.fixture(scope="session", params=EVERY_CI)
def every_ci(request, make_ci):
    return make_ci(request.param)


@pytest.fixture(scope="session")
def images_ci(make_ci):
    return make_ci("images")


@pytest.fixture(scope="session")
def cluster_ci(make_ci):
    return make_ci("cluster")


def make_clone(folder, words):
    run(TMPLGEN, "new", folder, *words, "--name", "it", "--ci", "github,gitlab,jenkins")
    for words in (
        ["branch", "--move", "main"],
        ["remote", "add", "origin", "git@git.example.org:team/it.git"],
        ["update-ref", "refs/remotes/origin/main", "HEAD"],
        ["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"],
    ):
        run("git", *words, cwd=folder)
    return folder


@pytest.fixture(scope="session")
def node_modules():
    return install_node_modules()


@pytest.fixture(scope="session", autouse=True)
def _no_recorder_is_left():
    yield
    RECORDER.end()


@pytest.fixture(scope="session")
def _root_user():
    if os.geteuid() != 0:
        pytest.skip("needs root: it makes a system of its own in a folder")


# ---------------------------------------------------------------- images


@pytest.fixture(scope="session")
def base():
    """A plain Debian in the place of the CUDA image."""
    forget_store()
    make_base()
    yield BASE
    forget_store()


@pytest.fixture(scope="session")
def image_registry(tmp_path_factory):
    with running(tmp_path_factory.mktemp("images")) as registry:
        yield registry


@pytest.fixture(scope="session")
def index():
    """Of what the images of children install."""
    WHEELS.mkdir(parents=True, exist_ok=True)
    with package_index(WHEELS) as url:
        yield url


@pytest.fixture(scope="session")
def team(base, image_registry, index, tmp_path_factory):
    """A team's image for children without a framework, built and pushed by tmplgen."""
    rows = [{"image": "cuda-runtime", "request": {"framework": "none", "python": "3.11"}}]
    images = Images(tmp_path_factory.mktemp("team"), image_registry, rows)
    images.push_bases()
    images("lock", "--mirror", images.mirror)
    download("--no-deps", "--only-binary", ":all:", "numpy==2.4.6")
    images.index = index
    (images.built,) = images.build(index, "--push")
    images.name = images.built["name"]
    return images
