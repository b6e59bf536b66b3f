"""The bake file, against the keys that BuildKit's bake documents."""

import itertools
import json
import re
import shutil
import subprocess

import pytest

from .world import LOCK, add_image, digest, lock_text

# https://docs.docker.com/build/bake/reference/ (and docs/bake-reference.md of docker/buildx): the
# attributes of a target that take a text, and those that take a list of texts.
TEXTS = {"context", "dockerfile", "dockerfile-inline", "target", "network", "call", "description"}
LISTS = {"annotations", "attest", "cache-from", "cache-to", "entitlements", "inherits",
         "no-cache-filter", "output", "platforms", "secret", "ssh", "tags", "ulimits"}  # fmt: skip
OTHERS = {"args", "contexts", "extra-hosts", "labels", "matrix", "name", "no-cache", "pull",
          "shm-size"}  # fmt: skip
# The same page: names of targets and groups.
NAME = re.compile(r"[A-Za-z0-9_-]+")
REGISTRY = "registry.example.org:5000/team/ml"
BASE = "nvidia/cuda:13.2.1-base-ubuntu24.04"
BOTH = ["linux/amd64", "linux/arm64"]


def bake(world, *words):
    told = world.json("bake", *words, "--output", "docker-bake.json")
    assert told["output"] == "docker-bake.json"
    return told["targets"], json.loads((world.folder / "docker-bake.json").read_text())


def check_form(document):
    assert document.keys() == {"group", "target"}
    for name in [*document["group"], *document["target"]]:
        assert NAME.fullmatch(name), name
    assert not document["group"].keys() & document["target"].keys()
    for group in document["group"].values():
        assert group.keys() == {"targets"}
        assert set(group["targets"]) <= document["target"].keys()
        assert len(set(group["targets"])) == len(group["targets"])
    for target in document["target"].values():
        for key, value in target.items():
            assert key in TEXTS | LISTS | OTHERS
            assert isinstance(value, str if key in TEXTS else list), key
            assert key not in LISTS or all(isinstance(one, str) for one in value)


@pytest.mark.parametrize("registry", [REGISTRY, None])
def test_the_whole_matrix(world, registry):
    words = ["--registry", registry] if registry else []
    told, document = bake(world, *words)
    check_form(document)
    listed = world.json("list", *words)["images"]
    rows = {f"{i['name']}:{r['tag']}": r for i in listed for r in i["rows"]}
    assert [f"{one['image']}:{one['tag']}" for one in told] == list(rows)
    assert document["group"]["default"]["targets"] == [one["name"] for one in told]
    assert [*document["target"]] == [one["name"] for one in told]
    for one in told:
        target = document["target"][one["name"]]
        row = rows[f"{one['image']}:{one['tag']}"]
        assert one["name"] in document["group"][one["image"]]["targets"]
        assert target["tags"] == [row["name"]]
        assert target["platforms"] == one["platforms"]
        assert target["attest"] == ["type=provenance,mode=max", "type=sbom"]
        folder = world.folder / target["context"]
        assert target["context"] == one["context"] == f"images/{one['image']}/{one['tag']}"
        assert (folder / target["dockerfile"]).is_file()
        if not registry:
            assert "cache-from" not in target and "cache-to" not in target
            continue
        cache = f"type=registry,ref={registry}/{one['image']}:cache-{one['tag']}"
        assert target["cache-from"] == [cache]
        assert target["cache-to"] == [f"{cache},mode=max"]


def test_without_a_registry_it_is_said_that_there_is_no_cache(world):
    assert "no cache" in world("bake", "--output", "b.json").err
    assert world("bake", "--output", "c.json", "--registry", REGISTRY).err.count("warning") == 0


def test_further_tags_are_the_targets_too(world):
    world.plan({"image": "pytorch", "tags": ["latest", "v1"]}, registry=REGISTRY)
    (target,) = bake(world)[1]["target"].values()
    assert target["tags"][1:] == [f"{REGISTRY}/pytorch:latest", f"{REGISTRY}/pytorch:v1"]


PLATFORMS = {
    "wheels for both": ({"image": "pytorch"}, BOTH),
    "asked for one": ({"image": "pytorch", "request": {"arch": "aarch64"}}, ["linux/arm64"]),
    "asked for the other": ({"image": "pytorch", "request": {"arch": "x86_64"}}, ["linux/amd64"]),
    "wheels for one": ({"image": "tensorflow", "request": {"driver": "450"}}, ["linux/amd64"]),
}


@pytest.mark.parametrize("case", PLATFORMS)
def test_platforms_are_those_with_wheels(world, case):
    entry, wanted = PLATFORMS[case]
    world.plan(entry)
    (one,), _ = bake(world)
    assert one["platforms"] == wanted


def test_wheels_for_both_are_what_the_resolver_says(world):
    """Of every own row: the other processor makes the same stack, or there is one platform."""
    told, _ = bake(world)
    for one in told:
        if one["image"] == "tmplgen":
            assert len(one["platforms"]) == 1  # the running program is for one
            continue
        there = []
        for arch, platform in (("x86_64", BOTH[0]), ("aarch64", BOTH[1])):
            (image,) = world.json("list", one["image"])["images"]
            (row,) = [row for row in image["rows"] if row["tag"] == one["tag"]]
            gpus = [word for gpu in row["request"].get("gpu", []) for word in ("--gpu", gpu)]
            found = world("list", one["image"], "--arch", arch, *gpus)
            if found.code == 0 and one["tag"] in found.out:
                there.append(platform)
        assert one["platforms"] == there, one


