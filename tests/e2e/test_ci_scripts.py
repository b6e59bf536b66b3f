"""The scripts of ci/ that build and try images, run as CI runs them, by buildah."""

import json
import re
import shutil

import pytest
import yaml

from ..deploy.forge import Forge
from ..deploy.place import EDITORCONFIG, Place, comment
from .images import BASE, bring_wheels, engine_env
from .machine import Machine, that_works, without_driver
from .support import TMPLGEN, run

pytestmark = pytest.mark.usefixtures("_root_user")


@pytest.fixture(scope="module")
def settings(base, tmp_path_factory):
    """Variables by which buildah builds without privileges, in the store of the other tests."""
    env = engine_env(tmp_path_factory.mktemp("settings"))
    kept = {name: env[name] for name in ("CONTAINERS_STORAGE_CONF", "BUILDAH_ISOLATION")}
    return {**kept, "ENGINE": "buildah", "BUILDAH_FORMAT": "docker", "BUILDAH_LAYERS": "true"}


def test_tmplgen_is_taken_out_of_its_image(settings, tmp_path):
    """A runner without tmplgen, and an image that holds it beside the libraries that it wants."""
    files = tmp_path / "files"
    linked = re.findall(r"(/\S+) \(0x", run("ldd", TMPLGEN))
    for source, target in [(TMPLGEN, "usr/local/bin"), *((path, "usr/lib/any") for path in linked)]:
        (files / target).mkdir(parents=True, exist_ok=True)
        shutil.copy(source, files / target)
    image = "localhost/ci-tmplgen:1"
    container = run("buildah", "from", "scratch", **settings).split()[-1]
    run("buildah", "copy", "--quiet", container, files, "/", **settings)
    run("buildah", "commit", "--quiet", container, image, **settings)
    run("buildah", "rm", container, **settings)
    containers = run("buildah", "containers", "--quiet", **settings)
    child = tmp_path / "base"
    run(TMPLGEN, "new", child, "--type", "images", "--registry", "registry.example.org/team")
    env = {**settings, "TMPLGEN_IMAGE": image}
    words = ["matrix", "resolve", "--framework", "pytorch"]
    said = run("ci/tmplgen.sh", *words, cwd=child, **env)
    assert f"taking it from {image}" in said
    again = run("ci/tmplgen.sh", *words, cwd=child, **env)
    assert again.startswith(f"{image} could not be pulled: ")  # it is here alone
    assert again.split("\n", 1)[1] == run(TMPLGEN, *words, cwd=child)
    assert run("buildah", "containers", "--quiet", **settings) == containers


def brings_an_image(child, index, env, folder):
    """Built, tested in itself and tried; it sees no GPU."""
    bring_wheels(child)
    arguments = [f"BASE_IMAGE={BASE}", f"INDEX_URL={index}", "PYTHON_SOURCE=apt"]
    build = " ".join(f"--build-arg {argument}" for argument in arguments)
    env = {**env, "BUILD_ARGS": build, "CI_COMMIT_SHA": "abc"}
    run("ci/image.sh", cwd=child, **env)
    run("ci/image.sh", "test", cwd=child, **env)
    assert " passed" in run("ci/test-image.sh", cwd=child, **env)
    run("ci/check-image.sh", "cpu", cwd=child, **env)
    # As ci/gpu-smoke.sh does it: the image's user writes the report into a folder of this machine.
    folder.mkdir()
    folder.chmod(0o777)
    shutil.copy(child / "smoke/expect", folder)
    words = ["ci/run-image.sh", "--volume", f"{folder}:/mnt:z", "it:abc", "gpu-smoke"]
    words += ["--expect", "/mnt/expect", "--junit", "/mnt/report.xml"]
    assert "GPU" in run(*words, cwd=child, status=77, **env)
    assert '<testsuite name="gpu-smoke"' in (folder / "report.xml").read_text()


