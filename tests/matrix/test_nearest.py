"""What a refusal proposes: only what a person can change, and all of it works."""

import os
import random
import shlex

import pytest

from . import oracle
from .conftest import options
from .test_brute_force import FRAMEWORKS, GPUS, SHIPPED, random_request

SEED = int(os.environ.get("SEED", 20261124))
SOME = [15, pytest.param(60, marks=pytest.mark.full)]  # requests
PACKAGES = ["torchvision==0.19.0", "torch==2.6.0", "numpy<2", "jax", "onnxruntime==1.20.0", "nvtx"]
GIVEN = {"gpu", "arch", "platform"}


def harder_request(matrix, rng):
    """As a fleet's: several GPUs and packages beside the rest."""
    request = random_request(matrix, rng)
    if rng.random() < 0.5:
        request["gpu"] = rng.sample(GPUS, rng.choice([1, 2, 3]))
    if rng.random() < 0.3:
        request["with"] = rng.sample(PACKAGES, rng.choice([1, 2]))
    return request


def applied(request, changes):
    """The request with the changes made that their texts tell."""
    made = {name: list(v) if isinstance(v, list) else v for name, v in request.items()}
    for change in changes:
        words = shlex.split(change)
        left_out = words[0] == "without"
        name = words[left_out].removeprefix("--")
        value = words[left_out + 1] if len(words) > left_out + 1 else None
        if left_out and value:
            made[name].remove(value)
        elif left_out:
            del made[name]
        elif name == "with":
            package = oracle_name(value)
            made[name] = [value if oracle_name(old) == package else old for old in made[name]]
        else:
            made[name] = value
    return {name: value for name, value in made.items() if value != []}


def oracle_name(package):
    return package.split("=")[0].split("<")[0].split(">")[0]


def check_given(request, near):
    """GPUs are only dropped, and never all of them; processor and platform stay."""
    assert near["request"].get("arch") == request.get("arch")
    assert near["request"].get("platform") == request.get("platform")
    assert set(near["request"].get("gpu", [])) <= set(request.get("gpu", []))
    assert bool(near["request"].get("gpu")) == bool(request.get("gpu"))
    for change in near["change"]:
        assert not any(change.startswith(f"--{name} ") for name in GIVEN)


@pytest.mark.turns(3)
@pytest.mark.parametrize("count", SOME)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_what_is_proposed_can_be_changed_and_works(resolve, framework, count):
    rng = random.Random(f"{SEED} {framework}")
    matrix = oracle.Matrix(oracle.load(SHIPPED, framework))
    seen = 0
    for _ in range(count):
        request = harder_request(matrix, rng)
        document = resolve(request)
        if document["exit"] != 4:
            continue
        for near in document["error"]["nearest"]:
            seen += 1
            check_given(request, near)
            assert applied(request, near["change"]) == near["request"]
            again = resolve(near["request"])
            assert again["exit"] == 0, (request, near["change"])
            assert again["resolution"] == near["resolution"]
    assert seen > 0


def is_doubtful(document):
    return any(note["code"] == "low-confidence" for note in document["resolution"]["notes"])


def working(resolve, request, name, values):
    """Those values of a choice that make the request work; None where some of that is doubtful."""
    documents = {value: resolve({**request, name: value}) for value in values}
    solved = {value: made for value, made in documents.items() if made["exit"] == 0}
    return None if any(is_doubtful(made) for made in solved.values()) else list(solved)


def proposed(document, name):
    """The values that are proposed for a choice alone."""
    changes = [near["change"] for near in document["error"]["nearest"]]
    heads = [change[0].split(" ", 1) for change in changes if len(change) == 1]
    return {words[1] for words in heads if words[0] == f"--{name}"}


def refusals(resolve, framework, name, count):
    """Random requests with that choice that are refused."""
    rng = random.Random(f"{SEED} {name} {framework}")
    matrix = oracle.Matrix(oracle.load(SHIPPED, framework))
    for _ in range(400):
        request = random_request(matrix, rng)
        document = resolve(request) if name in request else None
        if document and document["exit"] == 4:
            yield matrix, request, document
            count -= 1
        if not count:
            return


