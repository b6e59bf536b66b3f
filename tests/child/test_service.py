"""Every rendering of the service is sound, whatever was asked and answered."""

import ast
import copy
import re
import tomllib
from functools import cache

import jsonschema
import pytest
import yaml

from . import matrix
from .render import CATALOG, answers, render


def on_cpu(requirements, indexed=()):
    """What is installed where there is no GPU."""
    url = "https://download.pytorch.org/whl/cpu" if indexed else None
    return {"requirements": requirements, "index_url": url, "index_requirements": list(indexed)}


RESOLUTION = {
    "framework": {"name": "pytorch", "version": "2.13.0"},
    "python": "3.11",
    "cuda": {"version": "13.0", "variant": "cu130", "supply": "wheel"},
    "cudnn": "9.20.0.48",
    "companions": {"torchvision": "0.28.0", "torchaudio": "2.11.0"},
    "image": {
        "repository": "nvidia/cuda",
        "tag": "13.0.2-base-ubuntu24.04",
        "digest": None,
        "state": "supported",
    },
    "driver": {"minimum": "580.65.06", "relies_on": "native"},
    "gpus": [],
    "arch": "x86_64",
    "requirements": ["torch==2.13.0"],
    "index_url": "https://download.pytorch.org/whl/cu130",
    "index_requirements": ["torch==2.13.0"],
    "build_requirements": [],
    "build_image": None,
    "cpu": on_cpu(["torch==2.13.0"], ["torch==2.13.0"]),
    "env": {"NVIDIA_DRIVER_CAPABILITIES": "compute,utility", "LD_LIBRARY_PATH": ""},
    "notes": [],
    "sources": [],
}
GPU = {
    "compute_capability": "7.5",
    "covered_by": "sm_75",
    "class": "datacenter",
    "memory_gb": ["16"],
    "mig": [],
    "products": ["Tesla-T4"],
    "node_names": [],
}
CPU = {
    "cuda": {"version": None, "variant": "cpu", "supply": None},
    "cudnn": None,
    "image": {"repository": "ubuntu", "tag": "24.04", "digest": None, "state": "supported"},
    "driver": {"minimum": None, "relies_on": None},
    "index_url": None,
    "index_requirements": [],
    "cpu": on_cpu(["torch==2.13.0"]),
    "env": {},
}
OLD = {
    "framework": {"name": "pytorch", "version": "2.2.2"},
    "requirements": ["torch==2.2.2", "numpy<2", "torchvision==0.17.2", "torchmetrics==1.8.*"],
    "index_requirements": ["torch==2.2.2", "torchvision==0.17.2"],
}
OLD["cpu"] = on_cpu(OLD["requirements"], OLD["index_requirements"])
NOTES = {
    "gpus": [{"name": "T4", **GPU}, {"name": "RTX 2080", **GPU}],
    "notes": [{"code": "a", "text": "The first."}, {"code": "b", "text": "The second."}],
}


# What `make setup DEVICE=cpu` installs in the place of what the GPU needs.
ON_CPU = {
    "tensorflow": ["tensorflow==2.21.0"],
    "jax": ["jax==0.10.2", "flax==0.12.*"],
    "xgboost": ["xgboost-cpu==3.2.0"],
    "onnxruntime": ["onnxruntime==1.31.1"],
}


def framework(name, version, requirements, **more):
    """What differs from PyTorch's resolution."""
    return {
        "cpu": on_cpu(ON_CPU.get(name, requirements)),
        "framework": {"name": name, "version": version},
        "requirements": requirements,
        "index_url": None,
        "index_requirements": [],
        **more,
    }


