"""The resolver against brute force, on the shipped matrix and on random parts of it."""

import os
import random
import shutil
from pathlib import Path

import pytest

from . import oracle

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ROOT / "matrices"
NAMES = sorted(p.stem for p in (SHIPPED / "frameworks").glob("*.yml"))
FRAMEWORKS = [n for n in NAMES if "on" not in oracle.read(SHIPPED / "frameworks" / f"{n}.yml")]
SEED = int(os.environ.get("SEED", 20261120))

DRIVERS = """450 450.80.02 470 470.82.01 525.60.13 530 535 535.54.03 545 550 550.54.15 560.35.03 565
570 575 580 580.65.06 590 595 610 615 418.39 537.1""".split()
GPUS = (
    """K80 M60 P100 V100 T4 T4G A100 A10G L4 H100 B200 B300 Rubin GB10 GB200 sm_75 sm_86 sm_87
sm_90 sm_120""".split()
    + "Jetson Thor,Orin,RTX 3090,RTX 4090,RTX 5090,GTX 970,GTX 1080,RTX A6000,Titan V".split(",")
)
PLATFORMS = "gke eks aks wsl2 jetson generic".split()
PYTHONS = ["3.8", "3.9", "3.10", "3.11", "3.12", "3.13", ">=3.10,<3.13", ">=3.9", "<3.12", "3.7"]
CUDAS = ["11", "12", "13", "12.6", ">=12.4", "<13", ">=11.8,<12.5", "12.7"]
SYSTEMS = (
    "ubuntu18.04 ubuntu20.04 ubuntu22.04 ubuntu24.04 ubuntu26.04 rockylinux9 ubi8 azl3".split()
)
IMAGES = """nvidia/cuda:12.6.3-base-ubuntu24.04 nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04
nvidia/cuda:13.0.3-base-ubuntu24.04 nvidia/cuda:12.4.1-devel-rockylinux9
nvidia/cuda:12.0.0-base-ubuntu22.04 nvidia/cuda:12.6.9-base-ubuntu24.04
nvidia/cuda:12.9.1-cudnn-runtime-ubuntu22.04 ghcr.io/acme/base:1.0 ubuntu:20.04 ubuntu:24.04
nvidia/cuda:13.2.1-cudnn-devel-rockylinux9 nvidia/cuda:12.8.2-base-ubi9
nvcr.io/nvidia/cuda:12.4.1-base-ubuntu22.04 nvcr.io/nvidia/pytorch:25.03-py3
nvidia/cuda:13.4.2-cudnn8-runtime-ubuntu24.04 nvidia/cuda:13.1.1-base-ubuntu26.04
acme/base:x-ubuntu22.04""".split()


def versions_of(matrix):
    return [r["version"] for r in matrix.framework["releases"]]


def random_request(matrix, rng):
    """A request of one to four demands."""
    request = {"framework": matrix.name}
    variants = sorted({b["variant"] for b in matrix.framework["builds"]} | {"pypi", "cpu"})
    version = rng.choice(versions_of(matrix))
    choices = {
        "framework": lambda: matrix.name + rng.choice(["==", ">=", "<", "~=", "=="]) + version,
        "python": lambda: rng.choice(PYTHONS),
        "cuda": lambda: rng.choice(CUDAS),
        "variant": lambda: rng.choice(variants),
        "driver": lambda: rng.choice(DRIVERS),
        "gpu": lambda: rng.sample(GPUS, rng.choice([1, 1, 1, 2])),
        "platform": lambda: rng.choice(PLATFORMS),
        "os": lambda: rng.choice(SYSTEMS),
        "arch": lambda: rng.choice(["aarch64", "x86_64"]),
        "runtime": lambda: rng.choice(["cdi", "legacy"]),
        "image": lambda: rng.choice(IMAGES),
    }
    for name in rng.sample(sorted(choices), rng.choice([1, 1, 2, 2, 2, 3, 3, 4])):
        request[name] = choices[name]()
    return request


def part_of(rows, rng, share):
    return [row for row in rows if rng.random() < share] or rows[:1]


def random_part(folder, framework, rng):
    """A catalog with a random part of the shipped rows."""
    shutil.copytree(SHIPPED, folder / "matrices")
    (folder / "templates").mkdir()
    (folder / "catalog.yml").write_text("name: part\nversion: 1.0.0\n")
    cuts = {
        f"frameworks/{framework}.yml": ["releases", "builds"],
        "images.yml": ["images"],
        "drivers.yml": ["branches", "forward"],
        "cuda.yml": ["cudnn"],
    }
    for name, sections in cuts.items():
        path = folder / "matrices" / name
        data = oracle.read(path)
        for section in sections:
            data[section] = part_of(data[section], rng, 0.5)
        path.write_text(oracle.dump(data) + "\n")
    for other in NAMES:
        if other != framework:
            (folder / "matrices" / "frameworks" / f"{other}.yml").unlink()
    return folder


