"""Which rows a command is about, how they are tagged and named, and what is refused."""

import re

import pytest

from .world import LOCK, SHIPPED, add_image, digest, lock_text

BASE = "nvidia/cuda:13.2.1-base-ubuntu24.04"
PYTORCH = "pytorch:2.15.0-cu132-py312-ubuntu24.04"
OLD_GPU = "pytorch:2.14.1-cu126-py312-ubuntu24.04"


def test_the_images_that_are_built_in(world):
    promised = {"cuda-base", "cuda-runtime", "cuda-install", "cuda-devel", "pytorch",
                "transformers", "tensorflow", "jax", "onnxruntime", "xgboost",
                "tmplgen"}  # fmt: skip
    listed = world.json("list")["images"]
    assert [image["name"] for image in listed] == SHIPPED
    assert promised <= set(SHIPPED)
    assert all(image["rows"] for image in listed)


def test_tags_are_made_by_the_rule(world):
    version = world.tmplgen("version", "--json", cwd=world.folder).json["version"]
    for image in world.json("list")["images"]:
        for row in image["rows"]:
            stack = row["resolution"]
            python = "py" + stack["python"].replace(".", "")
            base = row["base"]
            system = base["tag"].rpartition("-")[2]
            if image["name"] == "tmplgen":
                wanted = version
            elif stack["framework"]["name"] == "none":
                wanted = f"{base['tag'].removesuffix('-' + system)}-{python}-{system}"
            else:
                variant = stack["cuda"]["variant"]
                wanted = f"{stack['framework']['version']}-{variant}-{python}-{system}"
            assert row["tag"] == wanted
            assert row["name"] == f"{image['name']}:{wanted}"
            assert base == {**stack["image"], "digest": None}


def test_a_row_without_cuda_is_cpu(world):
    assert world.rows("pytorch", "--variant", "cpu") == ["pytorch:2.15.0-cpu-py314-ubuntu26.04"]


def test_names_pick_images(world):
    assert world.rows("pytorch") == [PYTORCH, OLD_GPU]
    assert {row.split(":")[0] for row in world.rows("jax", "xgboost")} == {"jax", "xgboost"}


def test_the_stack_goes_before_the_plan_that_lies_there(world):
    world.plan({"image": "jax"})
    assert [row.split(":")[0] for row in world.rows()] == ["jax"]
    assert world.rows("pytorch", "--gpu", "V100") == [OLD_GPU]


def test_a_named_plan_goes_before_the_one_that_lies_there(world):
    world.plan({"image": "jax"})
    world.plan({"image": "pytorch"}, path="other/plan.yml")
    assert world.rows("--plan", "other/plan.yml") == [PYTORCH]


def test_without_a_plan_each_image_has_its_own_rows(world):
    own = world.rows()
    assert PYTORCH in own and OLD_GPU in own
    world.plan({"image": "pytorch"})
    assert world.rows() == [PYTORCH]


def test_a_name_picks_from_the_plan(world):
    world.plan(
        {"image": "pytorch"}, {"image": "jax"}, {"image": "pytorch", "request": {"gpu": ["V100"]}}
    )
    assert world.rows("pytorch") == [PYTORCH, OLD_GPU]


def test_an_entry_without_a_request_is_the_images_first_row(world):
    world.plan({"image": "tmplgen"}, {"image": "pytorch"}, {"image": "pytorch", "request": {}})
    own = world.rows("--plan", "images.yml", "tmplgen")
    (image,) = world.json("list", "tmplgen")["images"]
    assert image["rows"][0]["base"]["repository"] == "debian"
    assert world.rows() == [*own, PYTORCH]


def test_a_plan_without_images_has_no_rows(world):
    world.plan()
    assert world.rows() == []


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["list", "pytroch"], "unknown-image", "'pytroch'"),
        (["list", "a/b"], "unknown-image", "'a/b'"),
        (["list", ".."], "unknown-image", "'..'"),
        (["list", ""], "unknown-image", "''"),
        (["list", "--gpu", "T4"], "usage", "for one image"),
        (["list", "pytorch", "jax", "--gpu", "T4"], "usage", "for one image"),
        (["list", "pytorch", "--gpu", "T4", "--plan", "x.yml"], "usage", "--plan"),
        (["list", "pytorch", "--framework", "jax"], "invalid", "'pytorch', not of 'jax'"),
        (["list", "pytorch", "--gpu", "H1000"], "unknown-gpu", "H1000"),
        (["list", "--only", "pytorch:1"], "unknown-row", "'pytorch:1'"),
        (["list", "--registry", "https://x.y/z"], "invalid-registry", "https://"),
        (["list", "--registry", "team"], "invalid-registry", "'team'"),
        (["list", "--registry", "x.y/Team"], "invalid-registry", "Team"),
        (["list", "--registry", "x.y/a/../b"], "invalid-registry", ".."),
        (["list", "--registry", "x.y/a b"], "invalid-registry", "a b"),
        (["list", "--registry", "x.y/a:1"], "invalid-registry", "a:1"),
        (["list", "--registry", "x.y/" + "a" * 300], "invalid-registry", "aaa"),
        (["render"], "usage", "--output"),
        (["render", "--output", ""], "usage", "--output"),
        (["bake"], "usage", "--output"),
        (["lock", BASE], "unknown-image", f"--update {BASE}"),
        (["list", PYTORCH], "unknown-image", f"--only {PYTORCH}"),
    ],
)  # fmt: skip
def test_wrong_usage(world, words, code, message):
    error = world.json(*words, code=2)["error"]
    assert error["code"] == code
    assert message in f"{error['message']} {error['hint']}"
    assert world.files() == {}


