"""An image of one's own is a folder of a catalog; what is wrong in it is told with its place."""

import stat

import pytest

from .world import DOCKERFILE, add_image, files

TAG = "2.15.0-cu132-py312-ubuntu24.04"


def test_a_folder_makes_an_image(team):
    add_image(team.catalog, "mine", {"serves": {"types": ["service"], "frameworks": ["pytorch"]}})
    (image,) = team.json("list")["images"]
    assert (image["name"], image["description"]) == ("mine", "mine")
    (made,) = team.json("render", "--output", "out")["rendered"]
    assert made == {"image": "mine", "tag": TAG, "path": f"out/mine/{TAG}",
                    "base": "nvidia/cuda:13.2.1-base-ubuntu24.04"}  # fmt: skip
    text = (team.folder / made["path"] / "Dockerfile").read_text()
    assert text == (
        f'FROM nvidia/cuda:13.2.1-base-ubuntu24.04\nLABEL tmplgen.row="{TAG}" python="3.12"\n'
    )


def test_files_are_copied_and_rendered(team):
    folder = add_image(
        team.catalog, **{"plain.txt": "{{ raw }}\n", "made.txt.j2": "{{ image.name }}\n"}
    )
    (folder / "files" / "sub").mkdir()
    (folder / "files" / "sub" / "{{ image.name }}.sh").write_text("#!/bin/sh\n")
    (folder / "files" / "sub" / "{{ image.name }}.sh").chmod(0o755)
    (made,) = team.json("render", "--output", "out")["rendered"]
    out = team.folder / made["path"]
    assert files(out).keys() == {"Dockerfile", "plain.txt", "made.txt", "sub/mine.sh"}
    assert (out / "plain.txt").read_text() == "{{ raw }}\n"
    assert (out / "made.txt").read_text() == "mine\n"
    assert (out / "sub" / "mine.sh").stat().st_mode & stat.S_IXUSR


def test_layers_and_includes_of_the_catalog(team):
    layer = team.catalog / "templates" / "_layers" / "tool"
    (layer / "files").mkdir(parents=True)
    (layer / "layer.yml").write_text("description: a tool\n")
    (layer / "files" / "tool.sh.j2").write_text("# {{ image.tag }}\n")
    includes = team.catalog / "templates" / "_includes"
    includes.mkdir()
    (includes / "part").write_text("RUN true\n")
    add_image(team.catalog, manifest={"layers": [{"name": "tool"}]},
              dockerfile=DOCKERFILE + "{% include 'part' %}\n")  # fmt: skip
    (made,) = team.json("render", "--output", "out")["rendered"]
    out = files(team.folder / made["path"])
    assert out["tool.sh"] == f"# {TAG}\n".encode()
    assert out["Dockerfile"].endswith(b"RUN true\n")


def test_a_tag_of_ones_own(team):
    add_image(team.catalog, manifest={"tag": "v{{ resolution.framework.version }}"})
    assert team.rows() == ["mine:v2.15.0"]


def test_the_running_program_is_put_into_the_context(team):
    add_image(team.catalog, manifest={"program": "bin/tmplgen"})
    (made,) = team.json("render", "--output", "out")["rendered"]
    program = team.folder / made["path"] / "bin" / "tmplgen"
    assert program.stat().st_mode & stat.S_IXUSR
    assert program.stat().st_size > 100_000


def test_an_image_without_rows_is_built_when_asked_for(team):
    add_image(team.catalog, manifest={"rows": []})
    assert team.rows() == []
    assert team.json("list", "mine", code=2)["error"]["code"] == "unknown-row"
    assert team.rows("mine", "--gpu", "T4") == [f"mine:{TAG}"]


def test_the_flavour_of_the_image(team):
    add_image(team.catalog, manifest={"flavour": "devel", "rows": [{"variant": "cu130"}]})
    (image,) = team.json("list")["images"]
    assert image["rows"][0]["base"]["tag"] == "13.0.3-devel-ubuntu24.04"
    asked = team.json("list", "mine", "--image", "nvidia/cuda:13.0.3-base-ubuntu24.04")["images"]
    assert asked[0]["rows"][0]["base"]["tag"] == "13.0.3-base-ubuntu24.04"


