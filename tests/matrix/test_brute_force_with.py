"""Packages beside the framework against brute force, on the shipped matrix and on random parts."""

import os
import random
import shutil

import pytest

from . import oracle, oracle_with
from .test_brute_force import DRIVERS, GPUS, PYTHONS, SHIPPED, SYSTEMS, part_of

SEED = int(os.environ.get("SEED", 20261120))
IMAGES = """nvidia/cuda:12.6.3-cudnn-runtime-ubuntu24.04 nvidia/cuda:13.0.2-base-ubuntu22.04
nvidia/cuda:11.8.0-cudnn8-runtime-ubuntu22.04 acme/base:1.0""".split()
PARTNERS = "torch tensorflow jax onnxruntime-gpu xgboost cudf".split()
UNKNOWN = ["numpy<2", "numpy==1.26.4", "numpy>=2", "einops>=0.8"]
SLOW = {"trl", "peft", "sentence-transformers"}  # Python alone, with hundreds of releases that fit


def releases_of(world, name):
    matrix = world.framework_called(name)
    data = matrix.framework if matrix else world.packages[name]
    return [r["version"] for r in data["releases"]]


def with_spec(world, rng, name, share=0.5):
    versions = releases_of(world, name)
    if not versions or rng.random() > share:
        return name
    return name + rng.choice(["==", "==", ">=", "<", "~=", "<="]) + rng.choice(versions)


def random_request(world, rng, packages):
    frameworks = ["pytorch"] * 4 + ["transformers"] * 2 + sorted(world.frameworks)
    frameworks = [f for f in frameworks if f in world.frameworks or f in world.packages]
    request = {"framework": with_spec(world, rng, rng.choice(frameworks))}
    names = packages + [n for n in PARTNERS if world.framework_called(n)]
    members = rng.sample(names, rng.choice([0, 1, 1, 2, 2, 3]))
    request["with"] = [with_spec(world, rng, n, 0.3) for n in members]
    if rng.random() < 0.1:
        request["with"].append(rng.choice(UNKNOWN))
    if not request["with"]:
        del request["with"]
    choices = {
        "python": lambda: rng.choice(PYTHONS),
        "driver": lambda: rng.choice(DRIVERS),
        "gpu": lambda: rng.sample(GPUS, rng.choice([1, 1, 2])),
        "os": lambda: rng.choice(SYSTEMS),
        "arch": lambda: rng.choice(["aarch64", "x86_64"]),
        "variant": lambda: rng.choice(["cu118", "cu126", "cu128", "cu130", "cuda12", "cuda13"]),
        "runtime": lambda: rng.choice(["cdi", "legacy"]),
        "image": lambda: rng.choice(IMAGES),
    }
    for name in rng.sample(sorted(choices), rng.choice([0, 0, 1, 1, 2])):
        request[name] = choices[name]()
    return request


def verdict(document, asked):
    """What the resolver said of the members that the oracle names, in its words."""
    if document["exit"] == 4:
        return None
    assert document["exit"] == 0, document
    r = document["resolution"]
    own = r["framework"]
    versions = r["companions"] | {own["name"]: own["version"]}
    main = versions.get("torch", own["version"])
    return {
        "version": main,
        "variant": r["cuda"]["variant"],
        "python": r["python"],
        "tag": r["image"]["tag"],
        "members": {name: versions[name] for name in asked},
    }


def agree(world, request, document):
    """Whether both say the same, and what they say."""
    if document["exit"] == 2:  # a build that the framework has not is wrong usage
        assert "variant" in request, (request, document)
        return True, None
    want = oracle_with.best(world, request)
    got = verdict(document, (want or {}).get("members", {}))
    return want == got, (want, got)


def random_part(folder, rng):
    """A catalog with a part of all frameworks and packages."""
    shutil.copytree(SHIPPED, folder / "matrices")
    (folder / "templates").mkdir()
    (folder / "catalog.yml").write_text("name: part\nversion: 1.0.0\n")
    for path in sorted((folder / "matrices").glob("*/*.yml")):
        data = oracle.read(path)
        for section in [s for s in ("releases", "builds") if s in data]:
            share = 0.1 if len(data[section]) > 40 and section == "releases" else 0.4
            data[section] = part_of(data[section], rng, share)
        path.write_text(oracle.dump(data) + "\n")
    return folder


def run(resolve, folder, count, rng, catalog=None):
    world = oracle_with.World(folder)
    packages = sorted(world.packages)
    if catalog is None:
        packages = [p for p in packages if p not in SLOW]
    solved = 0
    for _ in range(count):
        request = random_request(world, rng, packages)
        document = resolve(request, catalog)
        same, said = agree(world, request, document)
        assert same, (SEED, request, said)
        solved += document["exit"] == 0
    return solved


def test_shipped_packages_resolve_as_brute_force_does(resolve):
    assert run(resolve, SHIPPED, 8, random.Random(f"{SEED} with")) > 0


def test_packages_of_a_random_part_resolve_as_brute_force_does(resolve, tmp_path):
    rng = random.Random(f"{SEED} with part")
    folder = random_part(tmp_path / "catalog", rng)
    run(resolve, folder / "matrices", 4, rng, folder)


@pytest.mark.full
@pytest.mark.turns(1)
@pytest.mark.parametrize("round_", range(5))
def test_shipped_packages_resolve_as_brute_force_does_often(resolve, round_):
    assert run(resolve, SHIPPED, 20, random.Random(f"{SEED} with often {round_}")) > 0


@pytest.mark.full
@pytest.mark.turns(4)
@pytest.mark.parametrize("round_", range(15))
def test_packages_of_many_random_parts_resolve_as_brute_force_does(resolve, tmp_path, round_):
    rng = random.Random(f"{SEED} with full {round_}")
    folder = random_part(tmp_path / "catalog", rng)
    run(resolve, folder / "matrices", 20, rng, folder)


def test_the_order_of_packages_does_not_count(resolve):
    rng = random.Random(f"{SEED} order")
    world = oracle_with.World(SHIPPED)
    for _ in range(5):
        request = random_request(world, rng, sorted(world.packages))
        again = request | {"with": request.get("with", [])[::-1]}
        one, other = resolve(request), resolve(again)
        assert one["exit"] == other["exit"], request
        assert one.get("resolution") == other.get("resolution"), request