IMAGE = {**RESOLUTION["cuda"], "supply": "image"}
FRAMEWORKS = {
    "transformers": framework("transformers", "5.20.2", ["torch==2.13.0", "transformers==5.20.2"]),
    "tensorflow": framework(
        "tensorflow", "2.21.0", ["tensorflow[and-cuda]==2.21.0", "nvidia-cudnn-cu12<9.11"]
    ),
    "jax": framework("jax", "0.10.2", ["jax[cuda12]==0.10.2", "flax==0.12.*"]),
    "xgboost": framework("xgboost", "3.2.0", ["xgboost==3.2.0"]),
    "onnxruntime": framework("onnxruntime", "1.31.1", ["onnxruntime-gpu==1.31.1"], cuda=IMAGE),
    "none": framework("none", "2.4.6", ["numpy==2.4.6"], cuda=IMAGE),
}
# Wheels that no index has: of the framework, of another one beside one with an index, and beside
# one without.
LINKS = {"find_links": "https://example.org/wheels.html"}
LINKED = {
    "links": framework("jax", "0.4.25", ["jax[cuda12_pip]==0.4.25"], **LINKS),
    "links-beside-an-index": {
        "requirements": ["torch==2.13.0", "jax[cuda12_pip]==0.4.26"],
        **LINKS,
    },
    "links-and-an-index-beside": framework(
        "jax",
        "0.4.26",
        ["jax[cuda12_pip]==0.4.26", "torch==2.2.2"],
        index_url="https://download.pytorch.org/whl/cu121",
        index_requirements=["torch==2.2.2"],
        **LINKS,
    ),
}
NAMES = re.compile("torch|tensorflow|keras|jax|xgboost|onnx", re.I)
NASTY = 'Says "no" \\ to $HOME `id` ${{ x }} {{ y }} <b>\n# not a heading? \U0001f600 \x01\x7f é'

CASES = {
    "default": ({}, {}),
    "python-3.10": ({"python": "3.10"}, {}),
    "python-3.12": ({"python": "3.12"}, {}),
    "python-3.13": ({"python": "3.13"}, {}),
    "python-3.14": ({"python": "3.14"}, {}),
    "cpu": (CPU, {}),
    "old-release": (OLD, {}),
    "gpus-and-notes": (NOTES, {}),
    "digest": ({"image": {**RESOLUTION["image"], "digest": "sha256:" + "0" * 64}}, {}),
    "no-ci": ({}, {"ci": []}),
    "registry": ({}, {"registry": "registry.example.org:5000/team/ml"}),
    "every-ci": ({}, {"registry": "ghcr.io/team", "ci": ["github", "gitlab", "jenkins"]}),
    "longest-name": ({}, {"name": "a" * 63}),
    "shortest-name": ({}, {"name": "z"}),
    "digit-name": ({}, {"name": "3d"}),
    "other-package": ({}, {"name": "my-service", "package": "zz_9"}),
    "nasty-description": ({}, {"description": NASTY}),
    "empty-description": ({}, {"description": ""}),
    "installed-cuda": ({"cuda": {**RESOLUTION["cuda"], "supply": "install"}}, {}),
    "compiled": (
        {
            "cuda": {**RESOLUTION["cuda"], "supply": "build"},
            "image": {**RESOLUTION["image"], "tag": "13.0.2-cudnn-devel-ubuntu24.04"},
        },
        {},
    ),
    "conda": ({}, {"conda": True}),
    "conda-without-wheels-of-cuda": (FRAMEWORKS["onnxruntime"], {"conda": True}),
    **{name: (resolution, {}) for name, resolution in FRAMEWORKS.items()},
}


def context_of(case):
    resolution, given = copy.deepcopy(CASES[case])
    context = {
        "name": given.get("name", "pytorch-service"),
        "template": "service",
        "request": {"framework": "pytorch"},
        "resolution": {**RESOLUTION, **resolution},
    }
    return answers("service", context, given)


@cache
def child_of(case):
    return Child(context_of(case))


@pytest.fixture(params=CASES)
def child(request):
    return child_of(request.param)


class Child:
    """One rendering."""

    def __init__(self, context):
        self.context = context
        self.files = render("service", context)

    def write(self, folder):
        for path, (executable, content) in self.files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            target.chmod(0o755 if executable else 0o644)

    def text(self, path):
        return self.files[path][1].decode()


def test_python_and_scripts_are_clean(tmp_path):
    children = []
    for case in CASES:
        child_of(case).write(tmp_path / case)
        children.append(matrix.Child(tmp_path / case, [case]))
    assert matrix.ruff(children) + matrix.shellcheck(children) == []


@cache
def parse(text, version):
    return ast.parse(text, feature_version=version)


def test_python_is_of_the_resolved_version(child):
    version = tuple(map(int, child.context["resolution"]["python"].split(".")))
    for path in child.files:
        if path.endswith(".py"):
            parse(child.text(path), version)


def test_project_metadata_holds_the_answers(child):
    project = tomllib.loads(child.text("pyproject.toml"))["project"]
    expected = re.sub(r"[\x00-\x1f\x7f]", " ", child.context["description"])
    assert project["description"] == expected
    assert project["name"].replace("-", "_") == child.context["package"]
    assert project["requires-python"] == f">={child.context['resolution']['python']}"