def test_a_catalog_without_images(team):
    assert team.json("list")["images"] == []
    assert "no base images at all" in team("list", "pytorch").err


HEAD = "description: mine\nframework: pytorch\n"
# The text of image.yml, where it is wrong, and what the message says.
ERRORS = {
    "unknown key": (HEAD + "budgte: 3\n", (3, 1), "'budgte'"),
    "twice": (HEAD + "framework: jax\n", (3, 1), "framework"),
    "no mapping": ("- a\n", (1, 1), "mapping"),
    "nothing": ("", (1, 1), "empty"),
    "no description": ("framework: pytorch\n", (1, 1), "'description' is missing"),
    "no framework": ("description: mine\n", (1, 1), "'framework' is missing"),
    "a list for a text": ("description: [a]\nframework: pytorch\n", (1, 14), "description"),
    "null for a text": ("description:\nframework: pytorch\n", (1, 13), "description"),
    "bad flavour": (HEAD + "flavour: devle\n", (3, 10), "'devle' is no flavour"),
    "flavour of another kind": (HEAD + "flavour: [devel]\n", (3, 10), "flavour"),
    "another framework": (HEAD + "rows: [{framework: jax}]\n", (3, 8), "'pytorch', not of 'jax'"),
    "unknown choice": (HEAD + "rows: [{gpus: [T4]}]\n", (3, 9), "'gpus'"),
    "rows are no list": (HEAD + "rows: {}\n", (3, 7), "'rows'"),
    "a row is no mapping": (HEAD + "rows: [pytorch]\n", (3, 8), "mapping"),
    "a list for one choice": (HEAD + "rows: [{python: ['3.12']}]\n", (3, 17), "python"),
    "too many rows": (HEAD + "rows: [" + "{}, " * 1001 + "]\n", (3, 7), "limit is 1000"),
    "budget below zero": (HEAD + "budget: -1\n", (3, 9), "'budget'"),
    "budget of nothing": (HEAD + "budget: 0\n", (3, 9), "'budget'"),
    "budget with a unit": (HEAD + "budget: 5 GB\n", (3, 9), "budget"),
    "budget quoted": (HEAD + 'budget: "5000"\n', (3, 9), "budget"),
    "budget too large": (HEAD + "budget: 99999999999999999999\n", (3, 9), "budget"),
    "contents are no list": (HEAD + "contents: python\n", (3, 11), "'contents'"),
    "a command is a text": (HEAD + "contents: [python -V]\n", (3, 12), "a command"),
    "a command of nothing": (HEAD + "contents: [[]]\n", (3, 12), "a command"),
    "a command of lists": (HEAD + "contents: [[python, [x]]]\n", (3, 21), "a command"),
    "serves is no mapping": (HEAD + "serves: [service]\n", (3, 9), "mapping"),
    "serves what": (HEAD + "serves: {type: service}\n", (3, 10), "'type'"),
    "serves a text": (HEAD + "serves: {types: service}\n", (3, 17), "types"),
    "unknown layer": (HEAD + "layers: [{name: nobody}]\n", (3, 17), "'nobody'"),
    "layers are no list": (HEAD + "layers: gpu-smoke\n", (3, 9), "layers"),
    "unknown policy": (HEAD + 'files: [{match: "*", policy: mine}]\n', (3, 30), "mine"),
    "an anchor": (HEAD + "rows: &a []\n", (3, 7), "anchors"),
    "an alias": ("description: mine\nframework: *x\n", (2, 12), "alias"),
    "a tag of YAML": (HEAD + "budget: !!int 5\n", (3, 9), "tag"),
    "a second document": (HEAD + "---\n{}\n", (3, 1), "document"),
    "no YAML": (HEAD + "rows: [\n", (4, 1), ""),
    "a tab": (HEAD + "\trows: []\n", (3, 1), ""),
    "a control character": (HEAD + 'tag: "\x01"\n', (3, 7), "U+0001"),
    "a program in the Dockerfile's place": (HEAD + "program: Dockerfile\n", None, "Dockerfile"),
    "a program below the Dockerfile": (HEAD + "program: Dockerfile/x\n", None, "Dockerfile"),
    "a tag that is none": (HEAD + 'tag: "a b"\n', None, "'a b'"),
    "a tag too long": (HEAD + f'tag: "{"t" * 200}"\n', None, "ttt"),
    "a tag above": (HEAD + 'tag: "../x"\n', None, "../x"),
    "a tag of dots": (HEAD + 'tag: ".."\n', None, "'..'"),
    "an empty tag": (HEAD + 'tag: ""\n', None, "''"),
    "a tag that is no template": (HEAD + 'tag: "{{ nobody }}"\n', None, "nobody"),
    "unknown framework": ("description: mine\nframework: pytroch\n", (3, 8), "pytorch"),
}  # fmt: skip


