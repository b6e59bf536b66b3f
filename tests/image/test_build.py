"""`tmplgen image build` and `push` with fake engines: what they are asked, and what came of it."""

import json
import os
import platform
import subprocess

import pytest

from ..common.program import ROOT
from .engines import ENGINES, World, digest


@pytest.fixture(name="world")
def make_world(tmp_path):
    return World(tmp_path)


@pytest.fixture(params=ENGINES, name="each")
def make_each(tmp_path, request):
    world = World(tmp_path, request.param)
    world.env["TMPLGEN_ENGINE"] = request.param
    return world


OTHER = "aarch64" if platform.machine() == "x86_64" else "x86_64"
PLATFORM = {"x86_64": "linux/amd64", "aarch64": "linux/arm64"}
MACHINE = r"""
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>
/* Another processor than there is. */
int uname(struct utsname *out)
{
    long rc = syscall(SYS_uname, out);
    strcpy(out->machine, getenv("MACHINE"));
    return rc;
}
"""


@pytest.mark.parametrize("how", ["plan", "option"])
def test_a_row_for_another_processor_is_refused_before_anything_is_built(each, how):
    """It would be built for this one, and pushed under the other's name."""
    words = ["gamma", "--arch", OTHER] if how == "option" else []
    each.plan({"image": "beta"}, {"image": "gamma", "request": {"arch": OTHER}})
    result = each.run("build", *words, "--push", "--registry", "r.example.com/x", "--json")
    assert result.code == 2, result.err
    error = json.loads(result.out)["error"]
    assert error["code"] == "other-processor" and PLATFORM[OTHER] in error["message"]
    assert "image bake" in error["hint"] and "gamma:" in error["message"]
    assert engines_called(each) == []


def test_a_row_for_this_processor_is_built(world):
    assert world.run("build", "gamma", "--arch", platform.machine()).code == 0