@pytest.mark.turns(2)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_closest_driver_branches_are_proposed_and_no_others(resolve, framework):
    rows = oracle.load(SHIPPED, framework)["drivers"]["branches"]
    branches = sorted(int(row["branch"]) for row in rows if row.get("confidence") != "low")
    for _, request, document in refusals(resolve, framework, "driver", 4):
        asked = int(request["driver"].split(".")[0])
        good = working(resolve, request, "driver", branches)
        if good is None:
            continue
        want = [branch for branch in good if branch >= asked][:1]
        want += [branch for branch in good if branch < asked][-1:]
        assert proposed(document, "driver") == {str(branch) for branch in want}, request


@pytest.mark.turns(3)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_every_variant_that_works_is_proposed(resolve, framework):
    for matrix, request, document in refusals(resolve, framework, "variant", 4):
        low = {b["variant"] for b in matrix.framework["builds"] if b.get("confidence") == "low"}
        variants = {b["variant"] for b in matrix.framework["builds"]} - {request["variant"]}
        good = working(resolve, request, "variant", sorted(variants - low))
        assert good is None or proposed(document, "variant") - low == set(good), request


def test_where_nothing_can_be_changed_that_is_said(resolve):
    """GKE offers no such card, and both are given."""
    document = resolve({"framework": "pytorch", "platform": "gke", "gpu": ["RTX 5090"]})
    assert document["exit"] == 4
    assert document["error"]["nearest"] == []
    assert document["error"]["hint"] == "nothing that could be changed would do"


def test_another_framework_is_proposed_only_where_no_other_release_does(resolve):
    """And NVIDIA's containers, which are compiled for its newest GPUs."""
    error = resolve({"framework": "tensorflow", "gpu": ["RTX 5090"]})["error"]
    assert error["nearest"][0]["change"] == ["--framework pytorch"]
    assert "nvcr.io/nvidia" in error["hint"]
    older = resolve({"framework": "tensorflow==2.19.1", "gpu": ["B200"]})["error"]
    assert all("tensorflow" in change for near in older["nearest"] for change in near["change"])
    kepler = resolve({"framework": "jax", "gpu": ["K80"]})["error"]
    assert kepler["nearest"] and "nvcr.io" not in kepler["hint"]  # no driver runs those on a K80


def test_where_the_gpu_must_be_said_the_hint_says_which_there_are(resolve):
    hint = resolve({"framework": "pytorch", "platform": "jetson"})["error"]["hint"]
    assert hint.startswith("say by --gpu which it is: ")
    names = hint.removeprefix("say by --gpu which it is: ").split(", ")
    answers = [
        resolve({"framework": "pytorch", "platform": "jetson", "gpu": [name]}) for name in names
    ]
    assert any("error" not in answer for answer in answers)
    assert {a["error"]["code"] for a in answers if "error" in a} == {"unsatisfiable"}


def test_gpu_that_is_named_often_is_dropped_as_one(resolve):
    error = resolve({"framework": "pytorch", "gpu": ["K80", "H100"] * 16})["error"]
    changes = [near["change"] for near in error["nearest"]]
    assert changes == [["without --gpu K80"], ["without --gpu H100"]]
    assert error["nearest"][0]["request"]["gpu"] == ["H100"] * 16


def test_large_matrix_is_refused_with_its_reasons_not_for_its_size(matrix, tmp_path):
    """To try everything would take more steps than a run has."""
    pythons = "3.8 3.9 3.10 3.11 3.12"
    rows = [f"{{version: {n}.0, pythons: {pythons}, default: cu126}}" for n in range(1000, 10000)]
    overlay = tmp_path / "overlay.yml"
    overlay.write_text(
        "frameworks:\n  pytorch:\n    releases:\n"
        + "".join(f"    - {row}\n" for row in rows)
        + "    builds:\n"
        + "    - {releases: all, variant: cu126, cuda: 12.6, x86_64: 7.0 9.0}\n"
        + "    - {releases: all, variant: cu128, cuda: 12.8, x86_64: 7.0 9.0}\n"
    )
    request = {"framework": "pytorch", "python": "2.7", "driver": "470", "cuda": "12.6"}
    done = matrix("resolve", "--json", "--overlay", overlay, *options(request))
    assert done.code == 4, done.out
    assert done.json["error"]["conflicts"]


