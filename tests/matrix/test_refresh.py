"""`matrix refresh` on what a live package index answered, recorded in tests/data."""

import json
import re

import pytest
from packaging.version import Version

from ..common.rows import drop_rows


@pytest.fixture
def older(catalog):
    """The shipped matrix without the newest rows of PyTorch."""
    path = catalog / "matrices" / "frameworks" / "pytorch.yml"
    drop_rows(path, r"\{(version|releases): 2\.1[3-5]\.")
    return catalog


def rows_of(text):
    return re.split(r"(?m)^(?=\S)", text)


def in_order(path):
    """The versions of a file's releases, as they stand."""
    versions = re.findall(r"(?m)^- \{version: ([^,]+),", path.read_text())
    assert versions == sorted(versions, key=Version, reverse=True)
    return versions


def document(result):
    assert result.code == 0, result.err
    return result.json


def proposals(matrix, record, catalog, *words):
    made = document(
        matrix("refresh", "pytorch", "--offline", record, "--catalog", catalog, "--json", *words)
    )
    return {(p["release"], p["kind"]): p for p in made["proposals"]}, made


def test_rows_come_with_their_evidence_and_confidence(matrix, record, older):
    found, made = proposals(matrix, record, older)
    assert made["written"] == []
    build = found["2.13.0", "build"]
    assert build["variant"] == "cu130"
    assert build["confidence"] == "medium"
    for word in ("cuda: 13.0", "cudnn: 9.20.0.48", "x86_64: 7.5 8.0", "aarch64: 8.0 9.0",
                 "cubins: low", "the GPUs are those of cu130 2.12.1"):  # fmt: skip
        assert word in build["row"].replace("\n  ", "")
    assert any("cuda-toolkit" in said and "==13.0" in said for said in build["evidence"])
    release = found["2.13.0", "release"]
    assert "pythons: 3.10 3.11 3.12 3.13 3.14" in release["row"]
    assert "companions: {torchvision: 0.28.0, torchaudio: 2.11.0}" in release["row"]
    assert release["confidence"] == "medium"
    assert "torchvision 0.28.0 requires torch (==2.13.0)" in release["evidence"]


def test_nothing_is_written_unless_told(matrix, record, older):
    path = older / "matrices" / "frameworks" / "pytorch.yml"
    before = path.read_bytes()
    proposals(matrix, record, older)
    assert path.read_bytes() == before


def test_written_rows_are_a_matrix_that_verifies(matrix, record, older):
    path = older / "matrices" / "frameworks" / "pytorch.yml"
    before = rows_of(path.read_text())
    _, made = proposals(matrix, record, older, "--write")
    assert made["written"] == [str(path)]
    after = rows_of(path.read_text())
    assert [row for row in after if row in before] == before
    assert in_order(path)[:4] == ["2.15.0", "2.14.1", "2.14.0", "2.13.0"]
    assert matrix("check", "--catalog", older).code == 0
    words = ["verify", "pytorch", "--offline", record, "--catalog", older]
    assert matrix(*words).code == 0
    again, _ = proposals(matrix, record, older)
    assert again == {}
    resolved = matrix("resolve", "--framework", "pytorch==2.13.0", "--catalog", older, "--json")
    assert json.loads(resolved.out)["resolution"]["cuda"]["variant"] == "cu130"
    default = matrix("resolve", "--framework", "pytorch", "--catalog", older, "--json")
    assert json.loads(default.out)["resolution"]["framework"]["version"] == "2.15.0"


def test_other_cuda_is_of_low_confidence(matrix, record, older):
    drop_rows(older / "matrices" / "frameworks" / "pytorch.yml", r"\{.*variant: cu132")
    found, _ = proposals(matrix, record, older)
    assert found["2.15.0", "build"]["confidence"] == "low"
    assert "cc_min: 7.5" in found["2.15.0", "build"]["row"]
    assert found["2.15.0", "release"]["confidence"] == "low"


def test_rows_are_of_120_columns_and_in_order(matrix, record, older):
    _, made = proposals(matrix, record, older)
    assert [p["release"] for p in made["proposals"] if p["kind"] == "release"] == [
        "2.13.0", "2.14.0", "2.14.1", "2.15.0",
    ]  # fmt: skip
    for proposal in made["proposals"]:
        assert max(map(len, proposal["row"].splitlines())) <= 120


def refreshed(matrix, record, catalog, name, *words):
    words = ["refresh", name, "--offline", record, "--catalog", catalog, "--json", *words]
    made = document(matrix(*words))
    return {(p["release"], p["kind"], p["variant"]): p for p in made["proposals"]}


def test_package_for_each_cuda(matrix, record, catalog):
    """RAPIDS has cudf-cu12 and cudf-cu13."""
    path = catalog / "matrices" / "frameworks" / "rapids.yml"
    text = path.read_text()
    assert " 26.10.2, variant: cuda12" in text
    path.write_text(text.replace(" 26.10.2, variant: cuda12", ", variant: cuda12"))
    found = refreshed(matrix, record, catalog, "rapids")
    assert set(found) == {("26.10.2", "build", "cuda12")}
    assert "cudf-cu12=={version}" in found["26.10.2", "build", "cuda12"]["row"]


def test_written_rows_stand_newest_first(matrix, record, catalog):
    path = catalog / "matrices" / "frameworks" / "rapids.yml"
    before = in_order(path)
    drop_rows(path, r"\{version: 26\.10\.")
    path.write_text(path.read_text().replace(" 26.10.0 26.10.2, variant", ", variant"))
    refreshed(matrix, record, catalog, "rapids", "--write")
    assert in_order(path) == before
    text = path.read_text()
    for variant in ("cuda12", "cuda13"):
        built = re.findall(rf"(?m)^- \{{releases: ([^,]+), variant: {variant},", text)
        assert built[:2] == ["26.10.2", "26.10.0"]
    assert matrix("check", "--catalog", catalog).code == 0


