"""Children of each type on a team's image of each framework, built and tested inside."""

import shutil

import pytest

from .images import (
    BASE,
    Images,
    buildah,
    config_of,
    container_of,
    fetch_wheels,
    forget_images,
    frozen,
    inside,
    layers,
)
from .support import TMPLGEN, package_index, run

pytestmark = [pytest.mark.usefixtures("_root_user"), pytest.mark.soak]

# The newest row of each but of PyTorch, of which pip has another release as a CPU build.
FRAMEWORKS = {
    "none": "none",
    "pytorch": "pytorch==2.13.0",
    "xgboost": "xgboost",
    "onnxruntime": "onnxruntime",
    "jax": "jax",
    "transformers": "transformers",
    "tensorflow": "tensorflow",
}
TYPES = {
    "batch": FRAMEWORKS,
    "service": FRAMEWORKS,
    "library": ("none", "pytorch", "jax"),
    "llm": ("transformers",),
}


class Team(Images):
    """A team's image of one framework, on its real wheels, and children on it."""

    def __init__(self, name, folder, registry):
        self.framework = FRAMEWORKS[name]
        request = {"framework": self.framework, "python": "3.11"}
        image = "cuda-runtime" if name == "none" else name
        super().__init__(folder / "team", registry, [{"image": image, "request": request}])
        self.children = {kind: folder / kind for kind, names in TYPES.items() if name in names}
        for kind, child in self.children.items():
            run(TMPLGEN, "new", child, "--type", kind, "--name", "it", "--no-git",
                "--framework", self.framework, "--python", "3.11",
                "--registry", f"{registry.host}/team")  # fmt: skip

    def requirements(self):
        """What they install, on a GPU."""
        found = [it for child in self.children.values() for it in child.glob("requirements/*.txt")]
        return [it for it in found if not it.name.endswith("-cpu.txt")]

    def build_child(self, name, child, target, **arguments):
        arguments = {"INDEX_URL": self.index, "PYTHON_SOURCE": "apt", **arguments}
        buildah(
            "build", "--isolation=chroot", "--format=docker", "--layers", "--pull=false",
            *(f"--build-arg={key}={value}" for key, value in arguments.items()),
            f"--target={target}", f"--tag={name}", child,
        )  # fmt: skip
        return name


@pytest.fixture(scope="session", params=FRAMEWORKS)
def framework_team(request, base, image_registry, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    team = Team(request.param, folder, image_registry)
    wheels = fetch_wheels(folder / "wheels", team.requirements())
    team.push_bases()
    with package_index(wheels) as team.index:
        (built,) = team.build(team.index, "--push")
        team.name = built["name"]
        yield team
    forget_images()  # tens of gigabytes, all of them together
    shutil.rmtree(folder)


@pytest.mark.parametrize("kind", TYPES)
def test_a_child_of_each_type_builds_and_passes_its_tests_on_the_teams_image(framework_team, kind):
    team, child = framework_team, framework_team.children.get(kind)
    if not child:
        pytest.skip("the type has no files for the framework")
    name = team.build_child(f"localhost/{kind}", child, "runtime")
    tests = team.build_child(f"localhost/{kind}-test", child, "test")
    below, whole = layers(team.name), layers(name)
    assert whole[: len(below)] == below
    added = sum(size for _, size in whole[len(below) :])
    print(f"{team.framework} {kind}: {added} bytes more")
    assert added < 100_000_000
    config = config_of(name)
    assert config["User"] == "10001:10001"
    assert config["Labels"]["org.opencontainers.image.base.name"] == team.name
    # torchrun looks its own host up, which a container of buildah's chroot has no name for.
    words = ["-p", "no:cacheprovider", "-q", "-m", "not gpu", "-k", "not torchrun"]
    said = run(*inside(container_of(tests), "python", "-m", "pytest", *words))
    print(said.splitlines()[-1])
    assert " passed" in said


def test_a_child_without_the_teams_image_has_the_same_packages(framework_team, tmp_path):
    team = framework_team
    words = ["--type", "service", "--name", "it", "--framework", team.framework, "--no-git"]
    run(TMPLGEN, "new", tmp_path / "it", *words, "--python", "3.11")
    name = team.build_child("localhost/straight", tmp_path / "it", "runtime", BASE_IMAGE=BASE)
    found = frozen(name)
    assert any(line.startswith("prometheus") for line in found)
    on_team = team.build_child("localhost/service", team.children["service"], "runtime")
    assert found == frozen(on_team)