def verdict(document):
    """What the resolver said, in the oracle's words."""
    if document["exit"] == 4:
        return None
    assert document["exit"] == 0, document
    r = document["resolution"]
    return {
        "version": r["framework"]["version"],
        "variant": r["cuda"]["variant"],
        "python": r["python"],
        "tag": r["image"]["tag"],
        "how": r["driver"]["relies_on"],
    }


def compare(matrix, request, document):
    want, got = oracle.best(matrix, request), verdict(document)
    if want and got and want["how"] is None:
        got["how"] = None  # without a driver it tells what the minimum relies on
    assert got == want, (SEED, request)


def run(resolve, folder, framework, count, rng, catalog=None):
    matrix = oracle.Matrix(oracle.load(folder, framework))
    solved = 0
    for _ in range(count):
        request = random_request(matrix, rng)
        document = resolve(request, catalog)
        compare(matrix, request, document)
        solved += document["exit"] == 0
    return solved


@pytest.mark.turns(3)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_shipped_matrix_resolves_as_brute_force_does(resolve, framework):
    rng = random.Random(f"{SEED} {framework}")
    assert run(resolve, SHIPPED, framework, 8, rng) > 0


@pytest.mark.full
@pytest.mark.turns(3)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_shipped_matrix_resolves_as_brute_force_does_often(resolve, framework):
    rng = random.Random(f"{SEED} often {framework}")
    assert run(resolve, SHIPPED, framework, 50, rng) > 0


@pytest.mark.turns(3)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_random_part_resolves_as_brute_force_does(resolve, tmp_path, framework):
    rng = random.Random(f"{SEED} part {framework}")
    folder = random_part(tmp_path / "catalog", framework, rng)
    run(resolve, folder / "matrices", framework, 15, rng, folder)


@pytest.mark.full
@pytest.mark.turns(10)
@pytest.mark.parametrize("round_", range(40))
def test_many_random_parts_resolve_as_brute_force_does(resolve, tmp_path, round_):
    rng = random.Random(f"{SEED} full {round_}")
    framework = FRAMEWORKS[round_ % len(FRAMEWORKS)]
    folder = random_part(tmp_path / "catalog", framework, rng)
    run(resolve, folder / "matrices", framework, 40, rng, folder)


NARROWER = ["python", "cuda", "variant", "driver", "os"]


@pytest.mark.turns(3)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_one_more_demand_never_makes_a_refusal_a_success(resolve, framework):
    """But for what the design excepts: naming an image, data-center GPUs, CDI, a CPU build."""
    rng = random.Random(f"{SEED} narrower {framework}")
    matrix = oracle.Matrix(oracle.load(SHIPPED, framework))
    refused = 0
    for _ in range(40):
        request = random_request(matrix, rng)
        more = random_request(matrix, rng)
        added = [n for n in NARROWER if n in more and n not in request and more[n] != "cpu"]
        if "platform" in request and "driver" in added:
            added.remove("driver")  # it takes the place of the platform's
        if not added or "==" in request["framework"]:
            continue
        if resolve(request)["exit"] == 4:
            refused += 1
            assert resolve({**request, added[0]: more[added[0]]})["exit"] == 4, (request, added[0])
    assert refused > 0


@pytest.mark.turns(3)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_refusals_are_minimal_and_what_is_nearest_resolves(resolve, framework):
    rng = random.Random(f"{SEED} refusals {framework}")
    matrix = oracle.Matrix(oracle.load(SHIPPED, framework))
    seen = 0
    for _ in range(60):
        request = random_request(matrix, rng)
        document = resolve(request)
        if document["exit"] != 4:
            continue
        seen += 1
        check_minimal(resolve, matrix, request, document["error"]["conflicts"])
        for near in document["error"]["nearest"]:
            again = resolve(near["request"])
            assert again["exit"] == 0, (request, near["change"])
            assert again["resolution"] == near["resolution"]
            assert again["resolution"]["framework"]["version"]
        if seen == 12:
            break
    assert seen > 0


def demands_of(request, matrix):
    """The parts of a request, by the words that a refusal uses for them."""
    for name, value in request.items():
        if name == "framework":
            if value != matrix.name:
                yield f"framework {value}", ("framework", None)
        elif name == "gpu":
            for gpu in value:
                yield f"gpu {gpu}", ("gpu", gpu)
        else:
            yield f"{name} {value}", (name, None)


def without(request, part, matrix):
    name, gpu = part
    made = dict(request)
    if name == "framework":
        made["framework"] = matrix.name
    elif gpu:
        made["gpu"] = [g for g in request["gpu"] if g != gpu]
        if not made["gpu"]:
            del made["gpu"]
    else:
        del made[name]
    return made


def check_minimal(resolve, matrix, request, conflicts):
    """The demands named can not be met together; all but any one of them can."""
    named = list(dict.fromkeys(c["demand"] for c in conflicts))
    parts = dict(demands_of(request, matrix))
    assert set(named) <= set(parts), (request, named)
    only = request
    for text, part in parts.items():
        if text not in named:
            only = without(only, part, matrix)
    assert resolve(only)["exit"] == 4, (request, only)
    for text in named:
        assert resolve(without(only, parts[text], matrix))["exit"] == 0, (request, only, text)