@pytest.mark.parametrize(
    "words",
    [["lock", "--update", "u:secret@x.y/z"], ["list", "--registry", "u:secret@x.y/z"],
     ["list", "--registry", "https://u:secret@x.y/z"],
     ["list", "u:secret@x.y/z"], ["lock", "--mirror", "u:secret@x.y/z"],
     ["build", "--mirror", "u:secret@x.y/z"]],
)  # fmt: skip
def test_no_password_is_repeated(world, words):
    world.plan()
    done = world(*words, "--json")
    assert done.code == 2 and "secret" not in done.out + done.err
    assert done.json["error"]["message"].endswith("'x.y/z' must be named without user and password")


def test_no_password_of_a_plan_is_repeated(world):
    world.plan(registry="u:secret@x.y/z")
    done = world("list")
    assert done.code == 2 and "secret" not in done.out + done.err
    assert "'x.y/z' must be named without user and password" in done.err
    assert "images.yml:2:" in done.err and "docker login" in done.err


@pytest.mark.parametrize("command", [["image", "list"], ["matrix", "list", "gpus"]])
def test_a_folder_catalog_is_no_matter_of_children_here(team, command):
    add_image(team.catalog)
    done = team.tmplgen(*command, "--catalog", team.catalog, cwd=team.folder)
    assert (done.code, done.err) == (0, "")


def test_the_nearest_name_is_told(world):
    assert "did you mean 'pytorch'" in world("list", "pytroch").err


def test_a_picked_image_that_the_plan_has_not(world):
    world.plan({"image": "jax"})
    error = world.json("list", "pytorch", code=2)["error"]
    assert error["code"] == "unknown-row" and "'pytorch'" in error["message"]


def test_only_picks_rows(world):
    assert world.rows("--only", OLD_GPU) == [OLD_GPU]
    assert world.rows("--only", OLD_GPU, "--only", PYTORCH) == [PYTORCH, OLD_GPU]
    assert world.json("list", "jax", "--only", PYTORCH, code=2)["error"]["code"] == "unknown-row"


@pytest.mark.parametrize("text", ["schema: 1\n", "# head\nschema: 1\nregistry: x.y/z\n"])
def test_a_plan_without_images_is_told_with_its_place(world, text):
    world.write("images.yml", text)
    error = world.json("list", code=2)["error"]
    assert "'images' is missing" in error["message"]
    assert error["where"] == {"file": "images.yml", "line": text.count("#") + 1, "column": 1}


def test_a_request_that_cannot_be_met_tells_the_line_of_the_plan(world):
    text = (
        "schema: 1\nimages:\n  - image: jax\n"
        "  - image: pytorch\n    request: {framework: 'pytorch==2.14.0', driver: '470.82.01'}\n"
    )
    world.write("images.yml", text)
    error = world.json("list", code=4)["error"]
    assert error["code"] == "unsatisfiable"
    assert error["where"] == {"file": "images.yml", "line": 4, "column": 5}
    assert error["conflicts"] and error["nearest"]
    assert "470.82.01" in str(error["conflicts"])
    shown = world("list")
    assert shown.code == 4 and "images.yml:4:5" in shown.err and "470.82.01" in shown.err


def test_a_request_of_the_command_line_that_cannot_be_met(world):
    error = world.json("list", "pytorch", "--driver", "470.82.01", "--framework", "pytorch==2.14.0",
                       code=4)["error"]  # fmt: skip
    assert error["conflicts"] and error["where"] is None


def test_rows_that_are_alike_are_one(world):
    world.plan(
        {"image": "pytorch", "tags": ["stable"]},
        {"image": "pytorch", "request": {"variant": "cu132"}, "tags": ["newest", "stable"]},
    )
    (image,) = world.json("list")["images"]
    (row,) = image["rows"]
    assert row["aliases"] == ["pytorch:stable", "pytorch:newest"]


