"""A project's base image through updates: straight on CUDA's, on the team's, and back."""

import pytest
import yaml

from .test_stack import NEW, OLD, matrices, moved, ok
from .world import RECORD, assert_sound, snapshot

REGISTRY = "registry.example.org/team"
TEMPLATE = """\
description: a test
questions:
- {name: registry, type: str, default: "", help: where images are}
"""
DOCKERFILE = """\
{% set team = resolution.team_image | default(none) %}
{% if team %}
FROM {{ team.repository }}:{{ team.tag }}
{% else %}
FROM {{ resolution.image.repository }}:{{ resolution.image.tag }}
{% endif %}
# one
# two
# three
RUN make
"""
FILES = {"Dockerfile.j2": DOCKERFILE, "registry.j2": "{{ registry }}\n"}
MANIFEST = "base-images/demo-base/image.yml"
IMAGE = {MANIFEST: "description: d\nframework: demo\nserves: {types: [app], frameworks: [demo]}\n"}
GONE = {MANIFEST: None}
CUDA = "nvidia/cuda:11.8.0-base-ubuntu22.04"
SET = ("--set", f"registry={REGISTRY}")


def team(version, variant="cu118"):
    return f"{REGISTRY}/demo-base:{version}-{variant}-py310-ubuntu22.04"


def release(world, version, text=OLD, images=IMAGE):
    world.release(version, FILES, template=TEMPLATE, **matrices(text), **images)


def start(world, *args, text=OLD, images=IMAGE):
    release(world, "1.0.0", text, images)
    world.new("--framework", "demo", *args)


def base(world):
    return world.read("Dockerfile").splitlines()[0].removeprefix("FROM ")


def recorded(world):
    """The team's image that the record names, or None."""
    resolution = yaml.safe_load(world.read(RECORD))["resolution"]
    assert resolution.get("team_image", {}) is not None
    image = resolution.get("team_image")
    return image and f"{image['repository']}:{image['tag']}"


def is_clean(world):
    """Nothing of the child is called changed, and nothing waits."""
    assert world.tmplgen("status", world.child, "--json").json["paths"] == []
    assert world.tmplgen("diff", world.child).out == ""
    ok(world, result="up-to-date")
    assert_sound(world)


def test_new_child_of_a_registry_begins_with_the_teams_image(world):
    start(world, "--registry", REGISTRY)
    assert (base(world), recorded(world)) == (team("1.0.0"), team("1.0.0"))
    is_clean(world)


@pytest.mark.usefixtures("strategy")
def test_child_moves_to_the_teams_image_and_back(world):
    start(world)
    world.edit({"Dockerfile": world.read("Dockerfile") + "# mine\n"})
    assert (base(world), recorded(world)) == (CUDA, None)
    before = world.read(RECORD)
    done = ok(world, *SET)
    assert moved(done) == {"image": (CUDA, team("1.0.0"))}
    assert (base(world), recorded(world)) == (team("1.0.0"), team("1.0.0"))
    done = ok(world, "--set", "registry=")
    assert moved(done) == {"image": (team("1.0.0"), CUDA)}
    assert (base(world), recorded(world)) == (CUDA, None)
    assert world.read("Dockerfile").endswith("RUN make\n# mine\n")
    assert world.read(RECORD) == before


def test_every_state_on_that_way_is_clean(world):
    start(world)
    is_clean(world)
    ok(world, *SET)
    is_clean(world)
    ok(world, "--set", "registry=")
    is_clean(world)


def test_update_moves_the_image_when_the_matrix_does(world):
    start(world, "--registry", REGISTRY)
    release(world, "1.1.0", NEW)
    done = ok(world)
    assert done.json["base"]["proven_by"] == "render"
    assert moved(done)["image"] == (team("1.0.0"), team("1.0.1"))
    assert (base(world), recorded(world)) == (team("1.0.1"), team("1.0.1"))
    done = ok(world, "--upgrade")
    assert moved(done)["image"] == (team("1.0.1"), team("1.1.0", "cu124"))
    assert base(world) == recorded(world) == team("1.1.0", "cu124")
    is_clean(world)


def test_child_of_a_registry_moves_when_its_catalog_gets_images(world):
    start(world, "--registry", REGISTRY, images={})
    assert (base(world), recorded(world)) == (CUDA, None)
    is_clean(world)
    release(world, "1.1.0")
    assert moved(ok(world)) == {"image": (CUDA, team("1.0.0"))}
    release(world, "1.2.0", images=GONE)
    assert moved(ok(world)) == {"image": (team("1.0.0"), CUDA)}
    assert recorded(world) is None


def test_another_registry_is_another_image(world):
    start(world, "--registry", "old.example.org/a/b")
    done = ok(world, *SET)
    (old, new) = moved(done)["image"]
    assert (old.split("/demo-base")[0], new) == ("old.example.org/a/b", team("1.0.0"))


def test_registry_edited_in_the_record_counts_as_set(world):
    start(world)
    world.edit({RECORD: world.read(RECORD).replace('registry: ""', f"registry: {REGISTRY}")})
    ok(world)
    assert base(world) == recorded(world) == team("1.0.0")


def test_check_tells_the_move_and_changes_nothing(world):
    start(world, "--registry", REGISTRY)
    release(world, "1.1.0", NEW)
    before = snapshot(world)
    done = world.update("--check")
    assert done.code == 6
    assert moved(done)["image"] == (team("1.0.0"), team("1.0.1"))
    assert snapshot(world) == before
    said = world.tmplgen("update", world.child, "--dry-run").out
    assert f"image        {team('1.0.0')} -> {team('1.0.1')}" in said


def test_line_that_the_user_edited_conflicts_with_the_moved_image(world):
    start(world, "--registry", REGISTRY)
    world.edit({"Dockerfile": world.read("Dockerfile").replace("1.0.0", "mine")})
    release(world, "1.1.0", NEW)
    done = world.update()
    assert (done.code, done.paths["Dockerfile"]) == (5, "conflict")


def test_adopted_repository_begins_with_the_teams_image(world):
    release(world, "1.0.0")
    world.child.mkdir()
    world.git("init", "-q")
    world.edit({"notes": "mine\n"})
    words = ["--type", "app", "--framework", "demo", "--catalog", world.catalog, *SET, "--json"]
    done = world.tmplgen("adopt", world.child, *words)
    assert done.code == 0, done.out + done.err
    assert moved(done)["image"] == (None, team("1.0.0"))
    assert base(world) == recorded(world) == team("1.0.0")
