"""Children of every type and framework, straight on CUDA's image and on the team's."""

import json
import re
import shutil
import subprocess

import pytest

from ..common.program import ROOT
from ..common.team import REGISTRY, catalog, image_of, reference, team_image, types_of_frameworks
from . import matrix
from .matrix import TMPLGEN, Child, tmplgen

TYPES = types_of_frameworks()
PAIRS = [(kind, name) for kind, names in TYPES.items() for name in names]
ARGUMENTS = {"BASE_IMAGE", "INDEX_URL", "REQUIREMENTS", "PYTHON_SOURCE", "UV_VERSION"}
# Neither is a matter of networks: what the project says of itself.
OWN = {"PYTHON_VERSION", "FRAMEWORK_INDEX_URL", "REVISION"}
# What the team's image says of itself.
THEIRS = ("base=", "os=", "image=", "row=", "system.packages=")


@pytest.fixture(scope="module")
def team(tmp_path_factory):
    return catalog(tmp_path_factory.mktemp("catalog"))


def make(root, team, kind, framework, *more):
    words = ["--type", kind, "--framework", framework, "--name", "it", *more]
    folder = root / f"{kind}-{framework}{len(more)}"
    tmplgen("new", folder, *words, "--no-git", "--catalog", team, cwd=root)
    return Child(folder, words)


@pytest.fixture(scope="module")
def both(team, tmp_path_factory):
    """Children of all pairs: straight, and with a registry."""
    root = tmp_path_factory.mktemp("children")
    return {
        pair: (make(root, team, *pair), make(root, team, *pair, "--registry", REGISTRY))
        for pair in PAIRS
    }


def arguments(text):
    return dict(re.findall(r"^ARG ([A-Z_]+)=(.*)$", text, re.M))


def stages(text):
    return {name: base for base, name in re.findall(r"^FROM (\S+) AS (\S+)$", text, re.M)}


def instructions(text):
    """The lines of a Dockerfile, each with those that it goes on in."""
    text = re.sub(r"^#.*\n", "", text, flags=re.M)
    return [line for line in re.sub(r"\\\n", "", text).splitlines() if line]


@pytest.mark.turns(1)
@pytest.mark.parametrize("framework", TYPES["service"])
def test_the_children_of_a_registry_pass_every_check(both, framework):
    assert matrix.check([child for pair, (_, child) in both.items() if pair[1] == framework]) == []


def test_the_record_says_which_image_and_the_dockerfile_begins_with_it(both):
    for (_, framework), (straight, child) in both.items():
        image = team_image(child.folder)
        assert image["image"] == image_of(framework)
        assert image["repository"] == f"{REGISTRY}/{image_of(framework)}"
        text = child.text("Dockerfile")
        assert arguments(text)["BASE_IMAGE"] == reference(child.folder)
        assert reference(child.folder) in child.text("README.md")
        assert team_image(straight.folder) is None
        assert "team" not in straight.text("Dockerfile") + straight.text(".tmplgen.yml")