def test_every_requirement_is_installed_once_from_the_index_that_has_it(child):
    framework = child.text("requirements/framework.txt").split()
    backend = child.text("requirements/backend.txt").splitlines()
    wanted = child.context["resolution"]["requirements"]
    name = child.context["resolution"]["framework"]["name"]
    on_index = "torch(vision|audio)?=" if name in ("pytorch", "transformers") else "."
    assert framework + [line for line in backend if line in wanted] == [
        *(line for line in wanted if re.match(on_index, line)),
        *(line for line in wanted if not re.match(on_index, line)),
    ]
    if name in ON_CPU:
        _, *lines = child.text("requirements/framework-cpu.txt").splitlines()  # after what it is
        assert lines == ON_CPU[name]
    else:
        assert "requirements/framework-cpu.txt" not in child.files


@pytest.mark.parametrize("case", LINKED)
def test_page_of_wheels_stands_where_they_are_named(case):
    resolution = {**RESOLUTION, **LINKED[case]}
    child = Child({**context_of("default"), "resolution": resolution})
    link = f"--find-links {LINKS['find_links']}"
    pin = next(line for line in resolution["requirements"] if line.startswith("jax["))
    files = {path: child.text(path).splitlines() for path in child.files if "requirements/" in path}
    named = [path for path, lines in files.items() if pin in lines]
    assert [path for path, lines in files.items() if link in lines] == named
    assert len(named) == 1
    lines = files[named[0]]
    assert lines.count(link) == 1 and lines.index(link) < lines.index(pin)
    if named == ["requirements/framework.txt"]:
        assert lines[0] == link


# What `conda env create` takes, as conda's documentation of environment files has it.
ENVIRONMENT = {
    "type": "object",
    "required": ["name", "channels", "dependencies"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "pattern": "^[a-zA-Z0-9._-]+$"},
        "channels": {"type": "array", "items": {"type": "string"}},
        "dependencies": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"type": "string", "pattern": "^[a-z0-9_-]+(=[0-9.]+)?$"},
                    {
                        "type": "object",
                        "required": ["pip"],
                        "additionalProperties": False,
                        "properties": {"pip": {"type": "array", "items": {"type": "string"}}},
                    },
                ]
            },
        },
    },
}


def test_conda_has_an_environment_where_it_is_asked_for(child):
    if not child.context["conda"]:
        assert "environment.yml" not in child.files
        return
    environment = yaml.safe_load(child.text("environment.yml"))
    jsonschema.validate(environment, ENVIRONMENT)
    words = [word for entry in environment["dependencies"][-1]["pip"] for word in entry.split()]
    named = {word for word in words if word.startswith("requirements/")}
    assert named <= set(child.files) and "requirements/framework.txt" in named
    brings = child.context["resolution"]["cuda"]["supply"] == "wheel"
    assert ("cuda-libraries=13.0" in environment["dependencies"]) != brings


def test_compose_gives_a_gpu_only_to_the_service_that_is_named_so(child):
    services = yaml.safe_load(child.text("compose.yaml"))["services"]
    assert "deploy" not in services["app"]
    assert services["app"]["environment"]["SERVE_DEVICE"] == "cpu"
    if child.context["resolution"]["cuda"]["variant"] == "cpu":
        assert set(services) == {"app"} and "up gpu" not in child.text("compose.yaml")
        return
    assert set(services) == {"app", "gpu"}
    assert services["gpu"]["profiles"] == ["gpu"]
    assert services["gpu"]["read_only"] and services["gpu"]["image"] == services["app"]["image"]
    # NumPy refuses a GPU, and the container would be started over and over.
    numpy = child.context["resolution"]["framework"]["name"] == "none"
    assert services["gpu"]["environment"]["SERVE_DEVICE"] == ("auto" if numpy else "cuda")


def test_alerts_say_what_to_do(child):
    rules = yaml.safe_load(child.text("deploy/prometheus/rules.yaml"))["groups"]
    for rule in (rule for group in rules for rule in group["rules"]):
        assert {"alert", "expr", "labels", "annotations"} <= set(rule)
        assert {"summary", "action"} == set(rule["annotations"])


