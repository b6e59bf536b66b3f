"""Contexts of images: what every Dockerfile keeps, and how they come onto the disk."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ..command.world import Runner
from ..common.program import BINARY
from .world import LOCK, SHIPPED, World, add_image, digest, files, lock_text

ARGUMENTS = {"BASE_IMAGE", "INDEX_URL", "PYTHON_SOURCE", "UV_VERSION"}
# Not of networks: what the row says of itself.
OWN = {"PYTHON_VERSION", "FRAMEWORK_INDEX_URL"}
LABELS = {"image", "row", "framework", "cuda", "cudnn", "driver.minimum", "catalog"}
OCI = {"title", "description", "version", "base.name"}
BASE = "nvidia/cuda:13.2.1-base-ubuntu24.04"
# Requests that make other layers: a Python of its own, no CUDA, another system, an old row.
REQUESTS = [
    ["pytorch", "--variant", "cpu"],
    ["pytorch", "--driver", "470"],
    ["pytorch", "--os", "ubuntu22.04", "--python", "3.11"],
    ["pytorch", "--arch", "aarch64"],
    ["tensorflow", "--driver", "450"],
    ["onnxruntime", "--driver", "525"],
    ["cuda-devel", "--cuda", "12.9"],
    ["pytorch", "--image", "debian:12"],
]


def lines(dockerfile):
    """Instructions, each with the lines that it goes on in, without comments."""
    text = re.sub(r"^\s*#.*\n", "", dockerfile, flags=re.M)
    return [line.strip() for line in re.sub(r"\\\n", " ", text).splitlines() if line.strip()]


def render(world, *words):
    """Dockerfile, stack and folder of each row, by IMAGE:TAG."""
    target = f"out{len(list(world.folder.iterdir()))}"
    listed = world.json("list", *words)["images"]
    stacks = {
        f"{image['name']}:{row['tag']}": row["resolution"]
        for image in listed
        for row in image["rows"]
    }
    made = world.json("render", *words, "--output", target)["rendered"]
    out = {}
    for one in made:
        assert one["path"] == f"{target}/{one['image']}/{one['tag']}"
        folder = world.folder / one["path"]
        name = f"{one['image']}:{one['tag']}"
        out[name] = ((folder / "Dockerfile").read_text(), stacks[name], folder)
    assert out.keys() == stacks.keys()
    return out


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    """All that the built-in catalog renders, and the rows of other requests."""
    top = tmp_path_factory.mktemp("shipped")
    home = top / "home"
    home.mkdir()
    work = top / "work"
    work.mkdir()
    world = World(work, Runner(home))
    out = render(world)
    for words in REQUESTS:
        out |= {f"{name} ({words[1:]})": made for name, made in render(world, *words).items()}
    return out


def test_no_other_argument_is_there(shipped):
    for name, (dockerfile, _, _) in shipped.items():
        asked = set(re.findall(r"^ARG ([A-Z_]+)", dockerfile, re.M))
        if not name.startswith("tmplgen:"):
            assert asked >= {"BASE_IMAGE", "INDEX_URL", "PYTHON_SOURCE", "UV_VERSION"}, name
        assert asked <= ARGUMENTS | OWN, name


def test_older_builders_can_read_it(shipped):
    for name, (dockerfile, _, _) in shipped.items():
        assert "<<" not in dockerfile, name
        assert "--link" not in dockerfile, name
        assert not re.search(r"^#\s*syntax", dockerfile, re.M), name
        words = {line.split()[0] for line in lines(dockerfile)}
        assert words <= {"ARG", "FROM", "RUN", "COPY", "ENV", "WORKDIR", "LABEL", "USER", "CMD",
                         "ENTRYPOINT"}, name  # fmt: skip


def test_it_begins_with_the_base_of_its_row(shipped):
    for name, (dockerfile, stack, _) in shipped.items():
        image = stack["image"]
        first = lines(dockerfile)[:2]
        assert first == [f"ARG BASE_IMAGE={image['repository']}:{image['tag']}",
                         first[1]], name  # fmt: skip
        bases = [line.split()[1] for line in lines(dockerfile) if line.startswith("FROM ")]
        assert set(bases) == {"${BASE_IMAGE}"}, name


def test_it_runs_as_one_user(shipped):
    for name, (dockerfile, _, _) in shipped.items():
        users = [line for line in lines(dockerfile) if line.startswith("USER ")]
        assert users[-1].split()[1].split(":")[0] == "10001", name
        assert set(users) <= {"USER 0", users[-1]}, name
        assert "chown" not in dockerfile, name


def test_caches_are_mounted(shipped):
    for name, (dockerfile, _, _) in shipped.items():
        for line in lines(dockerfile):
            if re.search(
                r"\$apt (update|install)|\bpip\b.* install|apt-get (update|install)", line
            ):
                assert line.startswith("RUN --mount=type=cache,target="), (name, line)


def test_labels_tell_of_the_row(shipped):
    for name, (dockerfile, stack, _) in shipped.items():
        (text,) = [line for line in lines(dockerfile) if line.startswith("LABEL ")]
        labels = dict(re.findall(r'([a-z.]+)="([^"]*)"', text))
        assert {f"tmplgen.{word}" for word in LABELS} <= labels.keys(), name
        assert {f"org.opencontainers.image.{word}" for word in OCI} <= labels.keys(), name
        image, _, tag = name.split(" ")[0].partition(":")
        assert (labels["tmplgen.image"], labels["tmplgen.row"]) == (image, tag)
        framework = stack["framework"]["name"]
        release = "none" if framework == "none" else f"{framework} {stack['framework']['version']}"
        assert labels["tmplgen.framework"] == release, name
        if stack["driver"] and stack["driver"]["minimum"]:
            assert labels["tmplgen.driver.minimum"] == stack["driver"]["minimum"], name
        shipped_by = "system" if "cudnn" in stack["image"]["tag"] else "none"
        if image == "cuda-install":
            shipped_by = "system"
        assert labels["tmplgen.cudnn"] == (stack["cudnn"] or shipped_by), name


def test_the_environment_is_the_rows(shipped):
    for name, (dockerfile, stack, _) in shipped.items():
        if name.startswith("tmplgen:"):
            continue
        told = dict(re.findall(r'^ENV (\w+)="(.*)"$', dockerfile, re.M))
        for key, value in stack["env"].items():
            assert told[key] == value, name
        assert "PATH=/opt/app/venv/bin:$PATH" in dockerfile, name
        assert "/opt/app/python" in dockerfile, name
        if stack["image"]["repository"] != "nvidia/cuda" and (stack["cuda"] or {}).get("version"):
            assert "NVIDIA_VISIBLE_DEVICES" in told, name


def test_the_smoke_test_is_on_the_path(shipped):
    for name, (dockerfile, _, folder) in shipped.items():
        if name.startswith("tmplgen:"):
            continue
        assert "/usr/local/bin/gpu-smoke" in dockerfile, name
        assert (folder / "smoke" / "gpu_smoke.c").is_file(), name


def test_what_runs_has_no_compiler(shipped):
    for name, (dockerfile, _, _) in shipped.items():
        last = dockerfile[dockerfile.rindex("\nFROM ") :]
        compiler = re.search(r"\b(gcc|g\+\+|build-essential|cmake|-devel|cuda-nvcc)", last)
        assert bool(compiler) == name.startswith("cuda-devel:"), name


def test_requirements_are_the_resolutions(shipped):
    for name, (_, stack, folder) in shipped.items():
        asked = [
            line
            for path in (folder / "requirements").glob("*.txt")
            if not path.name.endswith(".constraints.txt")
            for line in path.read_text().splitlines()
        ]
        if stack["framework"]["name"] != "none":
            assert set(stack["requirements"]) <= set(asked), name


def test_one_tag_is_one_set_of_files(world):
    """What requests call the same is the same, byte for byte, or two rows of one name refused."""
    seen = {}
    for index, words in enumerate([[], ["--driver", "580"], ["--gpu", "A100"], ["--gpu", "H100"],
                                   ["--driver", "535"], ["--gpu", "T4", "--platform", "gke"],
                                   ["--runtime", "cdi"], ["--cuda", "13"]]):  # fmt: skip
        made = world("render", "pytorch", *words, "--output", f"o{index}")
        if not words:
            made = world("render", "pytorch", "--variant", "cu130", "--output", f"o{index}")
        assert made.code == 0, made.err
        for path in made.out.split():
            tag = path.split("/")[-1]
            held = files(world.folder / path)
            assert seen.setdefault(tag, held) == held, (tag, words)


def test_a_locked_base_is_named_by_its_digest(world):
    world.write(LOCK, lock_text(BASE))
    for dockerfile, stack, _ in render(world, "pytorch").values():
        tag = stack["image"]["tag"]
        wanted = f"nvidia/cuda:{tag}" + (f"@{digest(BASE)}" if tag in BASE else "")
        assert f"ARG BASE_IMAGE={wanted}\n" in dockerfile


def test_never_by_the_digest_of_one_platform(world):
    world.write(LOCK, lock_text(BASE, linux_amd64=1, linux_arm64=1))
    for path in world("render", "pytorch", "--output", "out").out.split():
        text = (world.folder / path / "Dockerfile").read_text()
        assert digest("linux_amd64") not in text and digest("linux_arm64") not in text


def test_a_slash_at_the_end_is_one(world):
    (plain,) = world.json("render", "jax", "--output", "out")["rendered"]
    (slashed,) = world.json("render", "jax", "--output", "out/")["rendered"]
    assert slashed["path"] == plain["path"] == f"out/jax/{plain['tag']}"


def test_a_folder_that_is_right_is_left_alone(world):
    first = world("render", "pytorch", "--output", "out")
    before = {path: path.stat().st_mtime_ns for path in world.folder.rglob("*")}
    again = world("render", "pytorch", "--output", "out")
    assert (first.code, again.code) == (0, 0) and first.out == again.out
    assert {path: path.stat().st_mtime_ns for path in world.folder.rglob("*")} == before


def test_what_was_rendered_before_and_nobody_changed_is_replaced(world):
    made = world.json("render", "pytorch", "--output", "out")["rendered"]
    plain = world.files()
    world.write(LOCK, lock_text(BASE))
    assert world.json("render", "pytorch", "--output", "out")["rendered"] == made
    assert any(digest(BASE) in (world.folder / row["path"] / "Dockerfile").read_text()
               for row in made)  # fmt: skip
    (world.folder / LOCK).unlink()
    assert world("render", "pytorch", "--output", "out").code == 0
    assert world.files() == plain  # nothing of the ways there and back is left


@pytest.mark.parametrize("name", ["../lock", "Dockerfile\n", "x" * 300, ""])
def test_a_mark_that_lies_is_believed_in_nothing(world, name):
    (row,) = world.json("render", "jax", "--output", "out")["rendered"]
    (mark,) = (world.tmplgen.home / ".cache/tmplgen/rendered").iterdir()
    edit(world.folder / row["path"])
    mark.write_text(f"{'0' * 64} - {name}\n" * 6)
    before = world.files()
    assert world("render", "jax", "--output", "out").code == 3
    assert world.files() == before


def test_without_a_cache_what_was_rendered_is_not_replaced(world):
    world.env["XDG_CACHE_HOME"] = "/dev/null/no"
    assert world("render", "pytorch", "--output", "out").code == 0
    world.write(LOCK, lock_text(BASE))
    assert world("render", "pytorch", "--output", "out").code == 3


def test_an_empty_folder_is_filled(world):
    (row,) = world.rows("jax")
    (world.folder / "out" / row.replace(":", "/")).mkdir(parents=True)
    assert world("render", "jax", "--output", "out").code == 0
    assert (world.folder / "out" / row.replace(":", "/") / "Dockerfile").is_file()


def edit(folder):
    (folder / "Dockerfile").write_text("FROM scratch\n")


def append(folder):
    with (folder / "Dockerfile").open("a") as file:
        file.write("\n")


def add(folder):
    (folder / "mine.txt").write_text("")


def hide(folder):
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("")


def drop(folder):
    (folder / "Dockerfile").unlink()


def link(folder):
    (folder / "smoke" / "gpu_smoke.c").unlink()
    (folder / "smoke" / "gpu_smoke.c").symlink_to("nowhere")


def may_run(folder):
    (folder / "Dockerfile").chmod(0o755)


def pipe(folder):
    (folder / "Dockerfile").unlink()
    os.mkfifo(folder / "Dockerfile")


def become_a_file(folder):
    folder.rename(folder.parent / "aside")
    folder.write_text("")


def become_a_link(folder):
    folder.rename(folder.parent / "aside")
    folder.symlink_to("nowhere")


@pytest.mark.parametrize(
    "change",
    [edit, append, add, hide, drop, link, may_run, pipe, become_a_file, become_a_link],
    ids=lambda change: change.__name__,
)
def test_a_folder_that_holds_anything_else_is_refused(world, change):
    made = world.json("render", "pytorch", "jax", "--output", "out")["rendered"]
    change(world.folder / made[-1]["path"])
    (world.folder / made[0]["path"] / "Dockerfile").unlink(missing_ok=True)
    for path in sorted((world.folder / made[0]["path"]).rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    before = world.files()
    error = world.json("render", "pytorch", "jax", "--output", "out", code=3)["error"]
    assert error["code"] == "target-not-empty"
    assert made[-1]["path"] in error["message"]
    assert world.files() == before
    assert not list(world.folder.rglob("*.new"))


@pytest.mark.parametrize("old", [False, True])
def test_what_a_killed_run_left_is_in_nobodys_way(world, old):
    """In a container the next run may have the same process id."""
    (row,) = world.json("list", "jax")["images"][0]["rows"]
    base = f"{row['base']['repository']}:{row['base']['tag']}"
    if old:
        assert world("render", "jax", "--output", "out").code == 0
        world.write(LOCK, lock_text(base))
    place = world.folder / "out/jax" / row["tag"]
    left = f"{place.parent}/.{place.name}"
    script = f'mkdir -p "{left}.$$.new" "{left}.$$.old/mine"; exec "$@"'
    done = subprocess.run(
        ["sh", "-c", script, "-", BINARY, "image", "render", "jax", "--output", "out"],
        cwd=world.folder, env=world.tmplgen.env, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (digest(base) in (place / "Dockerfile").read_text()) == old


def test_bake_names_the_option_of_what_is_in_its_way(world):
    made = world.json("render", "pytorch", "--output", "images")["rendered"]
    append(world.folder / made[0]["path"])
    before = world.files()
    error = world.json("bake", "pytorch", "--output", "b.json", code=3)["error"]
    assert error["code"] == "target-not-empty" and "--contexts" in error["hint"]
    assert world.files() == before
    assert world("bake", "pytorch", "--output", "b.json", "--contexts", "other").code == 0
    world.write("b.json", "{}")
    error = world.json("bake", "pytorch", "--output", "b.json", "--contexts", "o", code=3)["error"]
    assert "--output" in error["hint"] and "--contexts" not in error["hint"]


def test_what_cannot_be_rendered_leaves_nothing(team):
    add_image(team.catalog, "a")
    add_image(team.catalog, "b", dockerfile="FROM {{ nobody }}\n")
    error = team.json("render", "--output", "out", code=2)["error"]
    assert error["code"] == "template-undefined"
    assert error["where"]["file"] == "base-images/b/Dockerfile.j2"
    assert team.files() == {}
    assert not (team.folder / "out").exists()


def test_what_cannot_be_written_leaves_nothing(world):
    blocked = world.folder / "out"
    blocked.write_text("")
    done = world("render", "pytorch", "--output", "out")
    assert done.code in (1, 3) and "out" in done.err
    assert world.files() == {"out": b""}


def test_the_output_may_be_anywhere(world, tmp_path):
    target = tmp_path / "else where" / "deep"
    made = world.json("render", "jax", "--output", target)["rendered"]
    assert made[0]["path"].startswith(f"{target}/jax/")
    assert (target / "jax" / made[0]["tag"] / "Dockerfile").is_file()


def test_every_shipped_image_is_rendered(shipped):
    assert {name.split(":")[0] for name in shipped} == set(SHIPPED)


# ---------------------------------------------------------------- the image of tmplgen itself


def put_in_the_image(world):
    [path] = world.folder.glob("out/tmplgen/*/tmplgen")
    assert os.access(path, os.X_OK)
    return path.read_bytes()


def loader():
    """The dynamic loader of the program, as its head names it."""
    head = BINARY.read_bytes()[:65536]
    found = re.search(rb"/[\w./-]*/ld-[\w.-]*\.so[\w.-]*|/lib/ld-musl[\w.-]*", head)
    return found and Path(found.group().decode())


def test_the_running_program_is_put_into_its_image(world):
    assert world("render", "tmplgen", "--output", "out").code == 0
    assert put_in_the_image(world) == BINARY.read_bytes()


@pytest.mark.skipif(not loader(), reason="runs under something else already")
def test_the_loader_that_runs_it_is_not(world):
    """A machine without tmplgen takes it out of its image, and runs it by the loader in there."""
    words = [loader(), BINARY, "image", "render", "tmplgen", "--output", "out"]
    subprocess.run(words, cwd=world.folder, env=world.tmplgen.env, check=True, timeout=60)
    assert put_in_the_image(world) == BINARY.read_bytes()


@pytest.mark.skipif(not loader(), reason="runs under something else already")
def test_a_program_that_is_no_file_any_more_is_put_nowhere(world, tmp_path):
    """Run by its loader, and replaced since: what lies there now is another."""
    program = tmp_path / "tmplgen"
    shutil.copy(BINARY, program)
    with program.open("rb") as held:
        program.unlink()
        program.write_text("#!/bin/sh\n")
        running = f"/proc/self/fd/{held.fileno()}"
        done = subprocess.run(
            [loader(), running, "image", "render", "tmplgen", "--output", "out"],
            cwd=world.folder, env=world.tmplgen.env, pass_fds=[held.fileno()], check=False,
            capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 3, done.stderr
    assert "the running tmplgen cannot be found" in done.stderr
    assert not (world.folder / "out").exists()


def test_a_program_of_another_distribution_is_told_what_to_take(world):
    """It starts in the image, or the build ends with what helps."""
    assert world("render", "tmplgen", "--output", "out").code == 0
    [path] = world.folder.glob("out/tmplgen/*/Dockerfile")
    [step] = [line for line in lines(path.read_text()) if line.startswith("RUN tmplgen ")]
    program = world.folder / "tmplgen"
    for status in (0, 127):
        program.write_text(f"#!/bin/sh\nexit {status}\n")
        program.chmod(0o755)
        env = {"PATH": f"{world.folder}:/usr/bin:/bin"}
        done = subprocess.run(
            ["sh", "-c", step.removeprefix("RUN ")],
            env=env, check=False, capture_output=True, text=True,
        )  # fmt: skip
        assert (done.returncode != 0) == (status != 0)
        assert ("the one file of a release" in done.stderr) == (status != 0)
