"""What a build found in its image, and the lock file."""

import pytest
import yaml

from .engines import ENGINES, World

TAG = "13.0.3-runtime-py312-ubuntu24.04"
FOUND = """\
== /opt/app/packages/backend.txt
fastapi==0.115.2
== /opt/app/packages/framework.txt
nvidia-cublas-cu12==12.6.4.1
torch==2.9.1+cu126
zope.interface==7.0.3
"""


@pytest.fixture(name="world")
def make_world(tmp_path):
    return World(tmp_path)


def found(world, text, image="gamma"):
    (world.fake / "packages" / image).write_text(text)


def packages(path):
    return yaml.safe_load(path.read_text()).get("packages", {})


@pytest.mark.parametrize("engine", ENGINES)
def test_packages_go_into_the_lock(tmp_path, engine):
    world = World(tmp_path, engine)
    path = world.lock()
    found(world, FOUND)
    result = world.run("build", "gamma", "beta", "--engine", engine)
    assert result.code == 0 and "base-images.lock.yml" in result.err
    assert packages(path) == {
        f"gamma:{TAG}": {
            "backend": ["fastapi==0.115.2"],
            "framework": [
                "nvidia-cublas-cu12==12.6.4.1",
                "torch==2.9.1+cu126",
                "zope.interface==7.0.3",
            ],
        }
    }
    assert world.nothing_left()
    before = path.read_bytes()
    assert world.run("build", "gamma", "beta", "--engine", engine).code == 0
    assert path.read_bytes() == before


def test_where_there_is_no_lock_file_none_is_made(world):
    found(world, FOUND)
    assert world.run("build", "gamma").code == 0
    assert not list(world.work.iterdir())
    assert not world.calls("run")  # and nobody asks


def test_what_is_locked_is_installed_and_stays(world):
    path = world.lock(packages={f"gamma:{TAG}": {"framework": ["torch==1.0"]}})
    before = path.read_bytes()
    found(world, FOUND)
    world.on("build", 'cat "$context/Dockerfile" >"$FAKE/Dockerfile"')
    assert world.run("build", "gamma").code == 0
    assert '# {"framework": ["torch==1.0"]}' in (world.fake / "Dockerfile").read_text()
    assert path.read_bytes() == before


def test_refreshed_packages(world):
    old = {f"gamma:{TAG}": {"framework": ["torch==1.0"]}, "beta:x": {"a": ["b==1"]}}
    path = world.lock(packages=old)
    found(world, FOUND)
    world.on("build", 'cat "$context/Dockerfile" >"$FAKE/Dockerfile"')
    assert world.run("build", "gamma", "--refresh-packages").code == 0
    assert "torch" not in (world.fake / "Dockerfile").read_text()
    assert packages(path)[f"gamma:{TAG}"]["framework"][1] == "torch==2.9.1+cu126"
    assert packages(path)["beta:x"] == {"a": ["b==1"]}


def test_of_what_failed_nothing_is_kept(world):
    path = world.lock()
    found(world, FOUND)
    found(world, FOUND, "beta")
    world.on("tag@beta", "exit 1")
    assert world.run("build", "beta", "gamma").code == 1
    assert set(packages(path)) == {f"gamma:{TAG}"}


HOSTILE = [
    "--index-url https://evil.example.org/",
    "-r /etc/passwd",
    "-e git+https://x.example.org/y",
    "x @ https://me:password@evil.example.org/x.whl",
    "x @ file:///x",
    "x==1 --hash=sha256:00",
    "x==1; os_name == 'posix'",
    "x==1 # comment",
    "x==1\\",
    "x==1\033[31m",
    "x==1\u0085y==2",
    "x==\u0661",
    "x=={{ 7 * 7 }}",
    "x==1\ty==2",
    "==1",
    "x==",
    ".==1",
    "x" * 1000 + "==1",
    "x===1",
    "x>=1",
    " x==1",
    "x==1,y==2",
]


def test_hostile_lines_do_not(world):
    path = world.lock()
    found(
        world,
        "".join(
            f"== /opt/app/packages/step{n}.txt\nbefore==1\n{line}\nafter==1\n"
            for n, line in enumerate(HOSTILE)
        ),
    )
    assert world.run("build", "gamma").code == 0
    steps = {f"step{n}": ["after==1", "before==1"] for n in range(len(HOSTILE))}
    told = packages(path)[f"gamma:{TAG}"]
    assert {name: sorted(lines) for name, lines in told.items()} == steps
    assert world.run("build", "gamma").code == 0  # the lock file can be read


STEPS = ["../../x.txt", ".txt", "a b.txt", "A.txt", "\033[1m.txt", "x.sh", ""]


def test_hostile_names_of_steps(world):
    path = world.lock()
    head = "== /opt/app/packages/"
    told = "".join(f"{head}{name}\nb{n}==1\n" for n, name in enumerate(STEPS))
    found(world, f"early==1\n{head}good.txt\na==1\n{told}")
    assert world.run("build", "gamma").code == 0
    steps = packages(path)[f"gamma:{TAG}"]
    assert set(steps) <= {"good", "x"} and "a==1" in steps["good"]
    assert world.run("build", "gamma").code == 0


def test_an_endless_list_fails_its_image(world):
    path = world.lock()
    before = path.read_bytes()
    world.on("run@gamma", "yes 'x==1'")
    code, built = world.built("gamma", "beta")
    assert code == 1
    assert built["gamma"]["failed_step"] == "contents" and "too much" in built["gamma"]["why"]
    assert built["beta"]["status"] == "built"
    assert path.read_bytes() == before and world.nothing_left()


def test_an_image_without_a_shell_has_no_list(world):
    path = world.lock()
    before = path.read_bytes()
    world.on("run@gamma", "exit 127")
    assert world.run("build", "gamma").code == 0
    assert path.read_bytes() == before


def test_a_lock_file_that_is_too_large(world):
    """The images are built all the same, and it is said."""
    path = world.lock(packages={f"beta:{TAG}": {"x": ["y==" + "1" * 700] * 1400}})
    before = path.read_bytes()
    found(world, "== /opt/app/packages/a.txt\n" + ("x==" + "1" * 700 + "\n") * 200)
    result = world.run("build", "gamma")
    assert result.code == 1 and "would be larger" in result.err
    assert "built" in result.out and world.tags == {"gamma"}
    assert path.read_bytes() == before


def test_a_lock_file_that_went_away(world):
    path = world.lock()
    found(world, FOUND)
    world.on("build", f"rm {path}")
    assert world.run("build", "gamma").code == 0
    assert packages(path)