def test_only_the_backend_and_the_stack_name_a_framework():
    """What a type shares is the same for all frameworks."""
    # The first tells whose weights a file holds, the second what is set before an import.
    named = ("importing.py", "__init__.py.j2", "reviews.csv")
    for path in (CATALOG / "templates/service/files").rglob("*"):
        if path.is_file() and path.name not in named:
            assert not NAMES.search(path.read_text(encoding="utf-8")), path


def test_the_workflow_is_there_when_asked_for_and_only_calls_scripts(child):
    if "github" not in child.context["ci"]:
        assert not any(path.startswith(".github") for path in child.files)
        return
    workflow = yaml.safe_load(child.text(".github/workflows/ci.yml"))
    assert workflow["permissions"] == {}
    for name, job in workflow["jobs"].items():
        assert {"timeout-minutes", "permissions", "runs-on"} <= set(job), name
        commands = [step["run"] for step in job["steps"] if "run" in step]
        called = set(re.findall(r"\bci/[a-z-]+\.sh", " ".join(commands)))
        assert called and called <= set(child.files)
    if child.context["resolution"]["cuda"]["variant"] == "cpu":
        assert "gpu" not in child.text(".github/workflows/ci.yml").lower()
    else:
        assert "vars.GPU_RUNNER != ''" in workflow["jobs"]["gpu-smoke"]["if"]
    pushes = [job for job in workflow["jobs"].values() if "packages" in job["permissions"]]
    assert bool(pushes) == bool(child.context["registry"])


def test_the_dockerfile_has_the_arguments_of_a_closed_network(child):
    text = child.text("Dockerfile")
    arguments = dict(re.findall(r"^ARG ([A-Z_]+)=(.*)$", text, re.M))
    image = child.context["resolution"]["image"]
    digest = f"@{image['digest']}" if image["digest"] else ""
    compiled = child.context["resolution"]["cuda"]["supply"] == "build"
    first = arguments["BUILD_IMAGE" if compiled else "BASE_IMAGE"]
    assert first == f"{image['repository']}:{image['tag']}{digest}"
    assert arguments["PYTHON_SOURCE"] == "uv"
    assert arguments["INDEX_URL"] == ""
    assert arguments["REQUIREMENTS"] in child.files
    assert "-devel" not in arguments["BASE_IMAGE"]
    assert re.findall(r"^USER (.*)$", text, re.M)[-1] == "10001:10001"
    assert "None" not in text


STAGES = {
    "wheel": {"smoke": "${BASE_IMAGE}", "build": "${BASE_IMAGE}", "image": "${BASE_IMAGE}"},
    "image": {"smoke": "${BASE_IMAGE}", "build": "${BASE_IMAGE}", "image": "${BASE_IMAGE}"},
    "build": {"smoke": "${BASE_IMAGE}", "build": "${BUILD_IMAGE}", "image": "${BASE_IMAGE}"},
    "install": {
        "smoke": "${BASE_IMAGE}",
        "cuda": "${BASE_IMAGE}",
        "build": "cuda",
        "image": "cuda",
    },
}


def test_the_stages_of_the_dockerfile_are_those_of_the_supply(child):
    text = child.text("Dockerfile")
    found = {name: base for base, name in re.findall(r"^FROM (\S+) AS (\S+)$", text, re.M)}
    supply = child.context["resolution"]["cuda"]["supply"] or "wheel"
    assert found == {**STAGES[supply], "test": "image", "runtime": "image"}
    installs = "cuda-libraries-13-0 libcudnn9-cuda-13" in text
    assert installs == (supply == "install")


def test_the_readme_names_commands_that_exist(child):
    text = child.text("README.md").replace(child.context["description"], "")
    targets = set(re.findall(r"^([a-z-]+):", child.text("Makefile"), re.M))
    named = set(re.findall(r"\bmake ([a-z]+)", text)) | {"test"}
    assert {"setup", "lint", "run", "image", "smoke", "update"} <= named <= targets
    driver = child.context["resolution"]["driver"]["minimum"]
    assert (driver in text) if driver else ("driver |" not in text)
    assert "None" not in text


def test_nothing_is_left_unrendered(child):
    for path, (_, content) in child.files.items():
        if path == "README.md" or path.startswith(("smoke/", ".github/", "deploy/")):
            continue
        text = re.sub("^description = .*$", "", content.decode(), flags=re.M)
        for mark in ("{%", "{{ ", "[%", "[[ "):
            assert mark not in text, f"{path}: {mark}"
