"""Base images for rows of the matrix, rendered, and what every one of them must keep."""

import functools
import json
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from ..common.program import BINARY, ROOT
from ..common.stacks import Stack, choices, stacks

# The image of the program is for no row of the matrix but its own.
PROGRAM = "tmplgen"
ARGUMENTS = {"BASE_IMAGE", "INDEX_URL", "PYTHON_SOURCE", "UV_VERSION"}
# What a row says, and nobody outside: they have defaults.
SETTLED = {"FRAMEWORK_INDEX_URL", "PYTHON_VERSION"}
LABELS = {
    *(f"org.opencontainers.image.{name}" for name in ("title", "description", "version")),
    "org.opencontainers.image.base.name",
    *(f"tmplgen.{name}" for name in ("image", "row", "framework", "cuda", "cudnn", "catalog")),
    *(f"tmplgen.{name}" for name in ("driver.minimum", "base", "os", "system.packages")),
    "tmplgen.writes",
}
COMPILER = re.compile(r"(gcc|g\+\+|clang|make|build-essential|ninja-build|.*-dev|nvcc)$")
CUDA_PACKAGE = re.compile(r"(lib)?(cuda|cudnn|cublas|nccl|nvidia|nv)")
TAG = re.compile(
    r"(?P<head>[0-9][0-9.a-z]*-[a-z][a-z0-9-]*|cpu)-py(?P<python>\d{2,3})-(?P<os>[a-z]+[0-9.]+)"
)
# {number}: what differs between rows and says nothing to a linter.
NUMBER = re.compile(r"\d+([.-]\d+)*")


def manifests():
    """The images of the catalog, and what their image.yml says."""
    return {
        path.parent.name: yaml.safe_load(path.read_text())
        for path in sorted(ROOT.glob("base-images/*/image.yml"))
    }


@dataclass
class Instruction:
    word: str
    text: str  # in one line, without the word


@dataclass
class Stage:
    name: str
    instructions: list = field(default_factory=list)

    def all(self, word):
        return [one.text for one in self.instructions if one.word == word]


@dataclass
class Row:
    """A rendered row of an image."""

    image: str
    manifest: dict
    stack: Stack
    tag: str
    folder: Path

    @property
    def id(self):
        return f"{self.image}:{self.tag}"

    @functools.cached_property
    def text(self):
        return (self.folder / "Dockerfile").read_text()

    @functools.cached_property
    def stages(self):
        """Those of the Dockerfile; what is before the first FROM is one without a name."""
        found = [Stage("")]
        for one in instructions(self.text):
            if one.word == "FROM":
                found.append(Stage(one.text.split()[-1]))
            found[-1].instructions.append(one)
        return found


def instructions(text):
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    whole = re.sub(r"\\\n\s*", "", "\n".join(lines) + "\n")
    return [Instruction(*line.partition(" ")[::2]) for line in whole.splitlines()]


# ---------------------------------------------------------------- which rows, and their names


def flavour_of(manifest, stack):
    """As the row's supply needs, if the image does not say."""
    tag = stack.resolution["image"]["tag"]
    needed = re.sub(r"^[\d.]+-|-[a-z]+[\d.]+$", "", tag)
    if stack.resolution["cuda"]["supply"] == "wheel":
        needed = "base"
    said = manifest.get("flavour", needed.replace("devel", "runtime"))
    if "cudnn" in said:  # the word that images of that time have
        said = re.sub(r"cudnn\d*", re.search(r"cudnn\d*|$", tag)[0] or "cudnn", said)
    return said


def base_and_tag(manifest, stack):
    """What the contract says of a row: its base image, and its tag."""
    image, cuda = stack.resolution["image"], stack.resolution["cuda"]
    python = "py" + stack.python.replace(".", "")
    if image["repository"] != "nvidia/cuda":  # a CPU build, or no image of CUDA starts
        base, system = f"{image['repository']}:{image['tag']}", image["repository"] + image["tag"]
        variant = cuda["variant"] if cuda["version"] else "cpu"
        head = "cpu" if manifest["framework"] == "none" else f"{stack.release}-{variant}"
        return base, f"{head}-{python}-{system}"
    version, system = image["tag"].split("-")[0], image["tag"].rsplit("-", 1)[1]
    flavour = flavour_of(manifest, stack)
    base = f"{image['repository']}:{version}-{flavour}-{system}"
    none = manifest["framework"] == "none"
    head = f"{version}-{flavour}" if none else f"{stack.release}-{cuda['variant']}"
    return base, f"{head}-{python}-{system}"


def rows_of(image, manifest, stacks, folder):
    """The rows that stacks make; those of one name are one."""
    found = {}
    for stack in stacks:
        if manifest["framework"] == stack.framework and image != PROGRAM:
            tag = base_and_tag(manifest, stack)[1]
            found.setdefault(tag, Row(image, manifest, stack, tag, folder / image / tag))
    return list(found.values())