@pytest.mark.parametrize(
    ("locked", "wanted"),
    [
        ({"linux_amd64": 1, "linux_arm64": 1}, BOTH),
        ({"linux_amd64": 1}, ["linux/amd64"]),
        ({"linux_arm64": 1, "linux_s390x": 1}, ["linux/arm64"]),
    ],
)
def test_platforms_are_those_of_the_locked_base(world, locked, wanted):
    world.plan({"image": "pytorch"})
    world.write(LOCK, lock_text(BASE, **locked))
    (one,), _ = bake(world)
    assert one["platforms"] == wanted
    text = (world.folder / one["context"] / "Dockerfile").read_text()
    assert f"ARG BASE_IMAGE={BASE}@{digest(BASE)}\n" in text


def test_a_base_for_no_platform_of_the_row(world):
    world.plan({"image": "pytorch"})
    world.write(LOCK, lock_text(BASE, linux_s390x=1))
    before = world.files()
    error = world.json("bake", "--output", "b.json", code=2)["error"]
    assert error["code"] == "no-platform" and BASE in error["message"]
    assert world.files() == before and not (world.folder / "images").exists()


def test_contexts_lie_where_they_are_wanted(world):
    told, _ = bake(world, "pytorch", "--contexts", "build/contexts")
    assert all(one["context"].startswith("build/contexts/pytorch/") for one in told)


def test_a_context_is_no_template_of_bake(world):
    """Texts of a JSON bake file are templates: ${ and %{ stand for themselves when doubled."""
    told, document = bake(world, "pytorch", "--contexts", "a${b}%{c}$d%e")
    for one in told:
        assert one["context"].startswith("a${b}%{c}$d%e/")
        text = document["target"][one["name"]]["context"]
        assert text.startswith("a$${b}%%{c}$d%e/")
        assert (world.folder / one["context"] / "Dockerfile").is_file()


def test_it_is_the_same_twice(world):
    first = bake(world)
    assert bake(world) == first


def test_what_was_baked_before_and_nobody_changed_is_replaced(world):
    world.plan({"image": "pytorch"})
    bake(world)
    world.plan({"image": "jax"})
    assert [one["image"] for one in bake(world)[0]] == ["jax"]
    path = world.folder / "docker-bake.json"
    path.write_text(path.read_text() + "\n")
    world.plan({"image": "pytorch"})
    before = world.files()
    error = world.json("bake", "--output", path.name, code=3)["error"]
    assert error["code"] == "target-not-empty" and "--output" in error["hint"]
    assert world.files() == before


def test_a_file_that_is_there_is_not_lost(world):
    world.write("docker-bake.json", "{}\n")
    error = world.json("bake", "pytorch", "--output", "docker-bake.json", code=3)["error"]
    assert error["code"] == "target-not-empty"
    assert world.files() == {"docker-bake.json": b"{}\n"}


def test_a_context_that_is_there_is_not_lost(world):
    told, _ = bake(world, "pytorch")
    (world.folder / "docker-bake.json").unlink()
    (world.folder / told[-1]["context"] / "Dockerfile").write_text("FROM scratch\n")
    before = world.files()
    assert world("bake", "pytorch", "--output", "docker-bake.json").code == 3
    assert world.files() == before


def test_what_cannot_be_written_leaves_nothing(world):
    done = world("bake", "pytorch", "--output", "no/where.json")
    assert done.code == 1 and "no/where.json" in done.err
    assert not (world.folder / "images").exists()
    world.write("images", "")
    assert world("bake", "pytorch", "--output", "b.json").code in (1, 3)
    assert world.files() == {"images": b""}


def test_groups_and_targets_have_names_of_their_own(team):
    """Names that would clash: with the group of all, with a target, with each other."""
    tag = "2.15.0-cu132-py312-ubuntu24.04"
    names = ["default", "a", "a.b", "a_b", f"a-{tag}"]
    for name in names:
        add_image(team.catalog, name)
    told, document = bake(team, "--registry", REGISTRY)
    check_form(document)
    assert sorted(one["image"] for one in told) == sorted(names)
    assert len(document["group"]) == len(names) + 1
    grouped = [group["targets"] for name, group in document["group"].items() if name != "default"]
    assert sorted(itertools.chain(*grouped)) == sorted(one["name"] for one in told)


def test_a_tag_too_long_for_a_cache(team):
    add_image(team.catalog, "mine", {"tag": "t" * 126})
    (target,) = bake(team, "--registry", REGISTRY)[1]["target"].values()
    assert target["tags"] == [f"{REGISTRY}/mine:{'t' * 126}"]
    assert "cache-to" not in target


def test_bake_itself_takes_it(world):
    """Where there is buildx; everywhere else the keys above must do."""
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "buildx", "version"], capture_output=True).returncode:
        pytest.skip("there is no docker with buildx here")
    _, document = bake(world, "--registry", REGISTRY)
    done = subprocess.run(
        [docker, "buildx", "bake", "--file", "docker-bake.json", "--print"],
        cwd=world.folder, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["target"].keys() == document["target"].keys()


def test_the_documentation_of_the_program_says_how(world):
    assert "docker buildx bake" in world("bake", "--help").out