@pytest.mark.parametrize("case", ERRORS)
def test_what_is_wrong_in_a_manifest_is_told(team, case):
    text, place, words = ERRORS[case]
    if "rows:" not in text:
        text += "" if text.startswith("-") or not text else "rows: [{}]\n"
    add_image(team.catalog, manifest=text)
    error = team.json("render", "--output", "out", code=2)["error"]
    told = f"{error['message']} {error['hint']}"
    assert words in told, told
    if place:
        where = error["where"]
        assert where["file"] == "base-images/mine/image.yml"
        assert (where["line"], where["column"]) == place, told
    assert team.files() == {}
    assert not (team.folder / "out").exists()


@pytest.mark.parametrize(
    "path", ["../x", "/bin/x", "a/../../x", ".git/hooks/x", "", "a//b", "a\\b"]
)
def test_a_program_that_would_leave_the_context(team, path):
    add_image(team.catalog, manifest={"program": path})
    error = team.json("render", "--output", "out", code=3)["error"]
    assert error["code"] == "unsafe-path"
    assert error["where"]["file"] == "base-images/mine/image.yml"
    assert not (team.folder / "out").exists() and team.files() == {}


@pytest.mark.parametrize("name", ["Mine", "my image", "-mine", "mine-", ".mine", "mi..ne", "mi+ne"])
def test_a_folder_whose_name_no_image_can_have(team, name):
    add_image(team.catalog, name)
    error = team.json("render", "--output", "out", code=2)["error"]
    assert f"'{name}' cannot be the name of an image" in error["message"]
    assert error["where"]["file"] == f"base-images/{name}/image.yml"
    assert not (team.folder / "out").exists()


def test_an_image_without_a_dockerfile(team):
    add_image(team.catalog, dockerfile=None)
    error = team.json("render", "--output", "out", code=2)["error"]
    assert "Dockerfile" in error["message"]
    assert not (team.folder / "out").exists()


@pytest.mark.parametrize(
    ("dockerfile", "code", "words"),
    [
        ("FROM {{ image.base.nothing }}\n", "template-undefined", "nothing"),
        ("{% if %}\n", "template-syntax", ""),
        ("{% include '../secret' %}\n", None, "secret"),
        ("{% include 'nothing' %}\n", None, "nothing"),
        (
            "{% for a in range(100000) %}{% for b in range(100000) %}x{% endfor %}{% endfor %}",
            None,
            "",
        ),
        ("{% set x = 'x' * 16000000 %}{% for i in range(5) %}{{ x }}{% endfor %}", None, ""),
    ],
)
def test_a_dockerfile_that_does_not_render(team, dockerfile, code, words):
    add_image(team.catalog, dockerfile=dockerfile)
    error = team.json("render", "--output", "out", code=2)["error"]
    assert code is None or error["code"] == code
    assert words in error["message"]
    told = error["where"]["file"] if error["where"] else error["message"]
    assert "base-images/mine/Dockerfile.j2" in told
    assert not (team.folder / "out").exists()


def test_a_link_in_the_catalog_is_not_followed(team, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("SECRET")
    folder = add_image(team.catalog)
    (folder / "files").mkdir()
    (folder / "files" / "link").symlink_to(secret)
    done = team("render", "--output", "out")
    assert done.code in (2, 3) and "link" in done.err
    assert not (team.folder / "out").exists()