@pytest.mark.parametrize("registry", ["", REGISTRY])
def test_new_says_that_the_image_must_be_there(team, tmp_path, registry):
    words = ["--type", "service", "--framework", "pytorch", "--registry", registry]
    done = subprocess.run(
        [TMPLGEN, "new", "it", *words, "--catalog", team],
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    told = "must be in the registry before this is built"
    assert (told in done.stderr) == bool(registry)
    if registry:
        assert f"'{reference(tmp_path / 'it')}' {told}" in done.stderr


def test_straight_children_begin_with_the_image_of_cuda(both):
    for straight, _ in both.values():
        base = arguments(straight.text("Dockerfile"))["BASE_IMAGE"]
        assert re.fullmatch(r"nvidia/cuda:\S+|ubuntu:\S+", base), straight.id


def test_no_other_argument_has_to_change_in_a_closed_network(both):
    for straight, child in both.values():
        for one in (straight, child):
            assert set(arguments(one.text("Dockerfile"))) - OWN == ARGUMENTS, one.id


def test_the_environment_is_added_to_and_not_copied(both):
    """A copy out of another stage would be gigabytes once more."""
    wanted = {"smoke": "${BASE_IMAGE}", "packages": "${BASE_IMAGE}", "build": "packages"}
    wanted |= {"image": "packages", "test": "image", "runtime": "image"}
    for _, child in both.values():
        text = child.text("Dockerfile")
        assert stages(text) == wanted, child.id
        copied = re.findall(r"^COPY --from=\S+ (\S+)", text, re.M)
        assert set(copied) <= {"/smoke/gpu-smoke", "/opt/app/site", "/opt/app/model"}, child.id


def test_both_ways_install_the_same(both):
    for straight, child in both.values():
        folders = [one.folder / "requirements" for one in (straight, child)]
        lists = [{path.name: path.read_text() for path in one.glob("*")} for one in folders]
        assert lists[0] == lists[1]
        said = [
            [line for line in instructions(one.text("Dockerfile")) if "pip install" in line][-4:]
            for one in (straight, child)
        ]
        assert said[0] == said[1], child.id


def test_older_builders_take_it_and_it_runs_as_nobody_in_particular(both):
    for _, child in both.values():
        text = child.text("Dockerfile")
        assert "<<" not in text and "--link" not in text and "chown -R" not in text
        assert text.count("--mount=type=cache") == text.count("pip install ${")  # but uv's own
        last = text[text.rindex("FROM ") :]
        assert re.findall(r"^USER (.*)$", last, re.M) == ["10001:10001"]


def test_labels_are_true_and_those_of_the_teams_image_stay(both):
    for (_, framework), pair in both.items():
        for child in pair:
            label = re.search(r"^LABEL (?:.*\\\n)*.*", child.text("Dockerfile"), re.M)[0]
            assert 'org.opencontainers.image.base.name="$BASE_IMAGE"' in label
            told = re.search(r'tmplgen\.framework="([^"]*)"', label)[1].split(" ")
            assert told[0] == framework and len(told) == (1 if framework == "none" else 2)
            last = child.text("Dockerfile").split("AS runtime")[1].split("LABEL")[0]
            assert "\nARG BASE_IMAGE\n" in last
            # What the team's image says there is not said of this one.
            assert ("image.version" in label) == ("image.description" in label)
            assert ("image.version" in label) == (child is pair[1])
            # A rebase asks for it: what is inherited says nothing of the layers above it.
            assert ("tmplgen.writes=" in label) == (child is pair[1])
            for name in THEIRS:
                assert f"tmplgen.{name}" not in label


SUPPLIES = {
    "wheel": (["service", "pytorch"], "-base-"),
    "image": (["service", "onnxruntime"], "-cudnn-runtime-"),
    "cpu": (["batch", "pytorch", "--variant", "cpu"], "ubuntu:"),
}


@pytest.mark.parametrize("supply", SUPPLIES)
def test_the_head_names_a_base_that_will_do_without_the_registry(team, tmp_path, supply):
    words, part = SUPPLIES[supply]
    child = make(tmp_path, team, *words, "--registry", REGISTRY)
    head = child.text("Dockerfile").split("\nARG ")[0]
    assert part in head


def test_libraries_that_an_installing_stack_needs_are_installed_where_they_are_missing(tmp_path):
    team = catalog(tmp_path / "catalog")
    rows = team / "matrices/frameworks/none.yml"
    rows.write_text(rows.read_text().replace("supply: image", "supply: install"))
    for registry in ([], ["--registry", REGISTRY]):
        text = make(tmp_path, team, "library", "none", *registry).text("Dockerfile")
        assert "cuda-libraries-13-0" in text
        assert "libcudnn" not in text
        assert ("dpkg-query --show $libraries" in text) == bool(registry)


@pytest.mark.parametrize(
    ("variant", "cuda", "cudnn", "packages"),
    [
        ("cuda13", "13.0", "9", "cuda-libraries-13-0 libcudnn9-cuda-13"),
        ("cuda12", "12.9", "9", "cuda-libraries-12-9 libcudnn9-cuda-12"),
        ("cuda12", "12.9", "8.9", "cuda-libraries-12-9 libcudnn8"),
    ],
)
def test_cudnn_is_the_package_of_its_release(tmp_path, variant, cuda, cudnn, packages):
    """In children, straight and on a team's image, and in the image that has CUDA as packages."""
    team = catalog(tmp_path / "catalog")
    for name in ("base-images/cuda-install", "templates/_includes"):
        shutil.copytree(ROOT / name, team / name, dirs_exist_ok=True)
    rows = team / "matrices/frameworks/none.yml"
    text = rows.read_text().replace("supply: image", "supply: install")
    build = rf'variant: {variant}, cuda: [\d.]+,( images: "[^"]*",)?'
    text = re.sub(build, f"variant: {variant}, cuda: {cuda}, cudnn: {cudnn},", text)
    rows.write_text(text)
    stack = ["--variant", variant]
    texts = [
        make(tmp_path, team, "library", "none", *stack, *registry).text("Dockerfile")
        for registry in ([], ["--registry", REGISTRY])
    ]
    words = ["image", "render", "cuda-install", *stack, "--output", "out", "--catalog", team]
    tmplgen(*words, cwd=tmp_path)
    texts += [path.read_text() for path in tmp_path.glob("out/*/*/Dockerfile")]
    assert len(texts) == 3
    for text in texts:
        assert re.search(rf"[ \"]{packages}(\"|;| \\)", text), text


def test_a_stack_that_compiles_needs_one_base_with_a_compiler(tmp_path):
    team = catalog(tmp_path / "catalog")
    rows = team / "matrices/frameworks/none.yml"
    rows.write_text(rows.read_text().replace("supply: image", "supply: build"))
    straight = make(tmp_path, team, "library", "none").text("Dockerfile")
    assert {"BUILD_IMAGE", "BASE_IMAGE"} < set(arguments(straight))
    text = make(tmp_path, team, "library", "none", "--registry", REGISTRY).text("Dockerfile")
    assert "BUILD_IMAGE" not in text
    assert re.search(r"^# +nvidia/cuda:\S+-devel-", text, re.M)


def document(root, *words):
    done = subprocess.run(
        [TMPLGEN, *words, "--json"],
        cwd=root,
        env={"PATH": "/usr/bin:/bin", "HOME": str(root)},
        capture_output=True,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


LIBRARY = ["new", "--type", "library", "--framework", "none", "--name", "it", "--dry-run"]


def test_documents_always_have_the_key(team, tmp_path):
    assert document(tmp_path, *LIBRARY, "--catalog", team)[1]["resolution"]["team_image"] is None
    _, made = document(tmp_path, *LIBRARY, "--catalog", team, "--registry", REGISTRY)
    assert made["resolution"]["team_image"]["image"] == "cuda-runtime"


def test_a_registry_of_a_catalog_without_images_is_where_images_go_and_no_more(tmp_path):
    team = catalog(tmp_path / "catalog")
    for path in (team / "base-images").glob("*/*"):
        path.unlink()
    child = make(tmp_path, team, "service", "none", "--registry", REGISTRY)
    assert team_image(child.folder) is None
    assert arguments(child.text("Dockerfile"))["BASE_IMAGE"].startswith("nvidia/cuda:")
    assert (child.folder / "ci/push.sh").exists()


@pytest.mark.parametrize("base", ["ubuntu:24.04", "nvidia/cuda:12.6.3-base-ubuntu24.04"])
def test_whoever_names_an_image_begins_with_that_one(team, tmp_path, base):
    child = make(tmp_path, team, "service", "pytorch", "--image", base, "--registry", REGISTRY)
    assert team_image(child.folder) is None
    assert arguments(child.text("Dockerfile"))["BASE_IMAGE"] == base
    assert f"{REGISTRY}/pytorch" not in child.text("README.md")
    straight = make(tmp_path, team, "service", "pytorch", "--image", base)
    assert child.text("Dockerfile") == straight.text("Dockerfile")


def test_an_image_that_does_not_serve_the_type_is_not_taken(tmp_path):
    team = catalog(tmp_path / "catalog")
    manifest = team / "base-images/cuda-runtime/image.yml"
    manifest.write_text(manifest.read_text().replace("- library", "- other"))
    library = make(tmp_path, team, "library", "none", "--registry", REGISTRY)
    assert team_image(library.folder) is None
    assert team_image(make(tmp_path, team, "batch", "none", "--registry", REGISTRY).folder)


def test_an_image_that_is_not_valid_is_an_error_with_its_place(tmp_path):
    team = catalog(tmp_path / "catalog")
    (team / "base-images/cuda-runtime/image.yml").write_text("description: d\nframewrk: none\n")
    code, said = document(tmp_path, *LIBRARY, "--catalog", team, "--registry", REGISTRY)
    assert code == 2
    assert said["error"]["where"]["file"] == "base-images/cuda-runtime/image.yml"


def test_a_library_pushes_no_images_and_logs_in_to_pull(both):
    for (kind, _), (straight, child) in both.items():
        scripts = {path.name for path in child.files("ci/*.sh")}
        assert "login.sh" in scripts
        assert ("push.sh" in scripts) == (kind != "library")
        assert not {"login.sh", "push.sh"} & {path.name for path in straight.files("ci/*.sh")}
        named = f"{REGISTRY}/it:" in child.text("ci/project.sh")
        assert named == (kind != "library")


STACKS = [[], ["--variant", "cpu"], ["--python", "3.12", "--os", "ubuntu22.04"], ["--gpu", "V100"]]


@pytest.mark.turns(3)
@pytest.mark.parametrize("framework", TYPES["service"])
def test_the_image_is_the_one_that_image_list_names(framework, tmp_path):
    """Of the built-in catalog, for whatever stack is asked for."""
    found = 0
    for stack in STACKS:
        words = ["--type", "service", "--framework", framework, "--registry", REGISTRY, *stack]
        code, made = document(tmp_path, "new", *words, "--dry-run")
        if code == 4:
            continue
        image = made["resolution"]["team_image"]
        words = ["--framework", framework, *stack]
        code, listed = document(tmp_path, "image", "list", image["image"], *words)
        assert code == 0, listed
        assert [row["tag"] for row in listed["images"][0]["rows"]] == [image["tag"]]
        found += 1
    assert found >= 2
