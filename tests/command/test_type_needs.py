"""What the files of a type need of a stack: a demand that nobody said, and nobody can take back."""

import shutil
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
NEEDS_3_11 = ["new", "child", "--type", "batch", "--framework", "pytorch", "--defaults", "--json"]


def python_of(document):
    return tuple(int(part) for part in document["resolution"]["python"].split("."))


@pytest.mark.parametrize(
    "asked",
    [{"framework": "pytorch", "driver": "470"},
     {"framework": "pytorch==2.10.0", "os": "ubuntu22.04"}],
)  # fmt: skip
def test_stack_has_a_python_that_the_type_accepts(tmplgen, work, asked):
    """Their image ships Python 3.10, which would be taken for a type without needs."""
    words = [word for name, value in asked.items() for word in (f"--{name}", value)]
    plain = tmplgen("matrix", "resolve", *words, "--json", cwd=work)
    assert python_of(plain.json) == (3, 10)
    rest = [word for word in NEEDS_3_11 if word not in ("--framework", "pytorch")]
    done = tmplgen(*rest, *words, cwd=work)
    assert done.code == 0, done.err
    assert python_of(done.json) >= (3, 11)
    assert done.json["request"] == asked


def test_conflict_names_the_type_and_nothing_proposes_to_change_it(tmplgen, work):
    done = tmplgen(*NEEDS_3_11, "--python", "3.10", cwd=work)
    assert done.code == 4
    error = done.json["error"]
    assert error["message"] == "no pytorch stack meets python 3.10: type batch needs Python >=3.11"
    conflicts = {conflict["demand"]: conflict["reason"] for conflict in error["conflicts"]}
    assert conflicts == {"python 3.10": "python", "type batch needs Python >=3.11": "python"}
    assert [near["change"] for near in error["nearest"]] == [["--python 3.11"]]
    for near in error["nearest"]:
        assert python_of(near) >= (3, 11)
        assert set(near["request"]) == {"framework", "python"}


def test_framework_that_is_too_old_for_the_type_says_so(tmplgen, work):
    words = [word if word != "pytorch" else "pytorch==1.13.1" for word in NEEDS_3_11]
    done = tmplgen(*words, "--python", "<3.11", cwd=work)
    assert done.code == 4
    demands = {conflict["demand"] for conflict in done.json["error"]["conflicts"]}
    assert "type batch needs Python >=3.11" in demands


def test_another_framework_is_one_that_the_type_has_files_for(tmplgen, work):
    """CuPy and XGBoost run on that card as well."""
    words = [word if word != "pytorch" else "tensorflow" for word in NEEDS_3_11]
    done = tmplgen(*words, "--gpu", "RTX 5090", cwd=work)
    assert done.code == 4
    changes = [near["change"] for near in done.json["error"]["nearest"]]
    assert changes[0] == ["--framework pytorch"]
    manifest = yaml.safe_load((ROOT / "templates" / "batch" / "template.yml").read_text())
    proposed = {change[0].removeprefix("--framework ") for change in changes}
    assert proposed <= set(manifest["frameworks"])


def changes_of(done):
    return [near["change"] for near in done.json["error"]["nearest"]]


@pytest.mark.parametrize("name", ["batch", "service", "library"])
def test_distribution_that_the_dockerfile_is_not_for(tmplgen, work, name):
    words = ["new", "child", "--type", name, "--framework", "pytorch", "--defaults", "--json"]
    done = tmplgen(*words, "--os", "rockylinux9", cwd=work)
    assert done.code == 4
    error = done.json["error"]
    need = f"type {name} needs ubuntu or debian"
    assert error["message"] == f"no pytorch stack meets os rockylinux9: {need}"
    conflicts = {conflict["demand"]: conflict["reason"] for conflict in error["conflicts"]}
    assert conflicts == {"os rockylinux9": "image", need: "image"}
    assert changes_of(done) == [["without --os"]]
    assert "ubuntu" in error["nearest"][0]["resolution"]["image"]["tag"]
    assert not (work / "child").exists()


def test_no_type_no_need_of_a_distribution(tmplgen, work):
    done = tmplgen(
        "matrix", "resolve", "--framework", "pytorch", "--os", "rockylinux9", "--json", cwd=work
    )
    assert done.json["resolution"]["image"]["tag"].endswith("rockylinux9")


def test_image_by_name_is_of_a_distribution_that_the_type_takes(tmplgen, work):
    done = tmplgen(*NEEDS_3_11, "--image", "nvidia/cuda:12.6.3-base-rockylinux9", cwd=work)
    assert done.code == 4
    assert changes_of(done) == [["without --image"]]


@pytest.mark.parametrize("image", ["debian:12", "team/base:1"])
def test_image_of_an_unknown_distribution_is_taken_as_given(tmplgen, work, image):
    done = tmplgen(*NEEDS_3_11, "--image", image, cwd=work)
    assert done.code == 0, done.err
    made = done.json["resolution"]["image"]
    assert f"{made['repository']}:{made['tag']}" == image


def test_need_and_another_demand_are_told_together(tmplgen, work):
    """No Ubuntu or Debian was asked for, and the Python is too old as well."""
    done = tmplgen(*NEEDS_3_11, "--os", "ubi8", "--python", "3.10", cwd=work)
    assert done.code == 4
    assert changes_of(done)
    for near in done.json["error"]["nearest"]:
        assert python_of(near) >= (3, 11)
        assert "ubuntu" in near["resolution"]["image"]["tag"]


def test_type_for_another_family_gets_its_newest_unasked(tmplgen, work):
    """A team's catalog may have Dockerfiles for Rocky Linux."""
    catalog = work / "catalog"
    for folder in ("templates", "matrices", "base-images"):
        shutil.copytree(ROOT / folder, catalog / folder)
    shutil.copy(ROOT / "catalog.yml", catalog)
    manifest = catalog / "templates" / "batch" / "template.yml"
    manifest.write_text(manifest.read_text().replace("[ubuntu, debian]", "[rockylinux]"))
    done = tmplgen(*NEEDS_3_11, "--catalog", catalog, "--dry-run", cwd=work)
    assert done.code == 0, done.err
    assert "rockylinux" in done.json["resolution"]["image"]["tag"]
    done = tmplgen(*NEEDS_3_11, "--catalog", catalog, "--os", "ubuntu24.04", cwd=work)
    assert done.code == 4
    assert "type batch needs rockylinux" in done.json["error"]["message"]