CLASHES = {
    "two rows of one name": (
        {"image": "pytorch"},
        {"image": "pytorch", "request": {"image": "nvidia/cuda:13.0.2-base-ubuntu24.04"}},
    ),
    "two processors under one name": (
        {"image": "pytorch", "request": {"arch": "aarch64"}},
        {"image": "pytorch"},
    ),
    "one more tag of two rows": (
        {"image": "pytorch", "tags": ["stable"]},
        {"image": "pytorch", "request": {"gpu": ["V100"]}, "tags": ["stable"]},
    ),
    "a tag that is another row's own": (
        {"image": "pytorch", "tags": [OLD_GPU.split(":")[1]]},
        {"image": "pytorch", "request": {"gpu": ["V100"]}},
    ),
    "and the other way around": (
        {"image": "pytorch"},
        {"image": "pytorch", "request": {"gpu": ["V100"]}, "tags": [PYTORCH.split(":")[1]]},
    ),
}


@pytest.mark.parametrize("case", CLASHES)
def test_one_name_is_not_two_images(world, case):
    world.plan(*CLASHES[case])
    error = world.json("list", code=2)["error"]
    assert error["where"]["file"] == "images.yml" and error["where"]["line"] > 2
    assert "'pytorch:" in error["message"]


def test_the_same_further_tag_of_two_images_is_no_clash(world):
    world.plan({"image": "pytorch", "tags": ["v1"]}, {"image": "jax", "tags": ["v1"]})
    assert len(world.rows()) == 2


def names(document):
    return [row["name"] for image in document["images"] for row in image["rows"]]


def test_the_registry_is_the_options_the_plans_the_users(world):
    world.tmplgen.configure("registry: user.example.org/u\n")
    assert names(world.json("list", "pytorch"))[0] == f"user.example.org/u/{PYTORCH}"
    world.plan({"image": "pytorch", "tags": ["x"]}, registry="plan.example.org:5000/p/q")
    (image,) = world.json("list")["images"]
    assert image["rows"][0]["name"] == f"plan.example.org:5000/p/q/{PYTORCH}"
    assert image["rows"][0]["aliases"] == ["plan.example.org:5000/p/q/pytorch:x"]
    assert names(world.json("list", "--registry", "localhost/o")) == [f"localhost/o/{PYTORCH}"]
    assert names(world.json("list", "--registry", "")) == [PYTORCH]
    # A row that the plan has not goes where its rows go.
    assert names(world.json("list", "pytorch", "--variant", "cu130"))[0].startswith("plan.")
    (world.folder / "images.yml").unlink()
    assert names(world.json("list", "pytorch", "--variant", "cu130"))[0].startswith("user.")


@pytest.mark.parametrize(
    ("image", "words"),
    [
        ("debian:12", "is taken as given"),
        ("nvidia/cuda:12.1.0-base-ubuntu22.04", "is at its end of life"),
        ("nvidia/cuda:13.0.2-base-ubuntu24.04", "is superseded by CUDA 13.0.3"),
    ],
)
def test_what_is_known_of_a_base_is_told_once(world, image, words):
    """Rows of two versions on one base: one word."""
    requests = [{"image": image}, {"image": image, "python": "3.11"}]
    world.plan(*({"image": "pytorch", "request": request} for request in requests))
    assert len(world.rows()) == 2
    for command in (["list"], ["render", "--output", "o"], ["bake", "--output", "b.json"]):
        done = world(*command)
        assert done.code == 0, done.err
        assert done.err.count(f"warning: {image} {words}") == 1, done.err
    assert words not in world("list", "--plan", world.plan({"image": "pytorch"}, path="x.yml")).err


def test_the_lock_lies_beside_the_plan(world):
    world.write(LOCK, lock_text("debian:12"))
    world.write(f"team/{LOCK}", lock_text(BASE))
    world.plan({"image": "pytorch"}, path="team/images.yml")

    def locked(*words):
        (image,) = world.json("list", *words)["images"]
        return image["rows"][0]["base"]["digest"]

    assert locked("--plan", "team/images.yml") == digest(BASE)
    assert locked("--plan", "team/images.yml", "--lock", LOCK) is None
    assert locked("--only", PYTORCH, "pytorch") is None
    assert locked("--only", PYTORCH, "pytorch", "--lock", f"team/{LOCK}") == digest(BASE)


def test_a_list_says_what_is_locked(world):
    world.write(LOCK, lock_text(BASE))
    shown = world("list", "pytorch").out
    assert re.search(rf"{BASE}, supported, locked$", shown, re.M)
    assert re.search(r"12\.6\.3-base-ubuntu24\.04, supported, not locked$", shown, re.M)


def test_an_overlay_is_heard(world):
    world.write(".tmplgen-matrix.yml", "nonsense: []\n")
    assert world.json("list", code=2)["error"]["where"]["file"] == ".tmplgen-matrix.yml"


@pytest.mark.parametrize("os", ["rockylinux9", "ubi9", "amzn2023"])
def test_an_image_is_not_built_on_a_distribution_that_its_dockerfile_is_not_for(world, os):
    error = world.json("list", "pytorch", "--os", os, code=2)["error"]
    assert f"cannot be built on {os}" in error["message"] and "ubuntu" in error["hint"]
    world.plan({"image": "pytorch", "request": {"os": os}})
    error = world.json("list", code=2)["error"]
    assert (error["where"]["file"], error["where"]["line"]) == ("images.yml", 2)