@pytest.mark.skipif(bool(os.environ.get("TMPLGEN")), reason="sanitizers want to be loaded first")
@pytest.mark.parametrize(
    ("machine", "image", "said"),
    [
        ("aarch64", "cuda-base", None),
        ("aarch64", "tensorflow", "is for linux/amd64, and this machine is linux/arm64"),
        ("x86_64", "tensorflow", None),
        ("riscv64", "cuda-base", "is for linux/amd64, linux/arm64, and this machine is linux/risc"),
    ],
)
def test_a_row_that_says_no_processor_is_for_those_with_its_wheels(tmp_path, machine, image, said):
    """The resolver takes one for x86_64, and its pins would be built under the row's name."""
    library = tmp_path / "machine.so"
    cc = ["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library]
    subprocess.run(cc, input=MACHINE.encode(), check=True)
    world = World(tmp_path)
    world.catalog = ROOT
    result = world.run("build", image, "--json", LD_PRELOAD=str(library), MACHINE=machine)
    assert result.code == (2 if said else 0), result.err
    assert bool(engines_called(world)) == (said is None)
    if said:
        error = result.json["error"]
        assert error["code"] == "other-processor" and said in error["message"]
        assert "image bake" in error["hint"]
        assert ("arch: aarch64" in error["hint"]) == (machine == "aarch64")


# ---------------------------------------------------------------- who builds


def engines_called(world):
    return [call[0] for call in world.calls() if call[1] == "build" or call[2:3] == ["build"]]


def test_first_of_docker_buildah_podman(tmp_path):
    world = World(tmp_path, *ENGINES)
    assert world.run("build", "gamma").code == 0
    assert engines_called(world) == ["docker"]


def test_docker_counts_only_with_buildx(tmp_path):
    world = World(tmp_path, *ENGINES)
    world.on("version", "echo 'docker: unknown command: docker buildx' >&2; exit 1")
    assert world.run("build", "gamma").code == 0
    assert engines_called(world) == ["buildah"]


SILENT = "echo 'Cannot connect to the Docker daemon. Is it running?' >&2; exit 1"


def test_docker_counts_only_with_a_daemon(tmp_path):
    """buildx tells its version without one, and builds nothing."""
    world = World(tmp_path, *ENGINES)
    world.on("daemon", SILENT)
    assert world.run("build", "gamma").code == 0
    assert engines_called(world) == ["buildah"]


@pytest.mark.parametrize("how", ["option", "environment", "it is the only one"])
def test_a_daemon_that_does_not_answer_is_named(tmp_path, how):
    world = World(tmp_path, "docker")
    world.alone()
    world.on("daemon", SILENT)
    words = ["--engine", "docker"] if how == "option" else []
    env = {"TMPLGEN_ENGINE": "docker"} if how == "environment" else {}
    result = world.run("build", "gamma", "--json", *words, **env)
    assert result.code == 1 and not engines_called(world)
    error = result.json["error"]
    assert error["code"] == "no-engine" and "daemon does not answer" in error["message"]
    assert error["hint"] == "'docker version' must succeed"


def test_podman_that_cannot_ask_its_service_is_not_taken(tmp_path):
    world = World(tmp_path, "podman")
    world.on("version", "echo 'Error: unable to connect to Podman socket' >&2; exit 125")
    result = world.run("build", "gamma", "--engine", "podman", "--json")
    assert result.code == 1 and not engines_called(world)
    assert result.json["error"]["hint"] == "'podman version' must succeed"


def test_podman_where_there_is_no_other(tmp_path):
    world = World(tmp_path, "podman")
    world.alone()
    assert world.run("build", "gamma").code == 0
    assert engines_called(world) == ["podman"]


@pytest.mark.parametrize("how", ["option", "environment", "both"])
def test_the_named_engine(tmp_path, how):
    world = World(tmp_path, *ENGINES)
    words = [] if how == "environment" else ["--engine", "podman"]
    env = {} if how == "option" else {"TMPLGEN_ENGINE": "docker" if words else "podman"}
    assert world.run("build", "gamma", *words, **env).code == 0
    assert engines_called(world) == ["podman"]


def test_no_engine_at_all(tmp_path):
    world = World(tmp_path)
    world.alone()
    (world.bin / "buildah").unlink()
    result = world.run("build", "gamma")
    assert result.code == 1
    assert "there is no docker with buildx, buildah or podman" in result.err
    assert "hint:" in result.err


def test_a_named_engine_that_is_not_there(world):
    world.alone()
    result = world.run("build", "--engine", "podman", "--json")
    assert result.code == 1
    error = result.json["error"]
    assert error["code"] == "no-engine" and "'podman'" in error["message"]


@pytest.mark.parametrize("name", ["kaniko", "", "Docker", "buildah "])
def test_an_unknown_engine(world, name):
    for words, env in ((["--engine", name], {}), ([], {"TMPLGEN_ENGINE": name})):
        if env == {"TMPLGEN_ENGINE": ""}:
            continue
        result = world.run("build", *words, **env)
        assert result.code == 2, result.err
        assert "docker, buildah, podman" in result.err
    assert not world.calls("build")


def test_no_password_of_what_is_no_engine(world):
    for words, env in (["--engine"], {}), ([], {"TMPLGEN_ENGINE": "https://me:secret@x.org"}):
        given = [*words, "https://me:secret@x.org"] if words else []
        result = world.run("build", *given, **env)
        assert result.code == 2 and "secret" not in result.err and "x.org" in result.err


@pytest.mark.parametrize("option", ["--timeout", "--index-url"])
def test_no_option_that_nothing_reads(world, option):
    assert world.run("build", option, "5").code == 2
    assert not world.calls("build")


@pytest.mark.parametrize("jobs", ["0", "-1", "65", "", "two", "1.5", "99999999999999999999", "+2"])
def test_bad_numbers_of_jobs(world, jobs):
    assert world.run("build", f"--jobs={jobs}").code == 2
    assert not world.calls("build")


# ---------------------------------------------------------------- what they are asked


def call_of(world, verb):
    (call,) = world.calls(verb)
    return call


def test_each_engine_builds_checks_and_tags(each):
    code, built = each.built("alpha")
    assert code == 0
    row = built["alpha"]
    assert row["status"] == "built" and row["failed_step"] is None and row["bytes"] == 30001500
    assert each.tags == {"alpha"}
    assert each.nothing_left()
    ran = [call[-1] for call in each.calls("run")]
    assert ran == ["import ssl", "true"]
    if each.env["TMPLGEN_ENGINE"] != "docker":  # which has none before a push
        assert row["digest"] == digest("manifest alpha")


def test_an_epoch_is_passed_on(each):
    assert each.run("build", "gamma", SOURCE_DATE_EPOCH="1700000000").code == 0
    call = call_of(each, "build")
    wanted = {
        "docker": ["type=docker,rewrite-timestamp=true", "SOURCE_DATE_EPOCH=1700000000"],
        "buildah": ["--timestamp=1700000000"],
        "podman": ["--timestamp=1700000000"],
    }
    assert set(wanted[each.env["TMPLGEN_ENGINE"]]) <= set(call)


@pytest.mark.parametrize("epoch", ["now", "-1", "1.5", " 1", "1e9", "9" * 30])
def test_bad_epochs(world, epoch):
    result = world.run("build", SOURCE_DATE_EPOCH=epoch)
    assert result.code == 2 and "SOURCE_DATE_EPOCH" in result.err
    assert not world.calls("build")


def test_an_empty_epoch_is_none(world):
    assert world.run("build", "gamma", SOURCE_DATE_EPOCH="").code == 0
    assert not [word for word in call_of(world, "build") if "timestamp" in word]


def arguments(call):
    """K=V of each --build-arg."""
    words = [word.removeprefix("--build-arg=") for word in call if word.startswith("--build-arg=")]
    return words + [
        after for word, after in zip(call, call[1:], strict=False) if word == "--build-arg"
    ]


def test_build_arguments(each):
    given = ["INDEX_URL=https://i/simple?a=b c", "PYTHON_SOURCE=apt", "EMPTY="]
    words = [word for one in given for word in ("--build-arg", one)]
    assert each.run("build", "gamma", *words).code == 0
    assert arguments(call_of(each, "build")) == [*given, f"BASE_IMAGE=docker.io/{base_of(each)}"]


@pytest.mark.parametrize("word", ["INDEX_URL", "=x", ""])
def test_bad_build_arguments(world, word):
    assert world.run("build", "--build-arg", word).code == 2


LOCKED = "sha256:" + "ab" * 32


def base_of(world, name="gamma"):
    rows = world.run("list", name, "--json").json["images"][0]["rows"]
    return f"{rows[0]['base']['repository']}:{rows[0]['base']['tag']}"


def test_a_locked_base_is_named_by_its_digest(world):
    base = base_of(world)
    world.lock(images={base: {"digest": LOCKED}})
    world.on("build", 'cat "$context/Dockerfile" >"$FAKE/Dockerfile"')
    assert world.run("build", "gamma").code == 0
    assert f"ARG BASE_IMAGE={base}@{LOCKED}\n" in (world.fake / "Dockerfile").read_text()
    # buildah and podman may know no registry for a short name
    assert arguments(call_of(world, "build")) == [f"BASE_IMAGE=docker.io/{base}@{LOCKED}"]


@pytest.mark.parametrize("locked", [True, False])
def test_a_mirror(each, locked):
    base = base_of(each)
    if locked:
        each.lock(images={base: {"digest": LOCKED}})
    assert each.run("build", "gamma", "--mirror", "mirror.example.org/hub").code == 0
    name = f"mirror.example.org/hub/{base}"
    end = f"@{LOCKED}" if locked else ""
    assert arguments(call_of(each, "build")) == [f"BASE_IMAGE={name}{end}"]
    assert "--tls-verify=false" not in call_of(each, "build")


def test_a_base_that_is_said_wins_over_the_mirror(world):
    words = ["--mirror", "mirror.example.org", "--build-arg", "BASE_IMAGE=own/base:1"]
    assert world.run("build", "gamma", *words).code == 0
    assert arguments(call_of(world, "build")) == ["BASE_IMAGE=own/base:1"]


@pytest.mark.parametrize("mirror", ["https://x.org", "hub", "docker.io/a", "me:secret@x.org/h"])
def test_no_mirror(world, mirror):
    result = world.run("build", "--mirror", mirror)
    assert result.code == 2 and "secret" not in result.err
    assert not world.calls("build")


@pytest.mark.parametrize(
    ("host", "plain"),
    [
        ("127.0.0.1:5000", True),
        ("localhost:5000", True),
        ("127.9.9.9:1", True),
        ("127.0.0.1.example.org:5000", False),
        ("localhost.example.org", False),
        ("10.0.0.1:5000", False),
    ],
)
def test_plain_http_on_this_machine_alone(world, host, plain):
    words = ["--registry", f"{host}/ml", "--push"]
    assert world.run("build", "gamma", *words, "--mirror", f"{host}/hub").code == 0
    assert ("--tls-verify=false" in call_of(world, "build")) == plain
    assert ("--tls-verify=false" in call_of(world, "push")) == plain
    said = ["--build-arg", f"BASE_IMAGE={host}/own:1"]
    assert world.run("build", "beta", *said).code == 0
    assert ("--tls-verify=false" in world.calls("build")[-1]) == plain


# ---------------------------------------------------------------- pushing


def test_push_by_all_names(each):
    each.plan({"image": "beta", "tags": ["stable", "1"]}, registry="registry.example.org/ml")
    code, built = each.built("--push")
    assert code == 0
    assert built["beta"]["status"] == "pushed"
    assert built["beta"]["digest"] == digest("manifest beta")
    names = each.names("registry")
    assert {name.split(":")[1] for name in names} >= {"stable", "1"} and len(names) == 3
    assert names == each.names("tags")


def test_push_of_what_is_built(each):
    each.plan({"image": "beta"}, {"image": "gamma"}, registry="registry.example.org/ml")
    assert each.run("build", "beta").code == 0
    result = each.run("push", "--json")
    assert result.code == 1
    rows = {row["image"]: row for row in result.json["built"]}
    assert rows["beta"]["status"] == "pushed"
    assert rows["beta"]["digest"] == digest("manifest beta")
    assert rows["gamma"]["failed_step"] == "push"
    engine, command = rows["gamma"]["why"].split(" does not have it yet: tmplgen image ")
    assert engine in ENGINES
    # what it names builds that row and no other
    assert each.run(*command.split()).code == 0
    assert each.tags == {"beta", "gamma"}
    assert each.run("push").code == 0


def test_push_of_what_is_not_built_says_so_once(each):
    each.plan({"image": "gamma"}, registry="registry.example.org/ml")
    result = each.run("push")
    assert result.code == 1
    said = [line for line in result.err.splitlines() if "gamma" in line]
    assert len(said) == 1 and said[0].endswith(f" image build --only gamma:{TAG}")
    assert "not known" not in result.err and " after " not in result.err


def test_push_by_a_builder_that_does_not_answer(world):
    """What is wrong is the builder's word, and not that something is not built."""
    world.plan({"image": "gamma"}, registry="registry.example.org/ml")
    world.on("inspect", "fail 'cannot open the storage'")
    result = world.run("push")
    assert result.code == 1 and "does not have it" not in result.err
    assert result.err.count("cannot open the storage") == 1
    assert "gamma" in result.err and "ended with status 125" in result.err


def test_no_push_without_a_registry(world):
    for words in (["build", "--push"], ["push"]):
        result = world.run(*words)
        assert result.code == 2 and "--registry" in result.err
    assert not world.calls("build")


# ---------------------------------------------------------------- failures

TAG = "13.0.3-runtime-py312-ubuntu24.04"
FAILURES = [
    ("build", "echo 'STEP 2/2: RUN make' && echo 'make: *** no rule' && exit 3", "build"),
    ("build", 'rm "$0"; exit 1', "build"),
    ("build", "exit 0", "build"),  # no id
    ("build", 'echo "sha256:--oops" >"$(id_file "$@")"; exit 0', "build"),
    ("build", "kill -9 $$", "build"),
    ("inspect", "echo '{\"Manifest\": '; exit 0", "build"),
    ("inspect", 'echo \'{"Manifest": "[[["}\'; exit 0', "build"),
    ("inspect", "exit 125", "build"),
    ("run", "echo 'ModuleNotFoundError: no such module' >&2; exit 1", "contents"),
    ("from", "fail 'no space left on device'", "contents"),
    ("rm", "fail 'container busy'", "contents"),
    ("tag", "fail 'name is in use'", "tag"),
    ("push", "fail 'denied: requested access is denied'", "push"),
]


@pytest.mark.parametrize(("verb", "text", "step"), FAILURES)
def test_a_failure_stops_its_image_alone(world, verb, text, step):
    world.plan({"image": "alpha"}, {"image": "beta"}, {"image": "gamma"}, registry="r.example/ml")
    if "rm " in text:  # the engine goes away: all that follow cannot start
        world.plan({"image": "gamma"}, {"image": "beta"}, registry="r.example/ml")
    world.on(f"{verb}@beta", text)
    result = world.run("build", "--push")
    assert result.code == 1, result.err
    assert f"r.example/ml/beta:{TAG}: failed at '{step}'" in result.err
    table = {line.split()[0].split("/")[-1].split(":")[0]: line for line in result.out.splitlines()}
    assert "failed" in table["beta"]
    assert "pushed" in table["gamma"] and "pushed" in table.get("alpha", "pushed")
    registry = {name.split("/")[-1].split(":")[0] for name in world.names("registry")}
    assert "beta" not in registry
    assert ("beta" in world.tags) == (step == "push")
    assert verb == "rm" or world.nothing_left()
    for word in ("no rule", "no such module", "no space left", "is in use", "access is denied"):
        if word in text:
            assert f"  | {'Error: ' if 'fail' in text else ''}" in result.err and word in result.err


def test_a_budget_that_is_crossed(each):
    (each.fake / "layers" / "alpha").write_text("base 30000000\nown 10000001\n")
    each.plan({"image": "alpha"}, {"image": "gamma"}, registry="r.example/ml")
    code, built = each.built("--push")
    assert code == 1
    assert built["alpha"]["failed_step"] == "budget"
    assert "40 MB" in built["alpha"]["why"] and built["alpha"]["bytes"] == 40000001
    assert built["gamma"]["status"] == "pushed"
    assert each.tags == {"gamma"} and each.nothing_left()
    (each.fake / "layers" / "alpha").write_text("base 30000000\nown 10000000\n")
    assert each.built("--push")[1]["alpha"]["status"] == "pushed"


@pytest.mark.parametrize(("verb", "step"), [("tag", "tag"), ("push", "push")])
def test_an_alias_that_fails(world, verb, step):
    world.plan({"image": "beta", "tags": ["stable"]}, {"image": "gamma"}, registry="r.example/ml")
    world.on(f"{verb}@beta", 'case $name in *:stable) fail "no such right" ;; esac')
    result = world.run("build", "--push", "--json")
    rows = {row["image"]: row for row in result.json["built"]}
    assert result.code == 1
    assert rows["beta"]["failed_step"] == step
    assert "'r.example/ml/beta:stable'" in rows["beta"]["why"]
    assert rows["gamma"]["status"] == "pushed"
    assert (f"r.example/ml/beta:{TAG}" in world.names("tags")) == (step == "push")
    assert "  | Error: no such right" in world.run("build", "--push").err


def test_a_last_name_of_what_passed_alone(world):
    """An older image of that name stays what it was."""
    assert world.run("build", "beta").code == 0
    (name,) = (world.fake / "tags").iterdir()
    name.write_text("older\n")
    world.on("run@beta", "exit 1")
    assert world.run("build", "beta").code == 1
    assert name.read_text() == "older\n"


def test_the_last_lines_and_the_instruction(each):
    docker = each.env["TMPLGEN_ENGINE"] == "docker"
    step = "#9 [image 7/9] RUN make all" if docker else "STEP 7/9: RUN make all"
    each.on("build", f"echo '{step}'; for i in $(seq 30); do echo \"line $i\" >&2; done; exit 2")
    result = each.run("build", "gamma", "--quiet")
    told = result.err[result.err.index("tmplgen: error") :].splitlines()
    engine = each.env["TMPLGEN_ENGINE"]
    assert told[0] == "tmplgen: error: 1 of 1 images failed"
    verb = "buildx" if docker else "build"
    assert told[1] == f"gamma:{TAG}: failed at 'build': '{engine} {verb}' ended with status 2"
    assert told[2] == f"  at {step}"
    assert told[3:] == [f"  | line {i}" for i in range(11, 31)]
    row = each.built("gamma")[1]["gamma"]
    assert row["instruction"] == step


def test_containers_of_builds_that_fail_are_removed(tmp_path):
    """A build without --force-rm leaves its container where it fails."""
    for engine in ("buildah", "podman"):
        world = World(tmp_path / engine, engine)
        assert world.run("build", "gamma", "--engine", engine).code == 0
        assert "--force-rm" in call_of(world, "build")


def test_nothing_is_read_from_the_terminal(world):
    world.on("build", 'read -r line && echo "read: $line"; [ -t 0 ] && echo "a terminal"')
    result = world.run("build", "gamma")
    assert result.code == 0 and "read:" not in result.err and "a terminal" not in result.err


def test_a_context_is_as_render_has_it(world):
    world.on("build", 'cp -r "$context" "$FAKE/context"')
    assert world.run("build", "gamma").code == 0
    assert world.run("render", "gamma", "--output", "out").code == 0
    rendered = world.work / "out" / "gamma" / TAG
    for path in rendered.rglob("*"):
        other = world.fake / "context" / path.relative_to(rendered)
        assert path.is_dir() or path.read_bytes() == other.read_bytes()


def test_no_folder_for_scratch(world):
    result = world.run("build", TMPDIR="/nowhere/at/all")
    assert result.code == 1 and "/nowhere/at/all" in result.err
    assert not world.calls("build")
