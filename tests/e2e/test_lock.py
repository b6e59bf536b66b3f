"""`make lock` of a child, and what is set up from it; small wheels are the framework."""

import shutil
import zipfile

import pytest

from .support import TMPLGEN, package_index, run

METADATA = "Metadata-Version: 2.1\nName: torch\nVersion: {version}\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def make_wheel(folder, version):
    folder.mkdir()
    place = f"torch-{version}.dist-info"
    with zipfile.ZipFile(folder / f"torch-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr("torch.py", f'__version__ = "{version}"\n')
        wheel.writestr(f"{place}/METADATA", METADATA.format(version=version))
        wheel.writestr(f"{place}/WHEEL", WHEEL)
        wheel.writestr(f"{place}/RECORD", "")
    return folder


@pytest.fixture(scope="module")
def indexes(tmp_path_factory):
    """By CUDA's build: an index that has this one alone."""
    folder = tmp_path_factory.mktemp("wheels")
    with (
        package_index(make_wheel(folder / "cu130", "2.13.0+cu130")) as newer,
        package_index(make_wheel(folder / "cu126", "2.13.0+cu126")) as older,
    ):
        yield {"cu130": newer, "cu126": older}


@pytest.fixture
def child(tmp_path):
    """A job that wants nothing but the framework."""
    folder = tmp_path / "it"
    words = ["--type", "batch", "--framework", "pytorch==2.13.0", "--python", "3.11"]
    run(TMPLGEN, "new", folder, *words, "--name", "it")
    for name in ("runtime", "dev"):
        (folder / f"requirements/{name}.txt").write_text("")
    return folder


def setup(child, index, device="cuda", **env):
    """What setup says, and the framework that is installed after it."""
    said = run("ci/setup.sh", device, cwd=child, INDEX_URL=index, **env)
    return said, run(".venv/bin/python", "-c", "import torch; print(torch.__version__)", cwd=child)


def test_a_password_in_the_index_is_not_kept(child, indexes):
    secret = indexes["cu130"].replace("//", "//user:hidden@")
    setup(child, secret)
    kept = (child / ".venv/made-for").read_text()
    assert "hidden" not in kept and "127.0.0.1" in kept


def test_what_is_locked_is_installed_by_hash(child, indexes):
    run("ci/lock.sh", "cuda", cwd=child, INDEX_URL=indexes["cu126"])
    lock = child / "requirements/lock/cuda.txt"
    assert "torch==2.13.0+cu126" in lock.read_text()
    assert "--hash=sha256:" in lock.read_text()
    assert setup(child, indexes["cu126"])[1] == "2.13.0+cu126\n"
    # A wheel that somebody exchanged is refused.
    shutil.rmtree(child / ".venv")
    text = lock.read_text()
    digest = text.split("sha256:")[1][:64]
    lock.write_text(text.replace(digest, digest[::-1]))
    said = run("ci/setup.sh", "cuda", cwd=child, status=1, INDEX_URL=indexes["cu126"])
    assert "THESE PACKAGES DO NOT MATCH THE HASHES" in said


def test_a_stale_lock_is_refused_until_it_is_made_again(child, indexes):
    run("ci/lock.sh", "cuda", cwd=child, INDEX_URL=indexes["cu130"])
    run("ci/lock.sh", "--check", cwd=child)
    with open(child / "requirements/constraints.txt", "a") as file:
        file.write("idna<4\n")
    for script in (["ci/setup.sh", "cuda"], ["ci/lint.sh"], ["ci/image.sh"]):
        said = run(*script, cwd=child, status=1, INDEX_URL=indexes["cu130"])
        assert "requirements/lock/cuda-dev.txt is stale" in said and "make lock" in said
    run("ci/lock.sh", "cuda", cwd=child, INDEX_URL=indexes["cu130"])
    run("ci/lock.sh", "--check", cwd=child)


def test_what_cannot_be_locked_is_said_and_leaves_the_old_lock(child, indexes):
    run("ci/lock.sh", "cuda", cwd=child, INDEX_URL=indexes["cu130"])
    before = (child / "requirements/lock/cuda.txt").read_text()
    nowhere = "http://127.0.0.1:9/simple"
    said = run("ci/lock.sh", "cuda", cwd=child, status=1, INDEX_URL=nowhere)
    assert "not locked: the stack for cuda" in said
    assert (child / "requirements/lock/cuda.txt").read_text() == before
    assert not list((child / "requirements/lock").glob("*.new"))