def test_companions_of_present_rows(matrix, record, catalog):
    path = catalog / "matrices" / "frameworks" / "pytorch.yml"
    field = "companions: {torchvision: 0.29.2, torchaudio: 2.11.0}"
    text = path.read_text()
    assert text.count(f"{field}, ") == 1
    path.write_text(text.replace(f"{field}, ", ""))
    found = refreshed(matrix, record, catalog, "pytorch", "--write")
    assert set(found) == {("2.15.0", "companions", None)}
    assert found["2.15.0", "companions", None]["row"] == field
    assert f"- {{version: 2.15.0, {field},\n" in path.read_text()
    words = ["verify", "pytorch", "--offline", record, "--catalog", catalog]
    assert matrix(*words).code == 0
    assert refreshed(matrix, record, catalog, "pytorch") == {}
    # one of the two is not there
    path.write_text(
        path.read_text().replace("torchaudio: 2.11.0},\n", "},\n", 1).replace(", }", "}")
    )
    found = refreshed(matrix, record, catalog, "pytorch", "--write")
    assert found["2.15.0", "companions", None]["row"] == "companions: {torchaudio: 2.11.0}"
    assert matrix(*words).code == 0
    assert refreshed(matrix, record, catalog, "pytorch") == {}


def test_packages_are_refreshed(matrix, record, catalog):
    folder = catalog / "matrices" / "packages"
    before = {}
    for name, newest in (("lightning", r"2\.6\."), ("vllm", r"0\.3[0-3]\."), ("trl", r"1\.16\."),
                         ("deepspeed", r"0\.19\."), ("triton", r"3\.[89]\.")):  # fmt: skip
        before[name] = in_order(folder / f"{name}.yml")
        drop_rows(folder / f"{name}.yml", rf"\{{version: {newest}")
    path = folder / "vllm.yml"
    path.write_text(
        path.read_text().replace("releases: 0.33.0 0.32.0 0.31.0 0.30.0 ", "releases: ")
    )
    words = ["refresh", "--offline", record, "--catalog", catalog, "--write", "--json"]
    made = document(matrix(*words))
    found = {(p["framework"], p["release"], p["kind"]): p for p in made["proposals"]}
    lightning = found["lightning", "2.6.6", "release"]
    assert 'requires: "torch<4.0,>=2.1.0 torchmetrics<3.0,>0.7.0"' in lightning["row"]
    assert lightning["confidence"] == "medium"
    assert "torch==2.13.0" in found["vllm", "0.32.0", "release"]["row"]
    build = found["vllm", "0.32.0", "build"]
    assert "cuda: 13.0" in build["row"]
    assert "vllm 0.32.0 requires torch==2.13.0, which has CUDA 13.0" in build["evidence"]
    assert "requires" not in found["deepspeed", "0.19.8", "release"]["row"]
    # torch requires it; its wheels for the CUDA of other indexes were not seen
    triton = found["triton", "3.8.0", "release"]
    assert 'requires: "torch>=2.14.0,<=2.14.1"' in triton["row"]
    assert triton["confidence"] == "low"
    assert {name: in_order(folder / f"{name}.yml") for name in before} == before
    assert matrix("verify", "--offline", record, "--catalog", catalog).code == 0
    assert matrix("check", "--catalog", catalog).code == 0


def test_package_without_cuda_of_its_own(matrix, record, older):
    """Rows of what lives on another framework need no build."""
    path = older / "matrices" / "frameworks" / "transformers.yml"
    path.write_text(
        "framework: transformers\ntitle: T\nsupply: wheel\nrequirements: transformers=={version}\n"
        'sources: {index: "the index"}\nreleases:\n- {version: 5.20.2, pythons: 3.10 3.11 3.12,'
        ' requires: "torch>=2.6", source: index, as_of: 2026-11-20}\nbuilds: []\n'
    )
    words = ["refresh", "transformers", "--offline", record, "--catalog", older, "--json"]
    made = document(matrix(*words))
    versions = [p["release"] for p in made["proposals"]]
    assert versions[:2] == ["5.21.0", "5.21.1"]
    assert {p["kind"] for p in made["proposals"]} == {"release"}
    for proposal in made["proposals"]:
        assert proposal["confidence"] == "medium"
        assert 'requires: "torch>=2.6"' in proposal["row"]


def test_what_is_not_proven_is_no_row(matrix, record, catalog):
    """The wheels of ONNX Runtime do not say which CUDA they are for."""
    path = catalog / "matrices" / "frameworks" / "onnxruntime.yml"
    drop_rows(path, r"\{version: 1\.31\.")
    path.write_text(path.read_text().replace("releases: 1.31.1 1.31.0 ", "releases: "))
    found = refreshed(matrix, record, catalog, "onnxruntime")
    build = found["1.31.1", "build", "pypi"]
    assert (build["row"], build["why"]) == (None, "the index does not say its CUDA")


def test_write_wants_a_folder(matrix, record):
    result = matrix("refresh", "--offline", record, "--write")
    assert result.code == 2
    assert "--catalog FOLDER" in result.err


def test_rows_for_people(matrix, record, older):
    result = matrix("refresh", "pytorch", "--offline", record, "--catalog", older)
    assert result.code == 0
    assert "pytorch 2.13.0 cu130: a new build, confidence medium" in result.out
    assert "because torch 2.13.0 requires" in result.out