# ---------------------------------------------------------------- releases of low confidence

UNPROVEN = """
frameworks:
  pytorch:
    releases:
    - {version: 99.1.0, pythons: 3.12, default: cu130, note: nobody tried it, confidence: low}
    - {version: 99.0.0, pythons: 3.12, default: cu126, confidence: low}
    builds:
    - {releases: 99.1.0, variant: cu130, cuda: 13.0, x86_64: 9.0, confidence: low}
    - {releases: 99.0.0, variant: cu126, cuda: 12.6, x86_64: 7.0 9.0, confidence: low}
"""


@pytest.fixture
def unproven(matrix, tmp_path):
    """Resolves where two releases of low confidence are the newest."""
    overlay = tmp_path / "overlay.yml"
    overlay.write_text(UNPROVEN)

    def run(**request):
        return matrix("resolve", "--json", "--overlay", overlay, *options(request)).json

    return run


def newer_known(document):
    return [n["text"] for n in document["resolution"]["notes"] if n["code"] == "newer-known"]


@pytest.mark.parametrize(
    ("request_", "version"),
    [
        ({"framework": "pytorch"}, "99.1.0"),
        ({"framework": "pytorch>=2.5"}, "99.1.0"),
        ({"framework": "pytorch", "gpu": ["V100"]}, "99.0.0"),  # 99.1.0 has no kernels for it
        ({"framework": "pytorch<99.1"}, "99.0.0"),
    ],
)
def test_newer_release_that_was_passed_over_is_told(unproven, request_, version):
    doubt = " (nobody tried it)" if version == "99.1.0" else ""
    document = unproven(**request_)
    assert document["exit"] == 0
    assert newer_known(document) == [
        f"pytorch {version} is known, with low confidence{doubt}: "
        f"--framework pytorch=={version} takes it"
    ]
    taken = unproven(**{**request_, "framework": f"pytorch=={version}"})
    assert taken["resolution"]["framework"]["version"] == version
    assert newer_known(taken) == []


@pytest.mark.parametrize(
    "request_",
    [
        {"framework": "pytorch==2.9.1"},
        {"framework": "pytorch<2.10"},
        {"framework": "pytorch", "gpu": ["P100"]},
        {"framework": "pytorch", "python": "3.11"},
    ],
)
def test_release_that_the_request_does_not_allow_is_not_told(unproven, request_):
    assert not any("99." in text for text in newer_known(unproven(**request_)))


def test_refusal_tells_what_is_known_why_it_is_not_taken_and_how_to_take_it(unproven):
    error = unproven(framework="pytorch>=99")["error"]
    first = error["conflicts"][0]
    assert (first["rules_out"], first["reason"]) == ("pytorch 99.1.0", "framework")
    assert first["because"] == (
        "little is known of pytorch 99.1.0 (nobody tried it): it is taken only "
        "where it is named exactly"
    )
    assert error["hint"].startswith("--framework pytorch==99.1.0 takes 99.1.0")
    assert error["nearest"]
    for near in error["nearest"]:
        assert not near["request"]["framework"].startswith("pytorch==99")


def test_hint_names_only_a_release_that_would_do(unproven):
    error = unproven(framework="pytorch>=99", gpu=["P100"])["error"]
    assert "99." not in error["hint"]


# ---------------------------------------------------------------- for people

LINES = 15


@pytest.mark.turns(3)
@pytest.mark.parametrize("count", SOME)
@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_refusal_is_short(matrix, framework, count):
    rng = random.Random(f"{SEED} short {framework}")
    rows = oracle.Matrix(oracle.load(SHIPPED, framework))
    for _ in range(count):
        done = matrix("resolve", *options(harder_request(rows, rng)))
        if done.code == 4:
            assert len(done.err.splitlines()) <= LINES, done.err
