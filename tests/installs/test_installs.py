"""What `new` and `matrix resolve` write installs exactly the stack that they name.

stacks.yml has requests; uv and pip, each by itself, solve the rendered requirements against the
package index, with a stand-in for PyTorch's own (stand_in.py).
"""

import datetime
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from ..common.program import BINARY
from .stand_in import StandIn, environment, pip_platforms

STACKS = yaml.safe_load((Path(__file__).parent / "stacks.yml").read_text())
SHARE = 6
TOOLS = ("pip==26.3", "uv==0.13.9")
LISTS = {"gpu", "with"}
GLIBC = {"ubuntu18.04": 27, "ubuntu20.04": 31, "ubuntu22.04": 35, "ubuntu24.04": 39}


def name_of(stack):
    return " ".join(
        " ".join(value) if isinstance(value, list) else str(value) for value in stack.values()
    )


def todays():
    """Some of them each day, all of them in turn; STACKS_OF=N is another day's."""
    day = int(os.environ.get("STACKS_OF") or datetime.date.today().toordinal())
    count = -(-len(STACKS) // SHARE)
    return [stack for at, stack in enumerate(STACKS) if at % count == day % count], day


SAMPLE, DAY = todays()


@pytest.fixture(scope="session")
def tools(tmp_path_factory):
    """The folder of programs of an environment with pip and uv, and pip's own index."""
    folder = tmp_path_factory.mktemp("tools")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin/pip", "install", "--quiet", *TOOLS], check=True)
    ask = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    own = subprocess.run(
        [folder / "bin/python", "-c", ask], check=True, capture_output=True, text=True
    )
    return folder / "bin", own.stdout.strip()


@pytest.fixture(scope="session")
def stand_in(tools):
    with StandIn(tools[1], tools[0] / "pip") as server:
        yield server


@pytest.fixture
def world(tmp_path, tools):
    """An environment of its own, but for downloads and for the machine's certificates."""
    caches = {f"{name}_CACHE_DIR": str(tools[0].parent / name) for name in ("PIP", "UV")}
    return {**environment(), **caches, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}


def run(words, env, **more):
    done = subprocess.run(
        [*map(str, words)], capture_output=True, text=True, env=env, check=False, **more
    )
    assert done.returncode == 0, (words, done.stdout[-2000:], done.stderr[-4000:])
    return done.stdout


def options(stack):
    for name, value in stack.items():
        for text in value if name in LISTS else [value]:
            yield from (f"--{name}", str(text))


def render(stack, tmp_path, world):
    """The child's folder and its resolution; of a framework without a template, the bare lists."""
    target = tmp_path / "child"
    command = [BINARY, "new", target, "--json", "--defaults", "--no-git", *options(stack)]
    if "type" in stack:
        return target, json.loads(run(command, world))["resolution"]
    resolved = json.loads(run([BINARY, "matrix", "resolve", "--json", *options(stack)], world))
    resolution = resolved["resolution"]
    (target / "requirements").mkdir(parents=True)
    indexed, built = resolution["index_requirements"], resolution["build_requirements"]
    rest = [r for r in resolution["requirements"] if r not in indexed and r not in built]
    first, second = ("indexed", "framework") if indexed and rest else ("framework", "runtime")
    lists = {first: indexed or rest, second: rest if indexed else []}
    for name, lines in lists.items():
        (target / "requirements" / f"{name}.txt").write_text("".join(f"{x}\n" for x in lines))
    return target, resolution


def files_of(child, *, cpu=False):
    """The files in the order of installation: the first is of the framework's index."""
    folder = child / "requirements"
    suffix = "-cpu" if cpu and (folder / "framework-cpu.txt").is_file() else ""
    names = [f"indexed{suffix}", f"framework{suffix}", *([] if suffix else ["stack"]), "runtime"]
    found = [folder / f"{name}.txt" for name in names]
    return [path for path in found if path.is_file()]


def platforms(resolution):
    tag = resolution["image"]["tag"]
    glibc = next((v for os_, v in GLIBC.items() if tag.endswith(os_.removeprefix("ubuntu"))), 39)
    return pip_platforms(glibc, resolution["arch"])


def by_uv(tools, files, resolution, index, world):
    """{name: version} of what uv would install."""
    glibc = "2_28" if int(platforms(resolution)[-4].split("_")[2]) >= 28 else "2_17"
    where = ["--extra-index-url", index] if index else []
    text = run(
        [tools / "uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate", "--no-config"]
        + ["--system-certs"]
        + ["--only-binary", ":all:", "--python-version", resolution["python"].removesuffix("t")]
        + ["--python-platform", f"{resolution['arch']}-manylinux_{glibc}", *where]
        + files,
        world,
    )
    pins = [Requirement(line) for line in text.splitlines() if "==" in line]
    return {canonicalize_name(p.name): str(p.specifier).removeprefix("==") for p in pins}


def for_python(path, python, folder):
    """A list with what holds for that Python alone: pip asks markers of the Python that runs it."""
    kept = []
    for line in path.read_text().splitlines():
        if line.startswith("-r "):
            line = f"-r {for_python(path.parent / line[3:], python, folder)}"
        elif line and line[0] not in "#-":
            marker = Requirement(line).marker
            line = line if not marker or marker.evaluate({"python_version": python}) else ""
        kept.append(line)
    folder.mkdir(exist_ok=True)
    (folder / path.name).write_text("\n".join([*kept, ""]))
    return folder / path.name


def by_pip(tools, child, resolution, indexes, files, world):
    """The same by pip."""
    python = resolution["python"].removesuffix("t")
    files = [for_python(path, python, child / "for-pip") for path in files]
    report = child / "report.json"
    where = ["--index-url", indexes[0]] + [x for i in indexes[1:] for x in ("--extra-index-url", i)]
    run(
        [tools / "pip", "install", "--quiet", "--dry-run", "--ignore-installed", "--target"]
        + [child / "target", "--only-binary", ":all:", "--report", report, *where]
        + ["--python-version", resolution["python"], "--implementation", "cp"]
        + [x for p in platforms(resolution) for x in ("--platform", p)]
        + [x for path in files for x in ("--requirement", path)],
        world,
    )
    found = json.loads(report.read_text())["install"]
    metadata = [entry["metadata"] for entry in found]
    return {canonicalize_name(m["name"]): m["version"] for m in metadata}


def cuda_majors(found):
    """The majors of CUDA whose libraries would be installed."""
    majors = {m[1] for name in found if (m := re.fullmatch(r"nvidia-.*-cu(\d+)", name))}
    bare = {"cuda-toolkit", "nvidia-cuda-runtime", "nvidia-cublas"}
    return majors | {found[name].split(".")[0] for name in bare & set(found)}


def check(stack, found, resolution):
    """What would be installed is what the resolution says, with the CUDA that it says."""
    for text in resolution["requirements"]:
        if text in resolution["build_requirements"]:
            continue
        wanted = Requirement(text)
        version = found[canonicalize_name(wanted.name)]
        assert wanted.specifier.contains(version, prereleases=True), (stack, text, version)
    cuda, supply = resolution["cuda"]["version"], resolution["cuda"]["supply"]
    majors = {cuda.split(".")[0]} if cuda else set()
    if supply == "wheel":
        assert cuda_majors(found) == majors, (stack, found)
    else:
        assert cuda_majors(found) <= majors, (stack, found)
    if resolution["index_url"] and "torch" in found:
        local = Version(found["torch"]).local
        assert local == resolution["index_url"].rsplit("/", 1)[1], (stack, found["torch"])


def installs(stack, tools, stand_in, tmp_path, world):
    programs, default = tools
    child, resolution = render(stack, tmp_path, world)
    assert bool(resolution["index_url"]) == bool(resolution["index_requirements"])
    files, index = files_of(child), None
    if resolution["index_url"]:
        index = stand_in.index(resolution["index_url"].rsplit("/", 1)[1])
        by_pip(programs, child, resolution, [index], files[:1], world)  # the first step, alone
    check(stack, by_uv(programs, files, resolution, index, world), resolution)
    indexes = [default, *([index] if index else [])]
    check(stack, by_pip(programs, child, resolution, indexes, files, world), resolution)


def installs_on_cpu(stack, tools, stand_in, tmp_path, world):
    """What `ci/setup.sh cpu` installs, in its two steps: the stack without CUDA."""
    programs, default = tools
    child, resolution = render(stack, tmp_path, world)
    cpu, files, index = resolution["cpu"], files_of(child, cpu=True), None
    if cpu["index_url"]:
        index = stand_in.index("cpu")
        by_pip(programs, child, resolution, [index], files[:1], world)
    indexes = [default, *([index] if index else [])]
    wanted = {**resolution, **cpu, "cuda": {"version": None, "supply": None}}
    for found in (
        by_uv(programs, files, resolution, index, world),
        by_pip(programs, child, resolution, indexes, files, world),
    ):
        check(stack, found, wanted)
        assert not {"xformers", "vllm"} & set(found)


ON_CPU = [stack for stack in STACKS if "type" in stack and "with" in stack]
ON_CPU += [
    {"type": "service", "framework": "pytorch", "variant": "pypi", "with": ["accelerate"]},
    {"type": "service", "framework": "pytorch", "with": ["jax"], "driver": "580"},
    {"type": "library", "framework": "jax==0.4.30", "python": "3.11"},
]


@pytest.mark.full
@pytest.mark.turns(1)
@pytest.mark.parametrize("stack", ON_CPU[DAY % 3 :: 3], ids=name_of)
def test_without_a_gpu_the_stack_for_cpus_installs(stack, tools, stand_in, tmp_path, world):
    print(f"STACKS_OF={DAY}")
    installs_on_cpu(stack, tools, stand_in, tmp_path, world)


@pytest.mark.soak
@pytest.mark.parametrize("stack", ON_CPU, ids=name_of)
def test_without_a_gpu_every_stack_installs(stack, tools, stand_in, tmp_path, world):
    installs_on_cpu(stack, tools, stand_in, tmp_path, world)


@pytest.mark.full
@pytest.mark.turns(2)
@pytest.mark.parametrize("stack", SAMPLE, ids=name_of)
def test_what_is_written_installs(stack, tools, stand_in, tmp_path, world):
    print(f"STACKS_OF={DAY}")
    installs(stack, tools, stand_in, tmp_path, world)


@pytest.mark.soak
@pytest.mark.parametrize("stack", STACKS, ids=name_of)
def test_all_that_is_written_installs(stack, tools, stand_in, tmp_path, world):
    installs(stack, tools, stand_in, tmp_path, world)