def is_red_or_green_by_its_gpu(child, folder):
    """The GPU job on a machine without a driver, and on one that works."""
    status, said = without_driver(Machine(folder / "broken")).run(["ci/gpu.sh"], child)
    assert status == 10 and "kernel driver is not loaded" in said
    status, said = that_works(Machine(folder / "works")).run(["ci/gpu.sh"], child)
    assert status == 0, said


def is_updated(place):
    """A newer catalog is a branch; a week later that one is renewed, with a conflict now."""
    place.release("9.1.0", **{EDITORCONFIG: comment})
    assert place.run().returncode == 0
    assert place.at(".editorconfig").endswith("# newer")
    place.push(**{".editorconfig": lambda text: f"{text}# ours\n"})
    place.release("9.2.0", **{EDITORCONFIG: comment})
    assert place.run().returncode == 0
    assert "9.0.0 to 9.2.0" in place.forge.requests[0]["title"] and len(place.branch()) == 1
    assert place.at(".editorconfig").endswith("# ours")
    assert place.at(".editorconfig.tmplgen-theirs").endswith("# newer\n# newer")


@pytest.mark.turns(1)
@pytest.mark.parametrize("kind", ["library", "batch", "service"])
def test_all_scripts_run_one_after_the_other(kind, settings, index, tmp_path):
    """Without a framework: what the scripts do is the same, and the images are small."""
    forge = Forge()
    place = Place(tmp_path, kind, forge, "--python", "3.11", "--variant", "cpu")
    child = place.clone
    run("ci/setup.sh", "cpu", cwd=child)
    run("ci/lint.sh", cwd=child)
    assert " passed" in run("ci/test.sh", cwd=child)
    brings_an_image(child, index, settings, tmp_path / "mnt")
    is_red_or_green_by_its_gpu(child, tmp_path)
    assert run("git", "status", "--porcelain", cwd=child) == ""
    is_updated(place)
    forge.close()


def test_a_cluster_repository_builds_pushes_and_pins_its_image(settings, image_registry, tmp_path):
    """The image of the smoke test: gpu-smoke sees no GPU in it, python3 runs the scripts."""
    child = tmp_path / "gpus"
    name = f"{image_registry.host}/team"
    run(TMPLGEN, "new", child, "--type", "cluster", "--registry", name)
    insecure = tmp_path / "registries.conf"
    insecure.write_text(f'[[registry]]\nlocation = "{image_registry.host}"\ninsecure = true\n')
    env = {
        **settings,
        "BUILD_ARGS": f"--build-arg BASE_IMAGE={BASE}",
        "CONTAINERS_REGISTRIES_CONF": str(insecure),
        "IMAGE": f"{name}/gpu-smoke:1",
    }
    assert "exited with status 77" in run("ci/build.sh", cwd=child, **env)
    run("ci/push.sh", cwd=child, **env)
    (pinned,) = yaml.safe_load((child / "nodes/image/kustomization.yaml").read_text())["images"]
    told = run("skopeo", "inspect", "--tls-verify=false", f"docker://{name}/gpu-smoke:1")
    assert pinned["newName"] == f"{name}/gpu-smoke"
    assert pinned["digest"] == json.loads(told)["Digest"]

    container = run("buildah", "from", f"{name}/gpu-smoke:1", **env).split()[-1]
    scripts = child / "nodes/base"
    run("buildah", "copy", "--quiet", container, scripts, "/etc/gpu-smoke", **env)
    words = ["run", "--env=REPORT=/tmp/report", "--env=EXPECT=/etc/gpu-smoke/expect", container]
    command = "python3 /etc/gpu-smoke/run_smoke.py >/dev/null; id -u; cat /tmp/report"
    user, report = run("buildah", *words, "--", "sh", "-c", command, **env).splitlines()
    assert user == "10001"
    # A GPU was promised (--require-gpu), so none is a broken node and not 77.
    assert json.loads(report)["finding"]["layer"] == "hw"
    run("buildah", "rm", container, **env)
