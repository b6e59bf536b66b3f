"""`tmplgen image list --sizes`: layers of what an engine has."""

import signal

import pytest

from .engines import ENGINES, World, digest, until

TAG = "13.0.3-runtime-py312-ubuntu24.04"
LAYERS = {
    "alpha": "base 2000000000\npython 60000000\nalpha 1500\n",
    "beta": "base 2000000000\npython 60000000\nbeta 700000000\n",
}


@pytest.fixture(params=ENGINES, name="world")
def make_world(tmp_path, request):
    world = World(tmp_path, request.param)
    world.env["TMPLGEN_ENGINE"] = request.param
    for name, text in LAYERS.items():
        (world.fake / "layers" / name).write_text(text)
    return world


def sizes(result):
    assert result.code == 0
    return {image["name"]: image["rows"][0]["size"] for image in result.json["images"]}


def build(world):
    (world.fake / "layers" / "gamma").write_text(LAYERS["alpha"])
    assert world.run("build", "beta", "gamma").code == 0
    world.plan({"image": "gamma"}, {"image": "beta"}, {"image": "alpha"})
    (world.fake / "calls").write_text("")


def test_in_json(world):
    build(world)
    found = sizes(world.run("list", "--sizes", "--json"))
    beta, gamma = f"beta:{TAG}", f"gamma:{TAG}"
    assert found["alpha"] is None
    assert found["gamma"] == {
        "bytes": 2060001500,
        "layers": [
            {"bytes": 2000000000, "digest": digest("base"), "shared": [beta]},
            {"bytes": 60000000, "digest": digest("python"), "shared": [beta]},
            {"bytes": 1500, "digest": digest("alpha"), "shared": []},
        ],
    }
    assert [layer["shared"] for layer in found["beta"]["layers"]] == [[gamma], [gamma], []]
    assert found["beta"]["bytes"] == 2760000000


def test_as_a_table(world):
    build(world)
    result = world.run("list", "--sizes")
    assert result.code == 0
    lines = [line.strip() for line in result.out.splitlines()]
    assert lines[2:6] == [
        f"2000.0 MB  shared with beta:{TAG}",
        f"60.0 MB  shared with beta:{TAG}",
        "1.5 kB",
        "2060.0 MB  in all",
    ]
    assert "not built" in lines
    assert lines[-1] == "2 images: 2760.0 MB, layers that they share counted once"


def test_no_engine_is_run_without(world):
    assert set(sizes(world.run("list", "--json")).values()) == {None}
    assert world.run("list").code == 0
    assert not world.calls()


def test_empty_layers(world):
    """Engines that tell sizes by steps cannot say which layer is which then."""
    (world.fake / "layers" / "gamma").write_text("base 5000000\nempty 0\nown 100\n")
    assert world.run("build", "gamma").code == 0
    found = sizes(world.run("list", "--sizes", "--json"))["gamma"]
    assert found["bytes"] == 5000100
    told = [layer["bytes"] for layer in found["layers"] if layer["bytes"]]
    assert told == [5000000, 100]


def test_what_an_engine_does_not_tell_is_not_known(world):
    build(world)
    world.on("inspect@beta", "echo '[{}]'; exit 0")
    found = sizes(world.run("list", "--sizes", "--json"))
    assert not found["beta"] or found["beta"]["bytes"] >= 0
    assert found["gamma"]["bytes"] == 2060001500


WRONG = ["echo nonsense", "false", "echo 'Error: cannot connect to the \033[31mdaemon' >&2; false"]


def test_only_an_image_that_is_unknown_is_not_built(world):
    build(world)
    for text in WRONG:
        world.on("inspect@beta", f"{text}; exit $?")
        error = world.run("list", "--sizes", "--json")
        assert error.code == 1 and error.json["error"]["code"] == "engine"
        assert error.json["error"]["message"].startswith(f"beta:{TAG}: ")
        shown = world.run("list", "--sizes")
        assert shown.code == 1 and "not built" not in shown.out and "\033" not in shown.err
        assert ("connect" in text) == ("cannot connect to the daemon" in shown.err)


def test_an_interrupted_question(world):
    world.on("inspect", 'touch "$FAKE/there"; sleep 300')
    process = world.start("list", "--sizes")
    until((world.fake / "there").exists)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == 130 and not out


def test_wrong_engines(world):
    assert world.run("list", "--sizes", "--engine", "kaniko").code == 2
    world.alone()
    for name in ENGINES:
        (world.bin / name).unlink(missing_ok=True)
    result = world.run("list", "--sizes", TMPLGEN_ENGINE="")
    assert result.code == 1 and "there is no docker" in result.err