def tmplgen(*words, cwd):
    done = subprocess.run(
        [str(BINARY), *(str(word) for word in words), "--json"],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, f"{words}\n{done.stderr}"
    return json.loads(done.stdout)


def write_plan(path, rows):
    asked = [{"image": row.image, "request": row.stack.request} for row in rows]
    plan = {"schema": 1, "registry": "registry.example.org/team", "images": asked}
    path.write_text(json.dumps(plan))  # which is YAML, too
    return path


def render(stacks, folder):
    """All images for all these stacks, a call for each image."""
    rows = []
    for image, manifest in manifests().items():
        some = rows_of(image, manifest, stacks, folder)
        if not some:
            continue
        plan = write_plan(folder / f"{image}.yml", some)
        said = tmplgen("image", "render", "--plan", plan, "--output", folder, cwd=folder)
        assert [one["tag"] for one in said["rendered"]] == [row.tag for row in some]
        rows += some
    return rows


# ---------------------------------------------------------------- what a row must keep


def check(rows):
    """Everything that is to be said against these rows; nothing is what is wanted."""
    found = []
    for row in rows:
        for one in CHECKS:
            found += [f"{row.id}: {finding}" for finding in one(row)]
    return found + _shared(rows)


def _names(row):
    base, tag = base_and_tag(row.manifest, row.stack)
    match = TAG.fullmatch(row.tag)
    if not match or row.tag != tag:
        yield f"the tag is not {tag}"
    if row.stages[0].all("ARG") != [f"BASE_IMAGE={base}"]:
        yield f"the base is not {base}: {row.stages[0].all('ARG')}"


def _words(row):
    for word in ("<<", "--link", "chown", "{{", "{%"):
        if word in row.text:
            yield f"'{word}' is in it"


def _arguments(row):
    for stage in row.stages:
        for text in stage.all("ARG"):
            name, is_set, _ = text.partition("=")
            if name not in ARGUMENTS | SETTLED:
                yield f"the argument {name}"
            if not is_set and name != "BASE_IMAGE":
                yield f"{name} has no default"


def _stages(row):
    if [stage.name for stage in row.stages] != ["", "smoke", "python", "image"]:
        yield "other stages"
    for stage in row.stages[1:]:
        if stage.instructions[0].text.split()[0] != "${BASE_IMAGE}":
            yield f"the stage {stage.name} is not on BASE_IMAGE"
        if stage.instructions[1].word != "USER" or stage.instructions[1].text != "0":
            yield f"the stage {stage.name} begins with the base's user"
    last = row.stages[-1]
    if last.all("USER") != ["0", "10001:10001"]:
        yield f"users: {last.all('USER')}"
    if [one.word for one in last.instructions[-2:]] != ["USER", "CMD"]:
        yield "something is done after the user is set"


def _labels(row):
    stack, words = row.stack.resolution, shlex.split(" ".join(row.stages[-1].all("LABEL")))
    labels = dict(word.partition("=")[::2] for word in words)
    framework, version = stack["framework"]["name"], stack["framework"]["version"]
    wanted = {
        "org.opencontainers.image.version": row.tag,
        "org.opencontainers.image.base.name": "$BASE_IMAGE",
        "tmplgen.image": row.image,
        "tmplgen.row": row.tag,
        "tmplgen.framework": "none" if framework == "none" else f"{framework} {version}",
        "tmplgen.cuda": stack["cuda"]["version"] or "none",
        "tmplgen.driver.minimum": stack["driver"]["minimum"] or "none",
        "tmplgen.os": row.tag.rsplit("-", 1)[1],
    }
    if labels.keys() != LABELS:
        yield f"labels: {sorted(labels.keys() ^ LABELS)}"
    for name, value in wanted.items():
        if labels.get(name) != value:
            yield f"{name}={labels.get(name)}, not {value}"
    empty = [name for name, value in labels.items() if not value]
    if empty not in ([], ["tmplgen.system.packages"]):
        yield f"empty labels: {empty}"
    base = row.stages[0].all("ARG")[0]
    if "cudnn" in base and labels.get("tmplgen.cudnn") == "none":
        yield "tmplgen.cudnn says that there is none"


def installed(text):
    """The packages that a RUN installs with apt."""
    found = re.findall(r"--no-install-recommends ([^;&]*)", text)
    return [word for some in found for word in some.split()]


def _packages(row):
    """No compiler in what runs; CUDA once."""
    stack = row.stack.resolution
    packages = [word for text in row.stages[-1].all("RUN") for word in installed(text)]
    compilers = [name for name in packages if COMPILER.match(name)]
    if bool(compilers) != (row.image == "cuda-devel"):
        yield f"compilers: {compilers}"
    cuda = [name for name in packages if CUDA_PACKAGE.match(name)]
    if bool(cuda) != (row.image == "cuda-install" and bool(stack["cuda"]["version"])):
        yield f"packages of CUDA: {cuda}"
    if "devel" in row.stages[0].all("ARG")[0] and row.image != "cuda-devel":
        yield "it stands on a compiler"
    version = (stack["cuda"]["version"] or "").split(".")
    for name in cuda:
        numbers = re.findall(r"-(\d+)(?:-(\d+))?$", name)
        if numbers and numbers[0] not in ((version[0], ""), tuple(version[:2])):
            yield f"{name} with CUDA {'.'.join(version)}"


def _wheels(row):
    """What wheels bring is not in the base, and the other way round."""
    base, supply = row.stages[0].all("ARG")[0], row.stack.resolution["cuda"]["supply"]
    wheels = supply == "wheel" or row.manifest["framework"] != "none" and supply is None
    if wheels and re.search("runtime|devel", base):
        yield "CUDA comes in wheels and with the base image"
    lists = (row.folder / "requirements").glob("*.txt")
    wanted = "".join(path.read_text() for path in lists)
    if supply == "image" and re.search(r"nvidia-|\[[^]]*cud", wanted):
        yield "CUDA comes with the base image and in wheels"
    for requirement in row.stack.resolution["requirements"]:
        if row.manifest["framework"] != "none" and requirement not in wanted.splitlines():
            yield f"{requirement} is not installed"


def _context(row):
    stages = {stage.name for stage in row.stages}
    for stage in row.stages:
        for text in stage.all("COPY"):
            words = text.split()
            if words[0].startswith("--from="):
                if words[0].removeprefix("--from=") not in stages:
                    yield f"COPY {text}: no such stage"
            elif missing := [word for word in words[:-1] if not (row.folder / word).exists()]:
                yield f"COPY {text}: {missing}"


def _caches(row):
    mounts = {
        "apt-get": "--mount=type=cache,target=/var/cache/debs,sharing=locked ",
        "pip --disable": "--mount=type=cache,target=/root/.cache/pip ",
        "uv python": "--mount=type=cache,target=/root/.cache ",
    }
    for stage in row.stages:
        for text in stage.all("RUN"):
            for program, mount in mounts.items():
                if program in text and not text.startswith(mount):
                    yield f"{program} without its cache: {text[:80]}"


def _environment(row):
    last = row.stages[-1]
    for name, value in row.stack.resolution["env"].items():
        if f"{name}={json.dumps(value)}" not in last.all("ENV"):
            yield f"{name} is not {value}"
    if row.manifest["framework"] != "none" and not last.all("WORKDIR"):
        yield "no WORKDIR"


CHECKS = (
    *(_names, _words, _arguments, _stages, _labels),
    *(_packages, _wheels, _context, _caches, _environment),
)


def _begin(row):
    """Up to where the image's own packages come, without those of the system."""
    begin = []
    for stage in row.stages[1:]:
        for one in stage.instructions:
            if stage.name == "image" and one.text.startswith(
                ("INDEX_URL", "NVIDIA_", "BASE_IMAGE")
            ):
                break
            if stage.name != "image" or one.word != "RUN" or "PYTHON_SOURCE" in one.text:
                begin.append(f"{one.word} {one.text}")
    return tuple(begin)


def _shared(rows):
    """Images on one base share all layers up to their own packages: to the letter, in one order."""
    begins = {}
    for row in rows:
        key = row.stages[0].all("ARG")[0], row.stack.python
        begins.setdefault(key, {}).setdefault(_begin(row), []).append(row.id)
    return [
        f"{key[0]}: {[ids[0] for ids in some.values()]} do not begin alike"
        for key, some in begins.items()
        if len(some) > 1
    ]


def distinct(rows):
    """One row for each text that differs in more than numbers."""
    found = {}
    for row in rows:
        found.setdefault(NUMBER.sub("0", row.text), row)
    return list(found.values())


# ---------------------------------------------------------------- bake files

PLATFORMS = {"x86_64": "linux/amd64", "aarch64": "linux/arm64"}


def check_bake(rows, folder):
    """A target for each row, for the processors that it is the same for."""
    found = []
    for image in sorted({row.image for row in rows}):
        some = {row.tag: row for row in rows if row.image == image}
        file = folder / f"{image}.json"
        tmplgen("image", "bake", "--plan", folder / f"{image}.yml", "--output", file, cwd=folder)
        said = json.loads(file.read_text())
        targets = {one["tags"][0].rpartition(":")[2]: one for one in said["target"].values()}
        if targets.keys() != some.keys():
            found.append(f"{image}: other targets: {sorted(targets.keys() ^ some.keys())[:3]}")
        if sorted(said["group"]["default"]["targets"]) != sorted(said["target"]):
            found.append(f"{image}: the group is not all targets")
        for tag in targets.keys() & some.keys():
            wanted = [PLATFORMS[name] for name in some[tag].stack.processors]
            if targets[tag]["platforms"] != wanted:
                found.append(f"{image}:{tag}: {targets[tag]['platforms']}, not {wanted}")
            if not targets[tag]["tags"][0].startswith(f"registry.example.org/team/{image}:"):
                found.append(f"{image}:{tag}: {targets[tag]['tags']}")
    return found


# ---------------------------------------------------------------- for others


def write_plans(folder):
    """A plan for each image with every row of the matrix."""
    frameworks = sorted({manifest["framework"] for manifest in manifests().values()})
    every = stacks([choice for name in frameworks for choice in choices(name)])
    for image, manifest in manifests().items():
        if some := rows_of(image, manifest, every, folder):
            write_plan(folder / f"{image}.yml", some)


if __name__ == "__main__":
    write_plans(Path(sys.argv[1]))
