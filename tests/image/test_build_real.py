"""The real buildah on images of one small program: the fakes are not to differ from it."""

import json
import os
import shutil
import signal
import subprocess

import pytest
import yaml

from ..common.rows import matrix_catalog
from .engines import World, until

PROGRAM = """
#include <string.h>
#include <unistd.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "wait")) {
        puts("it waits");
        fflush(stdout);
        sleep(300);
    }
    return argc > 1 && !strcmp(argv[1], "fail");
}
"""
STORAGE = """[storage]
driver = "vfs"
graphroot = "{0}/graph"
runroot = "{0}/run"
"""
DOCKERFILE = """ARG BASE_IMAGE=scratch
FROM ${BASE_IMAGE}
COPY program /program
RUN ["/program", "STEP"]
USER 10001
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    made = tmp_path_factory.mktemp("program") / "program"
    subprocess.run(
        ["cc", "-static", "-Os", "-x", "c", "-", "-o", made], input=PROGRAM.encode(), check=True
    )
    return made


@pytest.fixture(name="world")
def make_world(tmp_path, program):
    if not shutil.which("buildah") or os.geteuid():
        pytest.skip("needs buildah, and to be root")
    world = World(tmp_path)
    (world.bin / "buildah").unlink()
    world.env["CONTAINERS_STORAGE_CONF"] = str(tmp_path / "storage.conf")
    world.env["BUILDAH_ISOLATION"] = "chroot"
    (tmp_path / "storage.conf").write_text(STORAGE.format(tmp_path))
    world.program = program
    world.command = lambda *words: World.command(world, *words)[:-1] + [str(tmp_path / "catalog")]
    yield world
    buildah(world, "rmi", "--all", "--force")


def buildah(world, *words):
    made = subprocess.run(["buildah", *words], env=world.env, capture_output=True, check=False)
    return made.stdout.decode()


def catalog(world, step="now", contents=None):
    folder = matrix_catalog(world.folder / "catalog", "team")
    image = folder / "base-images" / "tiny"
    (image / "files").mkdir(parents=True)
    shutil.copy(world.program, image / "files" / "program")
    what = {"description": "tiny", "framework": "none", "rows": [{}], "budget": 5}
    what["contents"] = contents or [["/program", "now"]]
    (image / "image.yml").write_text(yaml.safe_dump(what))
    (image / "Dockerfile.j2").write_text(DOCKERFILE.replace("STEP", step))


WORDS = ["build", "--engine", "buildah", "--build-arg", "BASE_IMAGE=scratch"]


def left(world):
    return json.loads(buildah(world, "containers", "--json") or "null") or []


def test_an_image_and_its_size(world):
    catalog(world)
    result = world.run(*WORDS, "--json", SOURCE_DATE_EPOCH="0")
    (row,) = result.json["built"]
    assert result.code == 0 and row["status"] == "built" and row["digest"].startswith("sha256:")
    listed = world.run("list", "--sizes", "--engine", "buildah", "--json").json
    size = listed["images"][0]["rows"][0]["size"]
    assert size["bytes"] == row["bytes"] > 10000
    assert all(layer["digest"].startswith("sha256:") for layer in size["layers"])
    assert not left(world)


@pytest.mark.parametrize("where", ["build", "contents"])
def test_a_failure_leaves_no_container(world, where):
    if where == "build":
        catalog(world, step="fail")
    else:
        catalog(world, contents=[["/program", "fail"]])
    result = world.run(*WORDS, "--json")
    (row,) = result.json["built"]
    assert result.code == 1 and row["failed_step"] == where
    assert where != "build" or row["instruction"].startswith("STEP 3/4: RUN")
    assert not left(world)


@pytest.mark.parametrize("where", ["build", "contents"])
def test_nor_does_an_interruption(world, where):
    if where == "build":
        catalog(world, step="wait")
    else:
        catalog(world, contents=[["/program", "wait"]])
    process = world.start(*WORDS)
    heard = b""

    def waits():
        nonlocal heard
        heard += os.read(process.stderr.fileno(), 65536)
        return b"it waits" in heard

    until(waits, 60)
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=30)
    assert process.returncode == 143
    assert not left(world)
    assert not list(world.tmp.iterdir())
